import { runIdOf, submissionIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { beingBuilt } from '../../../../test/being-built.js';
import {
  answerTo,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  touching,
} from '../../../../test/rules.js';

test('a candidate that cannot be built because its stack lacks something waits until that stack is decided', () => {
  const outcome = decided(
    {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 3 }),
      submissions: [1, 2, 3].map((pr) => aTestedSubmission(pr)),
      runs: [aRunOn([1]), aRunOn([1, 2]), aRunOn([2, 3], { ...beingBuilt, id: runIdOf(9) })],
      targets: [touching(1, ['//a']), touching(2, ['//a', '//b']), touching(3, ['//b'])],
    },
    [
      {
        ...answerTo(1),
        type: 'candidate_built',
        runId: runIdOf(9),
        outcome: { kind: 'conflicted', pr: 2, with: 'target', paths: ['a'] },
        known: [],
        pulls: [],
      },
    ],
  );

  expect(outcome.moves(2)).toEqual([]);
  expect(outcome.moves(3)).toEqual(['testing>pending CONFLICT_WITH_SUBMISSION_AHEAD']);
  expect(outcome.pr(3).heldBy).toBe(submissionIdOf(2));
});
