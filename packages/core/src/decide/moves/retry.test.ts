import { expect, test } from 'vitest';
import {
  aBatchRun,
  aDraft,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
} from '../../../test/rules.js';
import { buildLater, nextRetryAt } from './retry.js';

test('a pull request that another run has cleared is not tested again', () => {
  const [second, run] = aPassed([1, 2]);
  const outcome = decided({
    queue: aQuietQueue({ concurrency: 2, canOptimisticallyMerge: true }, { landAfter: NOW + 60_000 }),
    submissions: [aTestedSubmission(1, { state: 'tests_passed' }), second],
    runs: [run],
  });

  expect(outcome.open).toEqual(['1+2']);
});

test('passed pull requests whose combined candidate cannot be built yet are retried later, without another test', () => {
  const [one, run] = aPassed([1]);
  const composed = aBatchRun([1], [], {
    id: aRunOn([7]).id,
    purpose: { kind: 'compose', vouchers: [run.id] },
  });
  const draft = aDraft({ submissions: [one], runs: [run, composed] });

  buildLater(draft, composed, '#1 is being landed.');

  expect(draft.queue.landAfter).toBe(nextRetryAt(draft));
  expect(draft.liveSubmission(1)?.retryAt).toBeNull();
});
