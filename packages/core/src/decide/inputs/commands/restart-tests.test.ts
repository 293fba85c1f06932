import { anActor, anEndedSubmission, aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  decided,
  NOW,
} from '../../../../test/rules.js';
import type { RestartTests } from '../../../model/input.js';
import type { Submission } from '../../../model/submission.js';

const restart = (pr: number): RestartTests => ({ ...asked(), type: 'restart_tests', pr });

describe('restarting tests', () => {
  test('restarting tests tests the same again in its place, with fresh evidence and a new retry budget', () => {
    const live = aTestedSubmission(1, { retries: 2, place: 4 });
    const outcome = decided({ submissions: [live], runs: [aRunOn([1])] }, [restart(1)]);

    expect(outcome.closed(1)).toBe('restarted');
    expect(outcome.moves(1)).toEqual([
      'testing>pending TESTS_RESTARTED_BY_API_REQUEST',
      'pending>testing CAPACITY_AVAILABLE',
    ]);
    expect(outcome.pr(1)).toMatchObject({ place: 4, message: live.message, retries: 0 });
    expect(outcome.open).toEqual(['1']);
    const [, requeued] = outcome.decision.writes.history.filter(({ type }) => type !== 'run');
    expect(requeued).toMatchObject({ to: 'pending', actor: anActor });
  });

  test('restarting tests starts at once for a pull request that waits for a retry', () => {
    const outcome = decided({ submissions: [aTestedSubmission(1, { retryAt: NOW + 9_000, retries: 1 })] }, [
      restart(1),
    ]);

    expect(outcome.open).toEqual(['1']);
  });

  test('restarting tests drops a failure that is not settled yet', () => {
    const failed = aRunOn([1, 2], { state: 'ended', outcome: 'failed' });
    const two = aTestedSubmission(2, { state: 'pending_failure', failedRunId: failed.id });
    const outcome = decided(
      {
        queue: aQuietQueue({ concurrency: 2 }),
        submissions: [aTestedSubmission(1), two],
        runs: [aRunOn([1]), failed],
      },
      [restart(2)],
    );

    expect(outcome.pr(2)).toMatchObject({ state: 'testing', failedRunId: null });
    expect(outcome.open).toEqual(['1', '1+2']);
  });

  test('restarting tests does not restart tests of other pull requests', () => {
    const outcome = decided(
      {
        queue: aQuietQueue({ concurrency: 2 }),
        submissions: [aTestedSubmission(1), aTestedSubmission(2)],
        runs: [aRunOn([1]), aRunOn([1, 2])],
      },
      [restart(1)],
    );

    expect(outcome.moves(2)).toEqual([]);
  });

  test('restarting tests does not start waiting pull requests of other batches, or batch mates with tests of their own', () => {
    const holding = { retryAt: NOW + 9_000, retries: 1 };
    const restarted = (...submissions: readonly Submission[]) =>
      decided({ submissions, runs: [aRunOn([2])] }, [restart(1)]);
    const alone = restarted(aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3, holding));
    const together = restarted(
      aTestedSubmission(1, { ...holding, batch: 1 }),
      aTestedSubmission(2, { batch: 1 }),
      aTestedSubmission(3, { ...holding, batch: 3 }),
      aTestedSubmission(4, { ...holding, batch: 1 }),
    );

    expect(alone.pr(3)).toMatchObject(holding);
    expect(together.pr(3)).toMatchObject(holding);
    expect(together.moves(2)).not.toContain('testing>pending TESTS_RESTARTED_BY_API_REQUEST');
    expect(together.pr(4)).toMatchObject({ retries: 0, retryAt: null });
  });

  test('restarting tests is finished also while the queue drains', () => {
    const outcome = decided(
      {
        queue: aQuietQueue({}, { wanted: 'draining' }),
        submissions: [aTestedSubmission(1)],
        runs: [aRunOn([1])],
      },
      [restart(1)],
    );

    expect(outcome.pr(1).state).toBe('testing');
  });

  test('restarting tests is refused when there are no tests to restart', () => {
    const [passed, run] = aPassed([1]);
    const paused = aQuietQueue({}, { wanted: 'paused' });

    expect(decided({}, [restart(1)]).refusal).toBe('NOT_SUBMITTED');
    expect(
      decided({}, [restart(1)], { recalled: { submissions: [anEndedSubmission(1)], targets: [] } }).refusal,
    ).toBe('NO_RUN_TO_RESTART');
    expect(decided({ queue: paused, submissions: [aSubmission(1)] }, [restart(1)]).refusal).toBe(
      'NO_RUN_TO_RESTART',
    );
    expect(decided({ queue: paused, submissions: [passed], runs: [run] }, [restart(1)]).refusal).toBe(
      'NO_RUN_TO_RESTART',
    );
  });
});
