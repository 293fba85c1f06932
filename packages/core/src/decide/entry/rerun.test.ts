import { aCheck, aPullRequest, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
  passedBy,
} from '../../../test/rules.js';
import type { Submission } from '../../model/submission.js';
import { RERUNS_LIMIT } from './rerun.js';

/**
 * #1, which is urgent, has passed, and so has #2 on top of it, with optimistic merging. The check of #1 is started again
 * once more than is awaited.
 */
const startedAgain = (second: Partial<Submission> = {}) =>
  decided({
    queue: aQuietQueue({ canOptimisticallyMerge: true, concurrency: 2 }, { landAfter: NOW + 60_000 }),
    submissions: [
      aTestedSubmission(1, { state: 'tests_passed', skipTheLine: true, reruns: RERUNS_LIMIT - 1 }),
      aTestedSubmission(2, { state: 'tests_passed', ...second }),
    ],
    runs: [
      aRunOn([1], {
        ...passedBy(),
        checks: [
          anEndedCheck('success', { runId: runIdOf(1) }),
          aCheck({
            id: 'again',
            runId: runIdOf(1),
            status: 'running',
            conclusion: null,
            completedAt: null,
            startedAt: NOW - 500,
          }),
        ],
      }),
      aRunOn([1, 2], passedBy(anEndedCheck('success', { runId: runIdOf(2) }))),
    ],
  });

describe('a pull request whose check is started again and again', () => {
  test('a pull request whose check is started again and again stays passed while a pass on top of it proves it', () => {
    const outcome = startedAgain();

    expect(outcome.closed(1)).toBe('tests_incomplete');
    expect(outcome.pr(1)).toMatchObject({ state: 'tests_passed', place: 1, alone: true });
    expect(outcome.pr(2).state).toBe('tests_passed');
  });

  test('a pull request whose check is started again and again is tested again if the one on top of it leaves in the same decision', () => {
    const outcome = startedAgain({ head: aPullRequest(2).head, pull: aPullRequest(2, { head: shaOf(77) }) });

    expect(outcome.pr(2).state).toBe('cancelled');
    expect(outcome.pr(1).state).toBe('testing');
    expect(outcome.open).toEqual(['1']);
  });
});
