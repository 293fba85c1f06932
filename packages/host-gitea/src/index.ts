export { CALL_TIMEOUT_MS, type GiteaCall } from './api.js';
export { type ExaminedRepository, type GiteaFinding, HOOK_EVENTS, type WantedHook } from './examine.js';
export { type GiteaFindingCode, giteaFindings } from './findings.js';
export {
  DELIVERIES_KEPT,
  HOOK_BODY_LIMIT_BYTES,
  type HookAnswer,
  type HookRequest,
  hookReceiver,
} from './hooks.js';
export { type GiteaHost, type GiteaHostOptions, giteaHost } from './host.js';
