/** Exports for the benches of this workspace. Not part of the published package; may change without notice. */

export { type Decision, decide } from './decide/decide.js';
export { type Context, defaultPace } from './decide/draft/context.js';
export { viewOf } from './explain/explain.js';
export { forecast } from './forecast/forecast.js';
export type { Learnt } from './forecast/learn.js';
export { type Ahead, Lanes } from './model/lanes.js';
export { applyRows, emptyState, type MutableQueueState } from './model/state.js';
