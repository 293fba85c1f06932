import { FEW_SLOTS } from '../../model/impacted-targets.js';
import { type Bisection, isSameMember, type Purpose, type TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { bisectionRuns, bisectionSlots, freeSlots } from './slots.js';

/** The test run of a failed batch while its culprit is searched for. */
export type BisectedRun = TestRun & { readonly bisection: Bisection };

export const bisectedRuns = (draft: Draft): readonly BisectedRun[] =>
  draft.openRuns().filter((run): run is BisectedRun => run.bisection !== null);

/**
 * True while bisections keep the line from starting tests: where slots are few, and no more of them are for bisections, it
 * leaves a slot to each open bisection or its test runs. What the line landed meanwhile would make the passes of the bisection
 * stale, and each of them would have to be repeated. `starting` test runs of the line begin in this decision. A bisection
 * never waits for the line: it has slots of its own, and begins only once all below its batch has landed.
 */
export const doesBisectionHoldLine = (draft: Draft, starting = 0): boolean => {
  const left = slotsForBisections(draft);
  return left > 0 && freeSlots(draft) - starting <= left;
};

/** The slots that the line leaves to open bisections; 0 without one, and where slots are not few. */
export const slotsForBisections = (draft: Draft): number => {
  const { concurrency } = draft.queue.settings;
  if (concurrency > FEW_SLOTS || bisectionSlots(draft) > concurrency) return 0;
  const open = bisectedRuns(draft).length;
  return open === 0 ? 0 : Math.max(open, bisectionRuns(draft).length);
};

/** A test run of a prefix of a failed batch: its first members, in order. */
export type PrefixRun = TestRun & { readonly purpose: Extract<Purpose, { kind: 'isolate' }> };

export const isPrefixRun = (run: TestRun): run is PrefixRun => run.purpose.kind === 'isolate';

export const prefixRunsOf = (draft: Draft, run: TestRun): readonly TestRun[] =>
  draft.openRuns().filter(({ purpose }) => purpose.kind === 'isolate' && purpose.failed === run.id);

/** The number of members of the failed batch that a prefix run covers. */
export const prefixLengthOf = (run: TestRun, prefixRun: TestRun): number =>
  run.batch.findIndex((member) => isSameMember(member, prefixRun.batch.at(-1))) + 1;

/**
 * True if the remaining members failed only together with others, and the queue may not infer that they fail by
 * themselves.
 */
export const isRestUntested = (draft: Draft, run: BisectedRun): boolean => {
  const { passed, failedBy } = run.bisection;
  const [first] = (draft.run(failedBy) ?? run).batch;
  return !skipsRedundantTests(draft) && (first === undefined || !isSameMember(first, run.batch[passed]));
};

/** True if the queue skips tests whose result follows from other results. */
const skipsRedundantTests = (draft: Draft): boolean =>
  draft.queue.settings.optimizationMode === 'bisection_skip_redundant_tests';
