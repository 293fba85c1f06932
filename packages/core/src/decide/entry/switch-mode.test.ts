import { describe, expect, test } from 'vitest';
import {
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  failedBy,
  OTHER_TIP,
} from '../../../test/rules.js';

const switching = aQuietQueue({}, { nextMode: 'parallel' });

describe('a change of mode', () => {
  test('a change of mode happens once nothing is under test, and counts as a change of settings', () => {
    const { queue } = decided({ queue: switching });

    expect(queue).toMatchObject({ nextMode: null, settingsVersion: 2 });
    expect(queue.settings.mode).toBe('parallel');
  });

  test('a change of mode remembers which pull requests came before parallel mode while that is in force', () => {
    const single = aQuietQueue({ mode: 'parallel' }, { nextMode: 'single', lastBeforeParallel: 3 });

    expect(decided({ queue: switching }).queue.lastBeforeParallel).toBe(switching.sequence);
    expect(decided({ queue: single }).queue.lastBeforeParallel).toBeNull();
  });

  test('a change of mode waits for pull requests that are under test, have passed or wait for a verdict', () => {
    const [passed, run] = aPassed([1]);
    const failed = aRunOn([9, 1], { state: 'ended', outcome: 'failed' });
    const alone = aRunOn([1], failedBy());
    const waiting = [
      decided({ queue: switching, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] }),
      decided({ queue: { ...switching, wanted: 'paused' }, submissions: [passed], runs: [run] }),
      decided({
        queue: switching,
        submissions: [
          aTestedSubmission(9, { place: 0 }),
          aTestedSubmission(1, { state: 'pending_failure', failedRunId: failed.id }),
        ],
        runs: [aRunOn([9]), failed],
      }),
      decided({
        queue: { ...switching, isTipInDoubt: true },
        submissions: [aTestedSubmission(1, { state: 'pending_failure', failedRunId: alone.id })],
        runs: [alone],
      }),
    ];

    expect(waiting.map(({ queue }) => queue.nextMode)).toEqual(Array(4).fill('parallel'));
  });

  test('a change of mode happens in the decision that requeues the last pull request under test', () => {
    const target = aTarget({ head: OTHER_TIP });
    const outcome = decided({
      queue: { ...switching, target },
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1])],
    });

    expect(outcome.queue).toMatchObject({ nextMode: null, settings: { mode: 'parallel' } });
  });

  test('a change of mode does not happen unless it was asked for', () => {
    expect(decided({ queue: aQuietQueue() }).queue.settingsVersion).toBe(1);
  });
});
