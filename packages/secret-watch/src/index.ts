export { watchPlatform } from './platform.js';
export { isSecret, requireNoLeak, secretsIn, takeLeaks, watch, watchedLog, watchUntilEnd } from './watch.js';
