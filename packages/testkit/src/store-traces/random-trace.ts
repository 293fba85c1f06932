import { type TraceStep, traceKinds, traceQueues } from './trace-step.js';

/** Ten to sixty steps. The same seed gives the same steps as long as `traceKinds` does not change. */
export const randomTrace = (seed: number): readonly TraceStep[] => {
  const next = numbersFrom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const several = (count: number): readonly number[] => Array.from({ length: count }, () => 1 + below(9));
  return Array.from({ length: 10 + below(51) }, () => ({
    kind: traceKinds[below(traceKinds.length)] ?? 'commit',
    queue: traceQueues[below(traceQueues.length)] ?? 1,
    one: below(12),
    two: below(12),
    many: several(below(6)),
  }));
};

/** Mulberry32: numbers from 0 inclusive to 1 exclusive. */
const numbersFrom = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
