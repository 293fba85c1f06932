import { runIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { beingBuilt } from '../../../../test/being-built.js';
import {
  aBatchRun,
  answerTo,
  aQuietQueue,
  aTestedSubmission,
  decided,
  passedBy,
  touching,
} from '../../../../test/rules.js';
import type { TestRun } from '../../../model/run.js';

const building: Partial<TestRun> = { id: runIdOf(50), ...beingBuilt };

test('if a combined candidate cannot be built, a pass on top of the pull request at fault does not prove it again', () => {
  const passed = passedBy();
  const [below, onTop] = [aBatchRun([1], [], passed), aBatchRun([2], [1], passed)];
  const outcome = decided(
    {
      queue: aQuietQueue({ mode: 'parallel', canOptimisticallyMerge: true, concurrency: 4 }),
      submissions: [1, 2].map((pr) => aTestedSubmission(pr, { state: 'tests_passed' })),
      runs: [
        below,
        onTop,
        aBatchRun([1, 2], [], {
          ...building,
          purpose: { kind: 'compose', vouchers: [below.id, onTop.id] },
        }),
      ],
      targets: [touching(1, ['a']), touching(2, ['a'])],
    },
    [
      {
        ...{ ...answerTo(1), type: 'candidate_built', runId: runIdOf(50), known: [], pulls: [] },
        outcome: { kind: 'conflicted', pr: 1, with: 'target', paths: [] },
      },
    ],
  );

  expect(outcome.pr(1).state).toBe('testing');
  expect(outcome.moves(2)[0]).toBe('tests_passed>pending PREREQUISITE_MERGE_ITEM_PENDING');
});
