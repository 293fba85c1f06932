import { aPullRequest, aSubmission, effectIdOf, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aDraft,
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  NOW,
  OTHER_TIP,
  TIP,
} from '../../../test/rules.js';
import type { TestRun } from '../../model/run.js';
import { positions } from '../line/positions.js';

const two = aQuietQueue({ concurrency: 2 });
const stopped = (head = TIP) =>
  aQuietQueue({ concurrency: 2 }, { wanted: 'paused', target: aTarget({ head }) });

describe('comparing test runs with the line', () => {
  test('the queue stacks each pull request on those ahead that are in play, and leaves out the others', () => {
    const draft = aDraft({
      submissions: [
        aTestedSubmission(1),
        aTestedSubmission(2, { state: 'pending_failure' }),
        aTestedSubmission(3, { heldBy: submissionIdOf(1) }),
        aTestedSubmission(4, { asideSince: NOW }),
        aTestedSubmission(5),
        aSubmission(6),
      ],
    });

    const seen = [...positions(draft)].map(({ member, isInPlay }) => [member.pr, isInPlay]);
    const last = [...positions(draft)].at(-1);
    expect(seen).toEqual([
      [1, true],
      [2, false],
      [3, false],
      [4, false],
      [5, true],
      [6, true],
    ]);
    expect(last?.stack.map((member) => member.pr)).toEqual([1, 5]);
    expect(last?.without.map((member) => member.pr)).toEqual([2, 3, 4]);
  });

  test('the queue keeps runs that still test what would land', () => {
    const outcome = decided({
      queue: two,
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1]), aRunOn([1, 2])],
    });

    expect(outcome.open).toEqual(['1', '1+2']);
    expect(outcome.decision.writes.history).toEqual([]);
  });

  test('the queue keeps a run on the new tip when its stack has landed below it', () => {
    const outcome = decided({
      queue: stopped(OTHER_TIP),
      submissions: [aTestedSubmission(2)],
      runs: [aRunOn([1, 2], { landed: [1], onto: OTHER_TIP })],
    });

    expect(outcome.open).toEqual(['1+2']);
  });

  test('the queue closes all runs on another tip, and requeues their members', () => {
    const outcome = decided({
      queue: aQuietQueue({}, { target: aTarget({ head: OTHER_TIP, readAt: null }) }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1]), aRunOn([1, 2])],
    });

    expect(outcome.open).toEqual([]);
    expect([outcome.closed(1), outcome.closed(2)]).toEqual(['target_moved', 'target_moved']);
    expect(outcome.moves(2)).toEqual(['testing>pending MANUAL_PUSH_TO_TARGET_BRANCH']);
    expect(outcome.pr(2)).toMatchObject({ place: null, message: null });
  });

  test.each([
    ['cancelled', 'PREREQUISITE_MERGE_ITEM_CANCELLED'],
    ['merged', 'PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED'],
  ] as const)(
    'the queue requeues a pull request with the reason when one of its stack is %s',
    (state, reason) => {
      const merged = { branch: 'main', commit: null };
      const pulls = {
        cancelled: aPullRequest(1, { state: 'closed', readAt: NOW }),
        merged: aPullRequest(1, { state: 'merged', merged, readAt: NOW }),
      };
      const queue = stopped();
      const pullRequests = { ...queue.polls.pullRequests, asked: effectIdOf(1) };
      const outcome = decided(
        {
          queue: { ...queue, polls: { ...queue.polls, pullRequests } },
          submissions: [aTestedSubmission(1), aTestedSubmission(2)],
          runs: [aRunOn([1]), aRunOn([1, 2])],
        },
        [{ ...answerTo(1), type: 'pull_requests_seen', pulls: [pulls[state]], missing: [] }],
      );

      expect(outcome.pr(1).state).toBe(state);
      expect(outcome.moves(2)).toEqual([`testing>pending ${reason}`]);
      expect(outcome.closed(2)).toBe('superseded');
    },
  );

  test('the queue names the member that is not ready any more to the others of its batch', () => {
    const outcome = decided({
      queue: stopped(),
      submissions: [aTestedSubmission(1), aTestedSubmission(2, { heldBy: submissionIdOf(1) })],
      runs: [aBatchRun([1, 2])],
    });

    expect(outcome.moves(2)).toEqual(['testing>pending READINESS_LOST']);
    expect(outcome.moves(1)).toEqual(['testing>pending PREREQUISITE_MERGE_ITEM_PENDING']);
    expect([1, 2].map((pr) => outcome.pr(pr).reasonDetail)).toEqual(['#2', null]);
  });

  test('a pull request that is not ready loses its place, also to one behind it that has kept its own', () => {
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 1 }),
      submissions: [
        aTestedSubmission(1, { heldBy: submissionIdOf(9) }),
        aTestedSubmission(2, { heldBy: submissionIdOf(9) }),
        aTestedSubmission(3, { state: 'pending' }),
        aTestedSubmission(9, { place: 0 }),
      ],
      runs: [aRunOn([9]), aRunOn([9, 1])],
    });

    expect(outcome.moves(1)).toEqual(['testing>pending READINESS_LOST']);
    expect(outcome.moves(2)).toEqual(['testing>pending READINESS_LOST']);
    expect([1, 2, 3].map((pr) => outcome.pr(pr).place)).toEqual([null, null, 3]);
  });

  test('the queue closes a combined candidate with the first run that it was made of, and on another tip', () => {
    const [first, second] = [aPassed([1]), aPassed([1, 2])];
    const vouchers = [first[1].id, second[1].id];
    const composed = aBatchRun([1, 2], [], {
      id: runIdOf(70),
      purpose: { kind: 'compose', vouchers },
      state: 'building',
      candidate: null,
    });
    const closed = (run: TestRun, voucher: TestRun = second[1]) =>
      decided({
        queue: stopped(),
        submissions: [first[0], second[0]],
        runs: [first[1], voucher, run],
      }).closed(70);

    expect(closed(composed)).toBeNull();
    expect(closed(composed, { ...second[1], closedAt: NOW, closedBecause: 'judged' })).toBe('superseded');
    expect(closed({ ...composed, purpose: { kind: 'compose', vouchers: [runIdOf(77)] } })).toBe('superseded');
    expect(closed({ ...composed, base: OTHER_TIP })).toBe('target_moved');
    expect(closed({ ...composed, purpose: { kind: 'compose', vouchers: [first[1].id] } })).toBeNull();
    const withoutOne = { queue: stopped(), submissions: [first[0]], runs: [first[1]] };
    const ofBoth: TestRun = { ...composed, purpose: { kind: 'compose', vouchers: [first[1].id] } };
    expect(decided({ ...withoutOne, runs: [first[1], ofBoth] }).closed(70)).toBe('superseded');
  });

  test('a pull request that lost the run that proved it gets that as the reason, and not the loss of the combined candidate', () => {
    const [first, second] = [aPassed([1]), aPassed([1, 2])];
    const composed = aBatchRun([1, 2], [], {
      id: runIdOf(70),
      purpose: { kind: 'compose', vouchers: [first[1].id, runIdOf(77)] },
      state: 'building',
      candidate: null,
    });

    const outcome = decided({
      queue: stopped(),
      submissions: [first[0], second[0]],
      runs: [first[1], composed],
    });

    expect(outcome.moves(1)).toEqual([]);
    expect(outcome.moves(2)).toEqual(['tests_passed>pending PROOF_LOST']);
  });

  test('a pull request stays under test when another valid run tests it as well', () => {
    const outcome = decided({
      queue: stopped(),
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([7, 1], { id: runIdOf(71) }), aRunOn([1])],
    });

    expect(outcome.closed(71)).toBe('superseded');
    expect(outcome.moves(1)).toEqual([]);
  });

  test('a pull request stacked on one that failed and waits for its verdict is tested without it', () => {
    const failed = aRunOn([9, 1], { state: 'ended', outcome: 'failed' });
    const outcome = decided({
      queue: two,
      submissions: [
        aTestedSubmission(9, { place: 1 }),
        aTestedSubmission(1, { place: 2, state: 'pending_failure', failedRunId: failed.id }),
        aTestedSubmission(2, { place: 3 }),
      ],
      runs: [aRunOn([9]), failed, aRunOn([9, 1, 2])],
    });

    expect(outcome.moves(2)[0]).toBe('testing>pending PREREQUISITE_MERGE_ITEM_FAILED');
    expect(outcome.open).toEqual(['9', '9+1', '9+2']);
  });

  test('the queue closes a run whose order differs from the line, or that lacks a pull request ahead of it', () => {
    const submissions = [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3)];
    const runsOf3 = [
      [2, 1, 3],
      [1, 3],
    ];

    for (const content of runsOf3) {
      const outcome = decided({
        queue: stopped(),
        submissions,
        runs: [aRunOn([1]), aRunOn([1, 2]), aRunOn(content)],
      });
      expect(outcome.moves(3)).toEqual(['testing>pending PREREQUISITE_MERGE_ITEM_PENDING']);
    }
  });

  test('the queue closes a run that includes another attempt or head of a pull request ahead', () => {
    const outcome = decided({
      queue: stopped(),
      submissions: [aTestedSubmission(1, { attempt: 2 }), aTestedSubmission(2)],
      runs: [aRunOn([1, 2])],
    });

    expect(outcome.moves(2)).toEqual(['testing>pending PREREQUISITE_MERGE_ITEM_CANCELLED']);
  });

  test('a pull request that waits for its retry keeps its place', () => {
    const outcome = decided({ submissions: [aTestedSubmission(1, { retryAt: NOW + 1 })] });

    expect(outcome.pr(1)).toMatchObject({ state: 'testing', place: 1 });
    expect(outcome.waits(1)).toBe('retry');
    expect(outcome.decision.wakeAt).toBe(NOW + 1);
  });

  test('a change of the merge method closes all runs, and nothing lands by the old method', () => {
    const [one, run] = aPassed([1]);
    const queue = aQuietQueue({ mergeMethod: 'merge_commit' });
    const outcome = decided({ queue, submissions: [one], runs: [run] });

    expect(outcome.moves(1)[0]).toBe('tests_passed>pending MERGE_METHOD_CHANGED');
    expect(outcome.effects('land')).toEqual([]);
    expect(outcome.effects('build_candidate')).toMatchObject([{ method: 'merge_commit' }]);
  });

  test('a pull request that is rebuilt while the queue drains keeps its place and is finished', () => {
    const queue = aQuietQueue({}, { wanted: 'draining', target: aTarget({ head: OTHER_TIP }) });
    const outcome = decided({ queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] });

    expect(outcome.pr(1)).toMatchObject({ state: 'testing', place: 1 });
    expect(outcome.effects('build_candidate')).toMatchObject([{ base: OTHER_TIP }]);
  });

  test('a pull request that lost its run for another reason waits in turn again', () => {
    const outcome = decided({ queue: stopped(), submissions: [aTestedSubmission(1)] });

    expect(outcome.moves(1)).toEqual(['testing>pending RUN_NOT_BUILT']);
  });

  test('a conflict with a pull request ahead lasts until that one is decided', () => {
    const held = aSubmission(2, { heldBy: submissionIdOf(1) });

    const waits = decided({ queue: two, submissions: [aTestedSubmission(1), held], runs: [aRunOn([1])] });
    expect(waits.pr(2)).toMatchObject({
      heldBy: submissionIdOf(1),
      state: 'pending',
    });
    expect(waits.waits(2)).toBe('conflict_ahead');
    expect(decided({ queue: two, submissions: [held] }).pr(2)).toMatchObject({
      heldBy: null,
      state: 'testing',
    });
  });

  test('a pull request that is preempted by an urgent one keeps its place', () => {
    const [urgent, other] = [aTestedSubmission(1, { skipTheLine: true }), aTestedSubmission(2)];
    const outcome = decided({
      queue: stopped(),
      submissions: [urgent, other],
      runs: [aRunOn([1]), aRunOn([2])],
    });

    expect(outcome.moves(2)).toEqual(['testing>pending SKIP_THE_LINE_INTERRUPTED']);
    expect(outcome.pr(2)).toMatchObject({ place: other.place, reasonDetail: '#1' });
  });

  test('a pull request that becomes urgent goes ahead of the one that it conflicts with, if it may begin', () => {
    const begun = aTestedSubmission(1);
    const urgent = aSubmission(2, { skipTheLine: true, heldBy: begun.id });
    const held = (wanted: 'running' | 'draining') =>
      decided({ queue: { ...two, wanted }, submissions: [begun, urgent], runs: [aRunOn([1])] }).pr(2);

    expect(held('running')).toMatchObject({ heldBy: null, state: 'testing' });
    expect(held('draining')).toMatchObject({ heldBy: begun.id, state: 'pending' });
  });

  test('the queue closes a run whose landing has not started, and keeps one that may be landing', () => {
    const [one, run] = aPassed([1]);
    const landing = aLanding(run);
    const given = { queue: { ...stopped(OTHER_TIP), landing }, submissions: [one], runs: [run] };

    expect(decided({ ...given, underWay: [landing.effectId] }).open).toEqual(['1']);
    const free = decided(given);
    expect(free.open).toEqual([]);
    expect(free.queue.landing).toBeNull();
    expect(free.decision.withdraw).toEqual([landing.effectId]);
  });

  test('the queue does not land a pull request together with one that has just lost its place', () => {
    const [third, thirdRun] = aPassed([2, 3]);
    const holder = aTestedSubmission(9, { place: 10 });
    const held = aTestedSubmission(2, { heldBy: holder.id, place: 11 });
    const given = { queue: two, submissions: [holder, held, { ...third, place: 12 }] };
    const outcome = decided({ ...given, runs: [aRunOn([9]), thirdRun] });

    expect(outcome.moves(2)).toEqual(['testing>pending READINESS_LOST']);
    expect(outcome.effects('land')).toEqual([]);
    expect(outcome.closed(3)).toBe('superseded');
  });
});
