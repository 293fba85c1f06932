import { runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aControl,
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  failedBy,
  type Given,
  NOW,
  OTHER_TIP,
  passedBy,
  TIP,
  touching,
} from '../../../test/rules.js';
import { noTrust, type TipTrust } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import { defaultPace } from '../draft/context.js';

const names = ['build', 'lint'];
const both = { mode: 'parallel', concurrency: 2, requiredStatuses: names } as const;
const trusting = (trust: Partial<TipTrust>, override = {}) =>
  aQuietQueue(both, { tipTrust: { ...noTrust(TIP), ...trust }, ...override });
const failing = (name: string): Partial<TestRun> => ({
  requiredChecks: names,
  ...failedBy(anEndedCheck('failure', { name })),
});
const blamed = (pr: number) => aTestedSubmission(pr, { state: 'pending_failure', failedRunId: runIdOf(pr) });
/** #1 has failed and waits for what the tip says; #2, in another lane, has just failed. */
const two = (
  trust: Partial<TipTrust>,
  check: string,
  tip = aControl(),
): Given & { readonly runs: readonly TestRun[] } => ({
  queue: trusting(trust),
  submissions: [blamed(1), aTestedSubmission(2)],
  runs: [aRunOn([1], failing('build')), aRunOn([2], failing(check)), tip],
  targets: [touching(1, ['a']), touching(2, ['b'])],
});
const doubtOf = (check: string, pr: number) => ({ check, failedBy: runIdOf(pr) });

describe('the checks that a base is tested for', () => {
  test('the checks that a base is tested for include each check that a pull request fails, also while another one is in doubt', () => {
    const asked = [doubtOf('build', 1)];

    expect(decided(two({ asked }, 'lint')).queue.tipTrust.asked).toEqual([...asked, doubtOf('lint', 2)]);
  });

  test('the checks that a base is tested for stay in doubt when the first of several pull requests that failed it leaves', () => {
    const asked = [doubtOf('build', 1)];

    expect(decided(two({ asked }, 'build')).queue.tipTrust.asked).toEqual([...asked, doubtOf('build', 2)]);
  });

  test('the checks that a base is tested for include each check that did not end in time', () => {
    const late: Partial<TestRun> = { requiredChecks: names, expired: 'no_verdict' };
    const waiting = (passes: readonly string[]) =>
      decided({
        queue: trusting({ passes }),
        submissions: [aTestedSubmission(1)],
        runs: [aRunOn([1], late)],
      });

    expect(waiting([]).queue.tipTrust.asked).toEqual([doubtOf('build', 1), doubtOf('lint', 1)]);
    expect(waiting(['lint']).queue.tipTrust.asked).toEqual([doubtOf('build', 1)]);
    expect(waiting(['lint']).pr(1).state).toBe('pending_failure');
    expect(waiting(['build', 'lint']).pr(1).state).toBe('failed');
  });

  test('the checks that a base is tested for do not include a check that the base is known to pass', () => {
    const outcome = decided(two({ asked: [doubtOf('build', 1)], passes: ['lint'] }, 'lint'));

    expect(outcome.pr(2).state).toBe('failed');
    expect(outcome.pr(1).state).toBe('pending_failure');
  });
});

