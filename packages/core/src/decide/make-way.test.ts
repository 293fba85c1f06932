import { aSubmission } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aBatchRun, aQuietQueue, aRunOn, aTestedSubmission, decided, touching } from '../../test/rules.js';

test('an urgent one stops whoever stands last, where one of a batch is behind all others', () => {
  const outcome = decided({
    queue: aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 2 }),
    submissions: [
      aTestedSubmission(1, { batch: 1, place: 1 }),
      aTestedSubmission(2, { batch: 1, place: 9 }),
      aTestedSubmission(3, { place: 5 }),
      aSubmission(4, { skipTheLine: true }),
    ],
    runs: [aBatchRun([1, 2]), aRunOn([3])],
    targets: [1, 2, 3, 4].map((pr) => touching(pr, [pr === 2 ? '1' : `${pr}`])),
  });

  expect([outcome.closed(1), outcome.closed(3)]).toEqual(['interrupted', null]);
});

test('who begins is on record with the run that tests it', () => {
  const { decision } = decided({ submissions: [aSubmission(1)] });
  const [run] = decision.writes.runs;

  expect(decision.writes.history).toContainEqual(
    expect.objectContaining({ type: 'moved', to: 'testing', runId: run?.id }),
  );
});
