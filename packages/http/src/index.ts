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
export { type ProblemCode, problemStatuses } from './errors.js';
export { openApiDocument } from './openapi.js';
export { type MergeQueueApiOptions, mergeQueueApi, type RateLimited } from './plugin.js';
export type { ProblemBody } from './problem-reply.js';
export { recommendedServerOptions } from './server-options.js';
