export { type Client, createClient } from './client.js';
export type { EventsOptions, EventsRequest, MqEvent } from './events.js';
export type { components, operations } from './generated/openapi.js';
export { operationTable } from './generated/operations.js';
export { queueSettingNames } from './generated/queue-settings.js';
export { clientErrorCodes, MqError, type MqErrorCode, type Problem } from './mq-error.js';
export type { AnswerOf, OperationName, Operations, RequestOf } from './operations.js';
export type { PagedOperation } from './pages.js';
export { isPassing, type RetryOptions } from './retry.js';
export type { CallOptions, ClientOptions } from './transport.js';
export {
  type State,
  terminalStates,
  type Waited,
  type WaitForOptions,
  type WaitForRequest,
} from './wait-for.js';
