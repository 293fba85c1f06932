import { aSubmission } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aQuietQueue, aTarget, decided, NOW } from '../../../test/rules.js';

test('no pull request is failed for a lack of required checks before the target was read', () => {
  const stateAt = (readAt: number | null) =>
    decided({
      queue: aQuietQueue({}, { target: aTarget({ requiredChecks: [], readAt }) }),
      submissions: [aSubmission(1)],
    }).pr(1).state;

  expect([stateAt(null), stateAt(NOW)]).toEqual(['pending', 'failed']);
});
