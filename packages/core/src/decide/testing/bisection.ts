import { type Bisection, isSameMember, type Purpose, type TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';

/** A failed batch of which the culprit is looked for. */
export type BisectedRun = TestRun & { readonly bisection: Bisection };

export const bisectedRuns = (draft: Draft): readonly BisectedRun[] =>
  draft.openRuns().filter((run): run is BisectedRun => run.bisection !== null);

/** A test of a beginning of a failed batch. */
export type Part = TestRun & { readonly purpose: Extract<Purpose, { kind: 'isolate' }> };

export const isPart = (run: TestRun): run is Part => run.purpose.kind === 'isolate';

export const partsOf = (draft: Draft, run: TestRun): readonly TestRun[] =>
  draft.openRuns().filter(({ purpose }) => purpose.kind === 'isolate' && purpose.failed === run.id);

/** How much of the batch a part covers, from its beginning. */
export const lengthOf = (run: TestRun, part: TestRun): number =>
  run.batch.findIndex((member) => isSameMember(member, part.batch.at(-1))) + 1;

/** True where more was tested to fail than what is left of it, and that this fails by itself may not be inferred. */
export const isRestUntested = (draft: Draft, run: BisectedRun): boolean => {
  const { passed, failedBy } = run.bisection;
  const [first] = (draft.run(failedBy) ?? run).batch;
  return !infers(draft) && (first === undefined || !isSameMember(first, run.batch[passed]));
};

/** True where what follows from other verdicts need not be tested. */
const infers = (draft: Draft): boolean =>
  draft.queue.settings.optimizationMode === 'bisection_skip_redundant_tests';
