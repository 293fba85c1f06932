import { aMember, aPullRequest, aSubmission, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aDraft,
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  NOW,
  TIP,
  touching,
} from '../../../test/rules.js';
import type { QueueSettings } from '../../model/settings.js';
import type { Submission } from '../../model/submission.js';
import { defaultPace } from '../draft/context.js';
import { STACK_LIMIT } from '../line/positions.js';
import { nextToStart } from './schedule.js';

const slots = (concurrency: number) => aQuietQueue({ concurrency });
const target = aTarget();

describe('scheduling tests', () => {
  test('the queue starts pull requests from the front of the line, each on those ahead of it, while slots are free', () => {
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 2 }, { lastPlace: 7 }),
      submissions: [aSubmission(1), aSubmission(2), aSubmission(3)],
    });

    expect(outcome.open).toEqual(['1', '1+2']);
    expect([1, 2, 3].map((pr) => outcome.pr(pr).state)).toEqual(['testing', 'testing', 'pending']);
    expect([1, 2, 3].map((pr) => outcome.pr(pr).place)).toEqual([8, 9, null]);
    expect(outcome.queue.lastPlace).toBe(9);
    expect(outcome.moves(1)).toEqual(['pending>testing CAPACITY_AVAILABLE']);
    expect(outcome.waits(3)).toBe('turn');
  });

  test('a batch that reaches past a pull request that is tested once more leaves it its place in line', () => {
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 2, batch: true, batchingMinSize: 2 }, { lastPlace: 7 }),
      submissions: [aSubmission(1), aSubmission(2, { suspectedBy: runIdOf(7), alone: true }), aSubmission(3)],
    });

    expect(outcome.open).toEqual(['1+3', '1+2']);
    expect([1, 2, 3].map((pr) => outcome.pr(pr).place)).toEqual([8, 9, 10]);
  });

  test('a run states its base and stack, and its candidate is requested', () => {
    const queue = aQuietQueue({ concurrency: 3, mergeMethod: 'merge_commit' });
    const outcome = decided({
      queue,
      submissions: [
        aTestedSubmission(1),
        aTestedSubmission(2, { asideSince: NOW, pull: unmergeable(2) }),
        aSubmission(3, { pull: aPullRequest(3, { authorIdentity: 'Ada <ada@example.org>' }) }),
      ],
      runs: [aRunOn([1], { method: 'merge_commit' })],
    });
    const [effect] = outcome.effects('build_candidate');

    expect(effect).toMatchObject({ branch: 'main', base: TIP, method: 'merge_commit' });
    expect(effect?.parts).toEqual([
      {
        pr: 1,
        head: aPullRequest(1).head,
        message: { title: 'Change 1 (#1)', body: '' },
        author: 'ada',
        begunAt: NOW,
      },
      {
        pr: 3,
        head: aPullRequest(3).head,
        message: { title: 'Merge pull request #3: Change 3', body: '' },
        author: 'ada',
        authorIdentity: 'Ada <ada@example.org>',
        begunAt: NOW,
      },
    ]);
    expect(outcome.decision.writes.runs).toEqual([
      {
        id: effect?.runId,
        purpose: { kind: 'test' },
        batch: [aMember(3)],
        stack: [aMember(1)],
        without: [aMember(2)],
        base: TIP,
        isDirect: false,
        method: 'merge_commit',
        landed: [],
        onto: TIP,
        beside: [],
        overtakenBy: null,
        isOvertakerKnown: false,
        state: 'building',
        outcome: null,
        decidedBy: null,
        failure: null,
        candidate: null,
        isCandidateKept: true,
        checks: [],
        known: [],
        requiredChecks: ['build'],
        startedChecks: [],
        createdAt: NOW,
        testingSince: null,
        rerunSince: null,
        checksReadAt: null,
        deadlineAt: null,
        expired: null,
        endedAt: null,
        closedAt: null,
        closedBecause: null,
        witnesses: [],
        bisection: null,
        building: effect?.id,
        starting: null,
      },
    ]);
    expect(outcome.pr(3)).toMatchObject({ message: effect?.parts[1]?.message });
    expect(outcome.waits(3)).toBe('trial');
  });

  test('a run holds its slot until its tests have ended', () => {
    const given = { queue: slots(1), submissions: [aTestedSubmission(1), aSubmission(2)] };

    expect(decided({ ...given, runs: [aRunOn([1], { state: 'building', candidate: null })] }).open).toEqual([
      '1',
    ]);
    const [one, run] = aPassed([1]);
    expect(decided({ queue: slots(1), submissions: [one, aSubmission(2)], runs: [run] }).open).toEqual([
      '1',
      '1+2',
    ]);
  });

  test('the queue starts nothing before the target was read, or after its last read is too old', () => {
    const begun = (patch: Partial<{ head: typeof TIP | null; readAt: number | null }>) =>
      decided({ queue: aQuietQueue({}, { target: { ...target, ...patch } }), submissions: [aSubmission(1)] })
        .open.length;
    const fresh = 2 * defaultPace.pollBranchMs;

    expect(begun({ head: null })).toBe(0);
    expect(begun({ readAt: null })).toBe(0);
    expect(begun({ readAt: NOW - fresh - 1 })).toBe(0);
    expect(begun({ readAt: NOW - fresh })).toBe(1);
  });

  test('the queue starts nothing while the target does not exist', () => {
    const queue = aQuietQueue({}, { target: { ...target, exists: false, head: null } });

    expect(decided({ queue, submissions: [aSubmission(1)] }).waits(1)).toBe('target_branch');
  });

  test.each(['paused', 'draining'] as const)(
    'the queue starts nothing new while the queue is %s',
    (wanted) => {
      const outcome = decided({ queue: aQuietQueue({}, { wanted }), submissions: [aSubmission(1)] });

      expect(outcome.open).toEqual([]);
    },
  );

  test('the queue repeats a begun test while the queue drains, and not while it is paused', () => {
    const repeated = (wanted: 'draining' | 'paused', state: 'testing' | 'pending') =>
      decided({
        queue: aQuietQueue({}, { wanted }),
        submissions: [aTestedSubmission(1, { state, retryAt: NOW, retries: 1 })],
      }).open;

    expect(repeated('draining', 'testing')).toEqual(['1']);
    expect(repeated('draining', 'pending')).toEqual(['1']);
    expect(repeated('paused', 'testing')).toEqual([]);
  });

  test('a repeated test keeps its place and its commit message', () => {
    const message = { title: 'As it was', body: '' };
    const begunAt = NOW - 60_000;
    const outcome = decided({ submissions: [aTestedSubmission(4, { retryAt: NOW, message, begunAt })] });

    expect(outcome.pr(4)).toMatchObject({ place: 4, message, begunAt, retryAt: null, state: 'testing' });
    expect(outcome.moves(4)).toEqual([]);
    expect(outcome.effects('build_candidate')[0]?.parts[0]?.message).toEqual(message);
  });

  test('a pull request that waits for a retry keeps its slot, and others are tested on top of it in other slots', () => {
    const open = (count: number) =>
      decided({
        queue: slots(count),
        submissions: [aTestedSubmission(1, { retryAt: NOW + 1 }), aSubmission(2), aSubmission(3)],
      }).open;

    expect(open(1)).toEqual([]);
    expect(open(2)).toEqual(['1+2']);
  });

  test('an urgent pull request takes the slot of one that waits for a retry, unless that is urgent too', () => {
    const urgent = { priority: { value: 0, named: true } };
    const back = { retryAt: NOW + 1 };
    const open = (one: Submission) =>
      decided({ queue: slots(1), submissions: [one, aSubmission(9, urgent)] }).open;

    expect(open(aTestedSubmission(1, back))).toEqual(['9']);
    expect(open(aTestedSubmission(1, { ...back, ...urgent }))).toEqual([]);
  });

  test('pull requests that an urgent one overtakes stand behind it from then on, in their order', () => {
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 1 }, { lastPlace: 7 }),
      submissions: [1, 2, 3].map((pr) => aTestedSubmission(pr, { state: 'pending', skipTheLine: pr === 2 })),
    });

    expect([2, 1, 3].map((pr) => outcome.pr(pr).place)).toEqual([2, 8, 9]);
  });

  test('pull requests that the batch of an urgent one overtakes stand behind it from then on, and only those', () => {
    const places = (second: number, third: number) => {
      const outcome = decided({
        queue: aQuietQueue(
          { mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 3 },
          { lastPlace: 7 },
        ),
        submissions: [
          aTestedSubmission(1, { state: 'pending', skipTheLine: true, place: 2, batch: 2 }),
          aTestedSubmission(2, { state: 'pending', place: second, batch: 2 }),
          aTestedSubmission(3, { place: third }),
        ],
        runs: [aRunOn([3])],
        targets: [touching(1, ['a']), touching(2, ['a']), touching(3, ['b'])],
      });
      return [1, 2, 3].map((pr) => outcome.pr(pr).place);
    };

    expect(places(5, 4)).toEqual([2, 5, 9]);
    expect(places(4, 5)).toEqual([2, 4, 5]);
  });

  test('a pull request that is left of a batch gets another batch number than its old one', () => {
    const outcome = decided({
      queue: aQuietQueue({ batch: true, batchingMinSize: 2, concurrency: 1 }, { lastPlace: 7 }),
      submissions: [
        aTestedSubmission(1, { state: 'pending', noBatch: true, batch: null }),
        aTestedSubmission(2, { state: 'pending', batch: 1 }),
      ],
    });

    expect(outcome.open).toEqual(['1']);
    expect(outcome.pr(1)).toMatchObject({ place: 1, batch: 8 });
  });

  test('an urgent pull request begins behind what is being landed', () => {
    const [one, run] = aPassed([1]);
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 1 }, { lastPlace: 7, landing: aLanding(run) }),
      submissions: [one, aTestedSubmission(2, { state: 'pending' }), aSubmission(9, { skipTheLine: true })],
      runs: [run],
      underWay: [effectIdOf(1)],
    });

    expect([1, 9, 2].map((pr) => outcome.pr(pr).place)).toEqual([1, 8, 9]);
    expect(outcome.open).toEqual(['1', '1+9']);
  });

  test('the queue finds the next batch to start as far back as needed, behind many that may not start', () => {
    const waiting = [1, 2, 3, 4].map((pr) => aSubmission(pr, pr === 1 ? { retryAt: NOW + 60_000 } : {}));
    const draft = aDraft({
      queue: aQuietQueue({ mode: 'parallel', concurrency: 1 }),
      submissions: waiting,
      targets: waiting.map(({ pr }) => touching(pr, [pr === 4 ? 'b' : 'a'])),
    });

    expect(nextToStart(draft)?.members).toEqual([waiting[3]]);
  });

  test('an attempt fails without a slot when no required check is known', () => {
    const outcome = decided({
      queue: aQuietQueue({}, { target: { ...target, requiredChecks: null } }),
      submissions: [aSubmission(1), aSubmission(2)],
    });

    expect(outcome.moves(1)).toEqual(['pending>failed START_TEST_RUN_NO_REQUIRED_STATUSES']);
    expect(outcome.moves(2)).toEqual(['pending>failed START_TEST_RUN_NO_REQUIRED_STATUSES']);
    expect(outcome.open).toEqual([]);
  });

  test('a pull request that fails in a decision is not landed by it', () => {
    const [second, secondRun] = aPassed([1, 2]);
    const outcome = decided({
      queue: aQuietQueue({}, { target: { ...target, requiredChecks: null } }),
      submissions: [aTestedSubmission(1, { retryAt: NOW - 1, retries: 1 }), second],
      runs: [secondRun],
    });

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.effects('land')).toEqual([]);
  });

  test('a candidate holds a limited number of undecided pull requests, and names a limited number of left-out ones', () => {
    const many = (count: number, override = {}) =>
      Array.from({ length: count }, (_, index) =>
        aTestedSubmission(index + 1, { retryAt: NOW + 1, ...override }),
      );
    const last = aSubmission(999);
    const queue = slots(STACK_LIMIT + 1);

    const full = decided({ queue, submissions: [...many(STACK_LIMIT - 1), last] });
    expect(full.pr(999).state).toBe('testing');
    expect(decided({ queue, submissions: [...many(STACK_LIMIT), last] }).pr(999).state).toBe('pending');

    const held = many(120).map((one) => ({
      ...one,
      asideSince: NOW,
      state: 'pending' as const,
      pull: unmergeable(one.pr),
    }));
    const [run] = decided({ queue, submissions: [...held, last] }).decision.writes.runs;
    expect(run?.without).toHaveLength(100);
  });

  test('only a single pull request on the tip with nothing left out may land by the checks of its own head', () => {
    const direct = { directMergeMode: 'always' } as const;
    const isDirect = (submissions: readonly Submission[], settings: Partial<QueueSettings> = direct) =>
      decided({ queue: aQuietQueue({ concurrency: 2, ...settings }), submissions })
        .effects('build_candidate')
        .map((effect) => effect.isDirect);
    const [one, two] = [aSubmission(1), aSubmission(2)];
    const aside = aSubmission(3, { place: 0, asideSince: NOW, pull: unmergeable(3) });

    expect(isDirect([one, two])).toEqual([true, false]);
    expect(isDirect([one], {})).toEqual([false]);
    expect(isDirect([one, two], { ...direct, batch: true, batchingMinSize: 2 })).toEqual([false]);
    expect(isDirect([one, aside])).toEqual([false]);
  });

  test('an ended run of another pull request is no reason to test again', () => {
    const [one, run] = aPassed([1]);
    const landing = aLanding(run);
    const outcome = decided({
      queue: aQuietQueue({ concurrency: 5 }, { landing }),
      submissions: [one],
      runs: [run],
    });

    expect(outcome.decision.effects).toEqual([]);
  });
});

const unmergeable = (pr: number) => aPullRequest(pr, { mergeability: 'not_mergeable' });
