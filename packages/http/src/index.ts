export {
  type Authenticate,
  type KnownToken,
  type Principal,
  type Scope,
  scopes,
  TOKEN_CHARS_LIMIT,
  tokenAuthenticator,
} from './auth.js';
export { BODY_LIMIT_BYTES } from './body.js';
export { HttpProblem, type ProblemCode, problemStatuses } from './errors.js';
export { requireHost } from './no-request.js';
export { openApiDocument } from './openapi.js';
export { type MergeQueueApiOptions, mergeQueueApi, type RateLimited } from './plugin.js';
export { markAnswer, type ProblemBody, sendProblem } from './problem-reply.js';
export { recommendedServerOptions } from './server-options.js';
