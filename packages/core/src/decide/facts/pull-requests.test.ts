import { effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { answerTo, aQuietQueue, aTestedSubmission, decided, NOW } from '../../../test/rules.js';

test('one that the host does not show, and that has left meanwhile, is no news', () => {
  const queue = aQuietQueue({}, { wanted: 'paused' });
  const asked = { ...queue.polls.pullRequests, asked: effectIdOf(1) };
  const outcome = decided(
    {
      queue: { ...queue, polls: { ...queue.polls, pullRequests: asked } },
      submissions: [aTestedSubmission(1)],
    },
    [{ ...answerTo(1), type: 'pull_requests_seen', pulls: [], missing: [77, 1] }],
  );

  expect(outcome.pr(1).missingSince).toBe(NOW);
  expect(outcome.decision.writes.submissions.map(({ pr }) => pr)).toEqual([1]);
});
