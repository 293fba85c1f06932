import { aCandidate, effectIdOf, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  anEndedCheck,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  failedBy,
  NOW,
  OTHER_TIP,
  passedBy,
  TIP,
  touching,
} from '../../../test/rules.js';
import { KNOWN_BASES_LIMIT, noTrust, type TipTrust } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';

const trusting = (passes: readonly string[], groundTrust: readonly TipTrust[], settings = {}) =>
  aQuietQueue(settings, { tipTrust: { ...noTrust(TIP), passes }, groundTrust });

describe('results of an earlier base', () => {
  const known = (override: Partial<TipTrust> = {}) => ({ ...noTrust(OTHER_TIP), ...override });
  const beside = { base: OTHER_TIP, beside: [{ head: TIP, prs: [7] }] };
  const failingBeside = (trust: Partial<TipTrust>) =>
    decided({
      queue: trusting(['build'], [known(trust)]),
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1], { checks: [anEndedCheck('failure')], ...beside })],
    });

  test('results of an earlier base count for runs on that base, and results of the present one do not', () => {
    expect(failingBeside({ passes: ['build'] }).pr(1).state).toBe('failed');
    const unknown = failingBeside({});
    expect(unknown.pr(1).state).toBe('pending_failure');
    expect(unknown.effects('build_candidate')).toMatchObject([{ base: OTHER_TIP, parts: [] }]);
  });

  test('an earlier base that fails by itself has its failed runs tested again, in their places', () => {
    const outcome = failingBeside({ fails: ['build'] });

    expect(outcome.moves(1).slice(1, 2)).toEqual(['pending_failure>pending BASE_BROKEN']);
    expect(outcome.pr(1)).toMatchObject({ state: 'testing', place: 1 });
    expect(outcome.queue.wanted).toBe('running');
  });

  test('an earlier base that fails a check which had not ended in time has the runs on it tested again', () => {
    const names = ['build', 'lint'];
    const outcome = decided({
      queue: trusting(['lint'], [known({ fails: ['build'] })], { requiredStatuses: names }),
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1], { requiredChecks: names, expired: 'no_verdict', ...beside })],
    });

    expect(outcome.moves(1).slice(0, 2)).toEqual([
      'testing>pending_failure TEST_RUN_TIMEOUT',
      'pending_failure>pending BASE_BROKEN',
    ]);
  });

  test('results of an earlier base stay when a pull request lands beside failed runs on it, and its baseline run continues', () => {
    const asked = [{ check: 'build', failedBy: runIdOf(1) }];
    const trust = { ...noTrust(TIP), passes: ['lint'], asked };
    const [two, run2] = aPassed([2], { checks: [] });
    const queue = aQuietQueue({ mode: 'parallel' }, { tipTrust: trust, landing: aLanding(run2) });
    const failed = aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) });
    const control: Partial<TestRun> = { purpose: { kind: 'control', isFresh: false }, stack: [], batch: [] };
    const { commit: head, tree } = aCandidate([2]);
    const outcome = decided(
      {
        queue,
        submissions: [failed, two],
        runs: [aRunOn([1], failedBy()), run2, aRunOn([9], control)],
        targets: [touching(1, ['a']), touching(2, ['b'])],
        underWay: [effectIdOf(1)],
      },
      [{ ...answerTo(1), type: 'land_finished', runId: run2.id, outcome: { kind: 'landed', head, tree } }],
    );

    expect(outcome.pr(2).state).toBe('merged');
    expect(outcome.closed(9)).toBeNull();
    expect(outcome.queue.groundTrust).toEqual([trust]);
  });

  test('results of an earlier base are learnt from a passed run on top of it, unless its baseline run failed or the check was skipped', () => {
    const passesOnTop = (trust: Partial<TipTrust>, check = anEndedCheck('success')) =>
      decided({
        queue: trusting(['build'], [known(trust)], { mode: 'parallel' }),
        submissions: [1, 2].map((pr) => aTestedSubmission(pr)),
        targets: [1, 2].map((pr) => touching(pr, [`//${pr}`])),
        runs: [aRunOn([1], beside), aRunOn([2], { ...beside, checks: [check] })],
      }).queue.groundTrust[0]?.passes;

    expect(passesOnTop({})).toEqual(['build']);
    expect(passesOnTop({ failedOnce: ['build'] })).toEqual([]);
    expect(passesOnTop({ fails: ['build'] })).toEqual([]);
    expect(passesOnTop({}, anEndedCheck('skipped'))).toEqual([]);
  });

  test('results of an earlier base are learnt only from runs on top of that base', () => {
    const { queue } = decided({
      queue: trusting([], [known()], { mode: 'parallel' }),
      submissions: [1, 2].map((pr) => aTestedSubmission(pr)),
      targets: [1, 2].map((pr) => touching(pr, [`//${pr}`])),
      runs: [aRunOn([1], beside), aRunOn([2], { checks: [anEndedCheck('success')] })],
    });

    expect([queue.groundTrust[0]?.passes, queue.tipTrust.passes]).toEqual([[], ['build']]);
  });

  test('results of an earlier base are learnt for a new tip from what had passed on top of it before it landed', () => {
    const skipped = [anEndedCheck('skipped')];
    const [one, run1] = aPassed([1], { checks: skipped });
    const [two, run2] = aPassed([1, 2]);
    const { commit: head, tree } = aCandidate([1]);
    const { queue } = decided(
      {
        queue: aQuietQueue({ mode: 'parallel' }, { landing: aLanding(run1) }),
        submissions: [one, { ...two, missingSince: NOW }],
        targets: [1, 2].map((pr) => touching(pr, ['a'])),
        runs: [run1, run2],
        underWay: [effectIdOf(1)],
      },
      [{ ...answerTo(1), type: 'land_finished', runId: run1.id, outcome: { kind: 'landed', head, tree } }],
    );

    expect(queue.tipTrust).toMatchObject({ head, passes: ['build'] });
  });

  test('results of an earlier base do not pause the queue when its baseline run fails', () => {
    const control: Partial<TestRun> = { purpose: { kind: 'control', isFresh: false }, stack: [], batch: [] };
    const asked = [{ check: 'build', failedBy: runIdOf(1) }];
    const { queue } = decided({
      queue: trusting([], [known({ asked })], { requiredStatuses: ['build'] }),
      submissions: [aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) })],
      runs: [
        aRunOn([1], { ...failedBy(), ...beside }),
        aRunOn([9], { ...failedBy(), ...control, ...beside }),
      ],
    });

    expect(queue.wanted).toBe('running');
  });

  test('results of an earlier base are dropped with the last run that may fail on top of it', () => {
    const kept = (run: Partial<TestRun>) => {
      const queue = trusting([], [known()]);
      const given = { queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1], run)] };
      return decided(given).queue.groundTrust.length;
    };

    expect([kept(beside), kept({}), kept({ ...beside, ...passedBy() })]).toEqual([1, 0, 0]);
  });

  test('results of an earlier base are dropped with its baseline run when no run waits for it any more', () => {
    const control: Partial<TestRun> = { purpose: { kind: 'control', isFresh: false }, stack: [], batch: [] };
    const outcome = decided({
      queue: trusting([], [known({ asked: [{ check: 'build', failedBy: runIdOf(1) }] })]),
      submissions: [aTestedSubmission(2)],
      runs: [aRunOn([2]), aRunOn([9], { ...control, ...beside })],
    });

    expect(outcome.closed(9)).toBe('superseded');
    expect(outcome.queue.groundTrust).toEqual([]);
  });

  test('results of an earlier base are limited to the latest ones', () => {
    const numbers = Array.from({ length: KNOWN_BASES_LIMIT + 1 }, (_, index) => index + 1);
    const groundTrust = numbers.map((number) => known({ head: shaOf(1_000 + number) }));
    const outcome = decided({
      queue: trusting([], groundTrust, { mode: 'parallel' }),
      targets: numbers.map((pr) => touching(pr, [`//${pr}`])),
      submissions: numbers.map((pr) => aTestedSubmission(pr)),
      runs: numbers.map((pr) => aRunOn([pr], { ...beside, base: shaOf(1_000 + pr) })),
    });

    expect(outcome.queue.groundTrust).toEqual(groundTrust.slice(1));
  });
});
