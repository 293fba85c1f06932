import { aMember, anActor } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  aWitnessedQueue,
  configureOf,
  decided,
  failedBy,
  NOW,
} from '../../../../test/rules.js';

describe('configuring another setting', () => {
  test('configuring another setting keeps the reason of a queue that has paused itself', () => {
    const statusReason = { code: 'TREE_MISMATCH', sentence: 'Look.', actor: anActor, at: NOW - 1 } as const;
    const given = { queue: aQuietQueue({}, { wanted: 'paused', statusReason }) };

    expect(decided(given, [configureOf({ settings: { concurrency: 2 } })]).queue).toMatchObject({
      wanted: 'paused',
      statusReason,
      askedFor: null,
    });
  });

  test('configuring another setting keeps the commit messages of pull requests that have begun', () => {
    const before = aTestedSubmission(1);
    const outcome = decided({ submissions: [before], runs: [aRunOn([1])] }, [
      configureOf({ settings: { concurrency: 2 } }),
    ]);

    expect(outcome.pr(1).message).toEqual(before.message);
  });

  test('configuring another setting keeps the witnesses that a failure waits for, also when they are no longer tested together', () => {
    const failed = aRunOn([1], { ...failedBy(), witnesses: [aMember(2), aMember(3)] });
    const outcome = decided(
      {
        queue: aWitnessedQueue({ pendingFailureDepth: 1 }),
        submissions: [
          aTestedSubmission(1, { state: 'pending_failure', failedRunId: failed.id }),
          aTestedSubmission(2),
          aTestedSubmission(3),
        ],
        runs: [failed],
      },
      [configureOf({ settings: { concurrency: 2 } })],
    );

    expect(outcome.run(1).witnesses).toEqual(failed.witnesses);
  });
});
