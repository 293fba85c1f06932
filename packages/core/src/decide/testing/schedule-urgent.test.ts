import { aSubmission } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aQuietQueue, aRunOn, aTestedSubmission, decided, touching } from '../../../test/rules.js';

test('pull requests behind an urgent batch start in the same decision, on the line that this batch leaves', () => {
  const outcome = decided({
    queue: aQuietQueue(
      { mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 3 },
      { lastPlace: 7 },
    ),
    submissions: [
      aTestedSubmission(1, { state: 'pending', skipTheLine: true, place: 2, batch: 2 }),
      aTestedSubmission(2, { state: 'pending', place: 5, batch: 2 }),
      aTestedSubmission(3, { place: 4 }),
      aSubmission(4, { noBatch: true }),
    ],
    runs: [aRunOn([3])],
    targets: [touching(1, ['a']), touching(2, ['a']), touching(3, ['b']), touching(4, ['a', 'b'])],
  });

  const begun = outcome.decision.writes.runs.find(({ batch }) => batch[0]?.pr === 4);
  expect(begun?.stack.map(({ pr }) => pr)).toEqual([1, 2, 3]);
});
