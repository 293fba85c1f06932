import { runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  failedBy,
  NOW,
} from '../../test/rules.js';
import { codesOf, waitOf } from '../../test/waits.js';
import { theQueue } from '../model/actor.js';

const heldBack = (pr: number) =>
  aTestedSubmission(pr, { state: 'pending_failure', failedRunId: runIdOf(pr) });

describe('a paused queue', () => {
  test('a pause is not shown to pull requests whose wait ends with a landing under way', () => {
    const [passed, run] = aPassed([1]);
    const codesIn = (landing: ReturnType<typeof aLanding> | null) =>
      codesOf(
        waitOf(2, {
          queue: aQuietQueue({ concurrency: 2 }, { wanted: 'paused', landing }),
          submissions: [passed, heldBack(2)],
          runs: [run, aRunOn([1, 2], failedBy())],
        }),
      );

    expect(codesIn(aLanding(run))).toEqual(['verdicts_ahead', 'landing']);
    expect(codesIn(null)).toEqual(['verdicts_ahead', 'queue_paused']);
  });

  test('a queue paused because of a broken target names all pull requests that have passed on it', () => {
    const statusReason = { code: 'BASE_BROKEN', sentence: 'Red.', actor: theQueue, at: NOW } as const;
    const remedyOf = (count: number) => {
      const passed = [aPassed([1]), aPassed([1, 2])].slice(0, count);
      return waitOf(3, {
        queue: aQuietQueue({ concurrency: 3 }, { wanted: 'paused', statusReason }),
        submissions: [...passed.map(([submission]) => submission), heldBack(3)],
        runs: [...passed.map(([, run]) => run), aRunOn([3], failedBy())],
      }).remedy;
    };

    expect(remedyOf(1)).toMatch(/ \(#1 has passed on it, and merges next once the queue runs\), then/);
    expect(remedyOf(2)).toMatch(/ \(#1 and #2 have passed on it, and merge next once the queue runs\), then/);
  });
});