describe('the baseline run of a base', () => {
  test('the baseline run of a base continues while one of its checks is in doubt', () => {
    const tip = aControl({ requiredChecks: ['lint', 'build'] });

    expect(decided(two({ asked: [doubtOf('build', 1)] }, 'build', tip)).closed(50)).toBeNull();
  });

  test('the baseline run of a base leaves other checks in doubt, also while no pull request may be failed', () => {
    const { queue, ...given } = two(
      { asked: [doubtOf('build', 1), doubtOf('lint', 2)], fails: ['lint', 'build'] },
      'lint',
      aControl(passedBy()),
    );
    const outcome = decided({ ...given, queue: { ...queue!, isTipInDoubt: true } });

    expect(outcome.queue.tipTrust).toMatchObject({ asked: [doubtOf('lint', 2)], fails: ['lint'] });
    expect(outcome.effects('build_candidate')).toMatchObject([{ base: TIP, parts: [] }]);
  });

  test('the baseline run of a base says nothing once the target was moved back to its base', () => {
    const outcome = decided({
      queue: trusting({}),
      runs: [aControl({ ...failedBy(), onto: OTHER_TIP, beside: [{ head: OTHER_TIP, prs: [7] }] })],
    });

    expect(outcome.closed(50)).toBe('judged');
    expect(outcome.queue).toMatchObject({ wanted: 'running', tipTrust: noTrust(TIP) });
  });

  test('the baseline run of a base is repeated when the check was redefined meanwhile', () => {
    const after = (digest: string) => {
      const target = aTarget({ digests: { build: digest } });
      const passed = anEndedCheck('success', { runId: runIdOf(50), digest: 'old' });
      return decided({
        queue: { ...trusting({ asked: [doubtOf('build', 1)] }), target },
        submissions: [blamed(1)],
        runs: [aRunOn([1], failing('build')), aControl(passedBy(passed))],
      });
    };

    expect(after('old').pr(1).state).toBe('failed');
    expect(after('new').pr(1).state).toBe('pending_failure');
    expect(after('new').queue.tipTrust).toMatchObject({ passes: [], tries: 1 });
    expect(after('new').decision.wakeAt).toBe(NOW + defaultPace.retryDelayMs);
  });

  test('the baseline run of a base confirms the checks that it started itself, and those without a known start', () => {
    const confirmed = (run: Partial<TestRun>, trust: Partial<TipTrust> = {}) =>
      decided({
        queue: trusting({ asked: [doubtOf('build', 1)], ...trust }),
        submissions: [blamed(1)],
        runs: [aRunOn([1], failing('build')), aControl({ startedChecks: [], ...run })],
      }).queue.tipTrust.confirmed;
    const fresh = { purpose: { kind: 'control', isFresh: true } } as const;
    const elsewhere = anEndedCheck('success', { runId: null, startedAt: NOW - 1_000 });
    const unclear = { state: 'ended', outcome: 'infrastructure' } as const;

    expect(confirmed({ ...passedBy(), startedChecks: ['build'] })).toEqual(['build']);
    expect(confirmed(passedBy())).toEqual([]);
    expect(confirmed({ ...fresh, ...passedBy(elsewhere) })).toEqual(['build']);
    expect(confirmed(unclear, { tries: defaultPace.retryLimit })).toEqual(['build']);
  });
});

describe('earlier bases', () => {
  const grounds = [shaOf(1_001), shaOf(1_002)] as const;
  const beside = [{ head: TIP, prs: [7] }];
  const on = (pr: number, base: (typeof grounds)[number]) =>
    aRunOn([pr], { ...failing('build'), base, beside });

  test('earlier bases are tested beside the present one and beside each other', () => {
    const groundTrust = grounds.map((head) => noTrust(head));
    const outcome = decided({
      queue: trusting({}, { groundTrust }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [on(1, grounds[0]), on(2, grounds[1])],
      targets: [touching(1, ['a']), touching(2, ['b'])],
    });

    expect(outcome.effects('build_candidate').map(({ base }) => base)).toEqual(grounds);
    expect(outcome.queue.groundTrust.map(({ head, asked }) => [head, asked])).toEqual([
      [grounds[0], [doubtOf('build', 1)]],
      [grounds[1], [doubtOf('build', 2)]],
    ]);
  });

  test('earlier bases are not earlier ones when the target was moved back to one of them', () => {
    const outcome = decided({
      queue: trusting({}, { groundTrust: [noTrust(TIP)] }),
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1])],
    });

    expect(outcome.queue.groundTrust).toEqual([]);
  });
});
