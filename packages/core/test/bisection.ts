import { runIdOf } from '@mq/testkit';
import type { Queue } from '../src/model/queue.js';
import type { Bisection, TestRun } from '../src/model/run.js';
import type { QueueSettings } from '../src/model/settings.js';
import type { Submission } from '../src/model/submission.js';
import {
  aBatchRun,
  aQuietQueue,
  aTestedSubmission,
  failedBy,
  type Given,
  NOW,
  type Outcome,
  TIP,
} from './rules.js';

// A batch under bisection: its failed run has the number 100, each bisection test that of its first member.

const skipping = { optimizationMode: 'bisection_skip_redundant_tests' } as const;
const one = { bisectionConcurrency: 1 } as const;
export const isolatingQueue = (settings: Partial<QueueSettings> = {}, override: Partial<Queue> = {}) =>
  aQuietQueue(
    { batch: true, batchingMinSize: 4, concurrency: 2, ...skipping, ...one, ...settings },
    override,
  );

export const failedBatch = (
  size: number,
  bisection: Partial<Bisection> = {},
  override: Partial<TestRun> = {},
): TestRun => {
  const batch = Array.from({ length: size }, (_, index) => index + 1);
  return aBatchRun(batch, [], {
    id: runIdOf(100),
    ...failedBy(),
    bisection: {
      base: TIP,
      passed: 0,
      failed: size,
      ...((bisection.passed ?? 0) > 0 ? { successes: ['build'] } : {}),
      failedBy: runIdOf(100),
      parts: 0,
      retries: 0,
      retryAt: null,
      ...bisection,
    },
    ...override,
  });
};
export const aWaitingMember = (pr: number, override: Partial<Submission> = {}): Submission =>
  aTestedSubmission(pr, {
    state: 'pending',
    reason: 'BISECTION_REQUIRED',
    batch: 1,
    begunAt: NOW - 60_000,
    admittedAt: NOW,
    ...override,
  });
export const waitingMembers = (size: number, override: Partial<Submission> = {}) =>
  Array.from({ length: size }, (_, index) => aWaitingMember(index + 1, override));
/** A bisection test; its run has the number of its first member. */
export const partOf = (
  prs: readonly number[],
  below: readonly number[] = [],
  override: Partial<TestRun> = {},
): TestRun => aBatchRun(prs, below, { purpose: { kind: 'isolate', failed: runIdOf(100) }, ...override });

export const isolating = (
  size: number,
  bisection: Partial<Bisection> = {},
  parts: readonly TestRun[] = [],
  patch: Given = {},
) => ({
  queue: isolatingQueue(),
  submissions: waitingMembers(size),
  runs: [failedBatch(size, bisection), ...parts],
  ...patch,
});
export const builtIn = (outcome: Outcome) =>
  outcome.effects('build_candidate').map(({ parts }) => parts.map(({ pr }) => pr).join('+'));
