export { CALL_TIMEOUT_MS, type GiteaCall } from './api.js';
export { type ExaminedRepository, type GiteaFinding, HOOK_EVENTS, type WantedHook } from './examine.js';
export { type GiteaFindingCode, giteaFindings } from './findings.js';
export { type HookOptions, hookReceiver } from './hooks.js';
export { type GiteaHost, type GiteaHostOptions, giteaHost } from './host.js';
export { isOwnerServed } from './owners.js';
