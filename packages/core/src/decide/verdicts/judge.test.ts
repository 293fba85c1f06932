import { aCandidate, aCheck, aPullRequest, aSubmission, effectIdOf, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aLanding,
  anEndedCheck,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  failedBy,
  NOW,
  OTHER_TIP,
} from '../../../test/rules.js';
import type { Conclusion } from '../../model/checks.js';
import { noTrust } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';

const own = (conclusion: Conclusion | null, override = {}) =>
  aCheck({
    runId: runIdOf(1),
    conclusion,
    status: conclusion === null ? 'running' : 'completed',
    startedAt: NOW - 30_000,
    ...override,
  });

const ending = (conclusion: Conclusion, submission: Partial<Submission> = {}, run: Partial<TestRun> = {}) =>
  decided({
    submissions: [aTestedSubmission(1, submission)],
    runs: [aRunOn([1], { checks: [own(conclusion)], ...run })],
  });

describe('the outcome of a run', () => {
  test('a run with a success for every required check has passed', () => {
    const other = own('success', { id: '2', name: 'other' });
    const outcome = ending(
      'success',
      {},
      { checks: [own('success'), other, own('failure', { id: '3', name: 'more' })] },
    );

    expect(outcome.run(1)).toMatchObject({
      state: 'ended',
      outcome: 'passed',
      decidedBy: null,
      endedAt: NOW,
    });
    expect(outcome.moves(1)).toEqual(['testing>tests_passed TEST_RUN_PASSED']);
    expect(outcome.effects('cancel_checks')).toEqual([]);
    expect(outcome.decision.withdraw).toEqual([]);
  });

  test('the queue cancels nothing when all started checks have ended', () => {
    expect(ending('success', {}, { startedChecks: ['build'] }).effects('cancel_checks')).toEqual([]);
  });

  test('a failure at the front of the line is final, names the check and cancels running checks', () => {
    const outcome = ending('failure');

    expect(outcome.moves(1)).toEqual(['testing>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
    expect(outcome.pr(1)).toMatchObject({
      reasonDetail: 'build: failure',
      failedRunId: runIdOf(1),
      place: null,
    });
    expect(outcome.run(1)).toMatchObject({ outcome: 'failed', closedBecause: 'member_left' });
    expect(outcome.effects('cancel_checks')).toMatchObject([{ runId: runIdOf(1), commit: shaOf(0xb001) }]);
    expect(outcome.effects('drop_candidate')).toHaveLength(1);
  });

  test('the queue cancels started checks that are not needed after the verdict', () => {
    const run = {
      startedChecks: ['build', 'lint'],
      checks: [own('success'), own(null, { id: '2', name: 'lint' })],
    };

    expect(ending('success', {}, run).effects('cancel_checks')).toMatchObject([{ names: ['lint'] }]);
  });

  test('the queue cancels started checks although the commit shows ended ones of an earlier run', () => {
    const lint = { name: 'lint', startedAt: NOW - 90_000 };
    const run = {
      startedChecks: ['build', 'lint'],
      checks: [
        own('success'),
        own('success', { ...lint, id: '2', runId: runIdOf(9) }),
        own(null, { id: '3', name: 'lint' }),
      ],
    };

    expect(ending('success', {}, run).effects('cancel_checks')).toMatchObject([{ names: ['lint'] }]);
  });

  test('the queue shows the summary of the check if it has one', () => {
    const outcome = ending('failure', {}, { checks: [own('failure', { summary: '3 tests failed' })] });

    expect(outcome.pr(1).reasonDetail).toBe('build: 3 tests failed');
  });

  test('a check that timed out in the CI is a timeout', () => {
    expect(ending('timed_out').moves(1)).toEqual(['testing>failed TEST_RUN_TIMEOUT']);
  });

  test.each([
    ['infrastructure', 'TEST_RUN_INFRASTRUCTURE'],
    ['cancelled', 'TEST_RUN_CANCELLED'],
  ] as const)(
    'a run that ended as %s is repeated in its place, later each time, until the budget is spent',
    (conclusion, reason) => {
      const first = ending(conclusion);
      expect(first.pr(1)).toMatchObject({
        state: 'testing',
        place: 1,
        retries: 1,
        retryAt: NOW + 30_000,
      });
      expect(first.waits(1)).toBe('retry');
      expect(first.closed(1)).toBe('judged');
      expect(first.decision.wakeAt).toBe(NOW + 30_000);
      expect(ending(conclusion, { retries: 1 }).pr(1)).toMatchObject({ retries: 2, retryAt: NOW + 60_000 });

      expect(ending(conclusion, { retries: 2 }).moves(1)).toEqual([`testing>failed ${reason}`]);
    },
  );

  test('the queue starts checks without a pass, each once', () => {
    const queue = aQuietQueue({ requiredStatuses: ['build', 'lint', 'audit'] });
    const run = aRunOn([1], { startedChecks: ['build'], checks: [own('success', { name: 'lint' })] });
    const outcome = decided({ queue, submissions: [aTestedSubmission(1)], runs: [run] });
    const [effect] = outcome.effects('start_checks');

    expect(effect).toMatchObject({ runId: run.id, commit: shaOf(0xb001), names: ['audit'] });
    expect(outcome.run(1)).toMatchObject({ starting: effect?.id, startedChecks: ['build', 'audit'] });
  });

  test('the queue starts no more checks while a start is under way', () => {
    const run = aRunOn([1], { startedChecks: [], starting: effectIdOf(4) });
    const outcome = decided({ submissions: [aTestedSubmission(1)], runs: [run] });

    expect(outcome.effects('start_checks')).toEqual([]);
  });

  test('the queue withdraws a start that no performer holds when the run ends first', () => {
    const outcome = ending('failure', {}, { starting: effectIdOf(4) });

    expect(outcome.decision.withdraw).toEqual([effectIdOf(4)]);
    expect(outcome.run(1).starting).toBeNull();
  });

  test('the queue ignores a failure without a run id that started before the run', () => {
    const old = own('failure', { runId: null, startedAt: NOW - 60_001 });

    expect(ending('failure', {}, { checks: [old] }).pr(1).state).toBe('testing');
  });

  test('the queue judges a passed run by the checks that are required now', () => {
    const [one, run] = aPassed([1]);
    const outcome = decided({
      queue: aQuietQueue({ requiredStatuses: ['build', 'audit'] }, { wanted: 'paused' }),
      submissions: [one],
      runs: [run],
    });

    expect(outcome.closed(1)).toBe('tests_incomplete');
    expect(outcome.moves(1)).toEqual(['tests_passed>pending REQUIRED_STATUSES_CHANGED']);
    expect(outcome.pr(1).place).toBe(1);
  });

  test('the queue keeps the proof of what is being landed', () => {
    const [one, run] = aPassed([1]);
    const queue = aQuietQueue({ requiredStatuses: ['audit'] }, { landing: aLanding(run) });
    const outcome = decided({ queue, submissions: [one], runs: [run], underWay: [effectIdOf(1)] });

    expect(outcome.moves(1)).toEqual([]);
    expect(outcome.closed(1)).toBeNull();
  });

  test('the queue uses the checks required at the start when none are required any more', () => {
    const target = aTarget({ requiredChecks: null });
    const run = aRunOn([1], { checks: [own('success')] });
    const outcome = decided({
      queue: aQuietQueue({}, { target, wanted: 'paused' }),
      submissions: [aTestedSubmission(1)],
      runs: [run],
    });

    expect(outcome.pr(1).state).toBe('tests_passed');
  });

  test('the queue does not judge an ended run a second time', () => {
    const run = aRunOn([1], {
      state: 'ended',
      outcome: 'failed',
      decidedBy: own('failure'),
      checks: [own('success')],
    });
    const outcome = decided({ submissions: [aTestedSubmission(1)], runs: [run] });

    expect(outcome.pr(1).state).toBe('failed');
  });
});

describe('whether a failure counts', () => {
  const failed = (override: Partial<TestRun> = {}) =>
    aRunOn([1, 2], { state: 'ended', outcome: 'failed', decidedBy: own('failure'), ...override });
  const suspect = aTestedSubmission(2, { state: 'pending_failure', failedRunId: runIdOf(2) });
  const queue = aQuietQueue({ concurrency: 2 });

  test('a pull request that failed on an undecided one waits, and blocks no others', () => {
    const outcome = decided({
      queue,
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aSubmission(3)],
      runs: [aRunOn([1]), failed()],
    });

    expect(outcome.moves(2)).toEqual(['testing>pending_failure TEST_RUN_REQUIRED_STATUS_FAILED']);
    expect(outcome.pr(2)).toMatchObject({ failedRunId: runIdOf(2) });
    expect(outcome.waits(2)).toBe('verdicts_ahead');
    expect(outcome.open).toEqual(['1', '1+2', '1+3']);
  });

  test('it waits while those below it may still land', () => {
    const outcome = decided({
      queue,
      submissions: [aTestedSubmission(1), suspect],
      runs: [aRunOn([1]), failed()],
    });

    expect(outcome.pr(2).state).toBe('pending_failure');
    expect(outcome.decision.writes.history).toEqual([]);
  });

  test('it fails once everything below it has landed as it was tested', () => {
    const head = aCandidate([1, 2]).steps[0]!.commit;
    const tipTrust = { ...noTrust(head), passes: ['build'] };
    const onHead = aQuietQueue({ concurrency: 2 }, { target: aTarget({ head }), tipTrust });
    const runs = [failed({ landed: [1], onto: head })];
    const outcome = decided({ queue: onHead, submissions: [suspect], runs });

    expect(outcome.moves(2)).toEqual(['pending_failure>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
    expect(outcome.pr(2).reasonDetail).toBe('build: failure');
  });

  test('its run is closed as for a moved target when the target was pushed to', () => {
    const given = { submissions: [aTestedSubmission(1), suspect], runs: [failed({ onto: OTHER_TIP })] };
    const outcome = decided({ queue: { ...queue, wanted: 'paused' }, ...given });

    expect(outcome.moves(2)).toEqual(['pending_failure>pending MANUAL_PUSH_TO_TARGET_BRANCH']);
    expect(outcome.closed(2)).toBe('target_moved');
  });

  test.each<[string, string, Partial<Submission>[], Partial<TestRun>]>([
    ['one below it left', 'PREREQUISITE_MERGE_ITEM_CANCELLED', [], {}],
    ['one below it is in another attempt', 'PREREQUISITE_MERGE_ITEM_CANCELLED', [{ attempt: 2 }], {}],
    [
      'one below it conflicts with others',
      'PREREQUISITE_MERGE_ITEM_PENDING',
      [{ place: 5, heldBy: suspect.id, state: 'pending' }],
      {},
    ],
  ])('it is tested again when %s', (_, reason, below, run) => {
    const outcome = decided({
      queue: { ...queue, wanted: 'paused' },
      submissions: [...below.map((part) => aTestedSubmission(1, part)), suspect],
      runs: [failed(run)],
    });

    expect(outcome.moves(2)).toEqual([`pending_failure>pending ${reason}`]);
    expect(outcome.pr(2)).toMatchObject({ failedRunId: null });
    expect(outcome.closed(2)).toBe('superseded');
  });

  test('it is tested again when a pull request below failed', () => {
    const first = aRunOn([1], { state: 'ended', outcome: 'failed', decidedBy: own('failure') });
    const outcome = decided({ queue, submissions: [aTestedSubmission(1), suspect], runs: [first, failed()] });

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.moves(2)[0]).toBe('pending_failure>pending PREREQUISITE_MERGE_ITEM_FAILED');
  });

  test('it is tested again when a pull request below failed as well and waits itself', () => {
    const below = aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) });
    const first = aRunOn([9, 1], { state: 'ended', outcome: 'failed' });
    const second = aRunOn([9, 1, 2], { state: 'ended', outcome: 'failed' });
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 9 }),
      submissions: [aTestedSubmission(9, { place: 0 }), below, suspect],
      runs: [aRunOn([9]), first, second],
    });

    expect(outcome.moves(2)[0]).toBe('pending_failure>pending PREREQUISITE_MERGE_ITEM_FAILED');
    expect(outcome.pr(1).state).toBe('pending_failure');
  });

  test('it is tested again in the same decision in which a pull request below loses its readiness', () => {
    const unready = aPullRequest(1, { mergeability: 'not_mergeable' });
    const outcome = decided({
      queue,
      submissions: [aTestedSubmission(1, { pull: unready }), suspect],
      runs: [aRunOn([1]), failed()],
    });

    expect(outcome.moves(2)).toEqual([
      'pending_failure>pending PREREQUISITE_MERGE_ITEM_PENDING',
      'pending>testing CAPACITY_AVAILABLE',
    ]);
  });

  test('a batch member that another run has passed does not fail', () => {
    const [passed, proof] = aPassed([9, 1]);
    const outcome = decided({
      queue: aQuietQueue({ batch: true, concurrency: 3 }),
      submissions: [
        aTestedSubmission(9, { place: 0 }),
        { ...passed, batch: 1 },
        aTestedSubmission(2, { batch: 1 }),
      ],
      runs: [
        aRunOn([9]),
        proof,
        aBatchRun([1, 2], [9], { id: runIdOf(30), checks: [anEndedCheck('failure')] }),
      ],
    });

    expect(outcome.pr(1)).toMatchObject({ state: 'tests_passed', failedRunId: null });
    expect(outcome.pr(2)).toMatchObject({ state: 'pending_failure', failedRunId: runIdOf(30) });
  });

  test('nothing counts against it once the failed run is gone', () => {
    const outcome = decided({ queue: { ...queue, wanted: 'paused' }, submissions: [suspect] });

    expect(outcome.moves(2)).toEqual(['pending_failure>pending PREREQUISITE_MERGE_ITEM_PENDING']);
  });

  test('a failure on a target that was pushed to does not count, and the pull request loses its place', () => {
    const failed = aRunOn([1], failedBy());
    const outcome = decided({
      queue: aQuietQueue({}, { target: aTarget({ head: OTHER_TIP, readAt: null }) }),
      submissions: [aTestedSubmission(1, { state: 'pending_failure', failedRunId: failed.id })],
      runs: [failed],
    });

    expect(outcome.moves(1)).toEqual(['pending_failure>pending MANUAL_PUSH_TO_TARGET_BRANCH']);
    expect(outcome.pr(1).place).toBeNull();
  });
});
