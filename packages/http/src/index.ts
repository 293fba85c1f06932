export { type Scope, scopes } from '@mq/core';
export {
  type Authenticate,
  type KnownToken,
  mayUseRepository,
  type Principal,
  principalOf,
  reporterOf,
  TOKEN_CHARS_LIMIT,
  tokenAuthenticator,
  tokenIn,
} from './auth.js';
export { BODY_LIMIT_BYTES, VALUES_LIMIT } from './body.js';
export { openApiDocument } from './contract/document.js';
export type { ServiceDiagnosis } from './diagnose.js';
export { HttpProblem, type ProblemCode, problemStatuses } from './errors.js';
export type { Build, FindBuild } from './fork-builds.js';
export { type MergeQueueApiOptions, mergeQueueApi, principalIn, type RateLimited } from './plugin.js';
export type { QueueEvent } from './present/events.js';
export { webhookEventsOf, webhookEventTypes } from './present/webhook-events.js';
export { markAnswer, type ProblemBody, sendProblem } from './problem-reply.js';
export { type Rates, recommendedRates } from './rates.js';
export { requireHost } from './refuse-connection.js';
export { securityHeaders } from './security-headers.js';
export { recommendedServerOptions } from './server-options.js';
export { keeperAuthenticator } from './tokens.js';
