export type { WebhookEvent } from './payload.js';
export type { Posted, PostRequest } from './post.js';
export { type WebhookSender, type WebhookSenderOptions, webhookSender } from './sender.js';
export { signedHeaders } from './signature.js';
export { isRange, publicTargets, type TargetPolicy, urlFault } from './targets.js';
export type { TryOutcome } from './worker.js';
