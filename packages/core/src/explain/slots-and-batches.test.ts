import { aSubmission, aTargetBook, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  NOW,
  TIP,
} from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';
import type { Submission } from '../model/submission.js';

describe('slots', () => {
  test('the wait for a slot shows what the oldest test run waits for, wherever it is in the line', () => {
    const given = {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 2 }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aSubmission(3)],
      targets: [1, 2, 3].map((pr) => aTargetBook(pr, [`//${pr}`])),
    };
    const shownOf = (firstAt: number, secondAt: number) =>
      waitOf(3, {
        ...given,
        runs: [aRunOn([1], { createdAt: firstAt }), aRunOn([2], { createdAt: secondAt })],
      }).causes.at(-1)?.runId;

    expect(shownOf(NOW - 60_000, NOW - 90_000)).toBe(runIdOf(2));
    expect(shownOf(NOW - 90_000, NOW - 60_000)).toBe(runIdOf(1));
  });

  test('the wait for a slot counts a slot that is reserved for a retry, unless a test run holds it', () => {
    const keeper = aTestedSubmission(1, { retries: 1, retryAt: NOW + 9_000, reasonDetail: 'runner lost' });
    const sentenceOf = (concurrency: number) =>
      waitOf(3, {
        queue: aQuietQueue({ mode: 'parallel', concurrency }),
        submissions: [keeper, aTestedSubmission(2), aSubmission(3)],
        targets: [aTargetBook(1, ['//a']), aTargetBook(2, ['//b']), aTargetBook(3, ['//a'])],
        runs: [aRunOn([2])],
      }).sentence;

    expect(sentenceOf(1)).toMatch(/\(1 of 1 in use, by #2\);/);
    expect(sentenceOf(2)).toMatch(/\(2 of 2 in use, by #2 and #1\);/);
  });

  test('the wait for a slot names the urgent pull request of another lane that preempted it, as long as that one has a slot', () => {
    const stopped = aSubmission(1, {
      place: 1,
      reason: 'SKIP_THE_LINE_INTERRUPTED',
      reasonDetail: '#9',
    } as const);
    const urgent = aTestedSubmission(9, { skipTheLine: true });
    const given = {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 1 }),
      submissions: [stopped, urgent],
      targets: [aTargetBook(1, ['//a']), aTargetBook(9, ['//b'])],
    };

    const waiting = waitOf(1, { ...given, runs: [aRunOn([9])] });
    expect(codesOf(waiting)).toEqual(['turn', 'interrupted', 'checks']);
    expect(waiting.behindPr).toBe(9);
  });
});

describe('of batches that fill', () => {
  const queue = aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 3, concurrency: 3 });
  const since = (minutes: number) => ({ admittedAt: NOW - minutes * 60_000 });
  const targets = [1, 2, 3, 4].map((pr) => aTargetBook(pr, [`//${pr}`]));

  test('the queue promises a start time to as many batches as there are slots, those due first', () => {
    const submissions = [1, 3, 2, 4].map((minutes, index) => aSubmission(index + 1, since(minutes)));
    const untilOf = (pr: number) => waitOf(pr, { queue, submissions, targets }).untilAt;

    expect(untilOf(4)).toBe(NOW + 60_000);
    expect(untilOf(2)).toBe(NOW + 2 * 60_000);
    expect(untilOf(3)).toBe(NOW + 3 * 60_000);
    expect(untilOf(1)).toBeNull();
  });

  test('a batch that is not due waits for those that are due, not for those that are filling', () => {
    const busy = aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 3, concurrency: 3 });
    const sentenceOf = (pr: number, minutes: readonly number[]) =>
      waitOf(pr, {
        queue: busy,
        submissions: [
          ...[7, 8, 9].map((pr) => aTestedSubmission(pr)),
          ...minutes.map((since_, index) => aSubmission(index + 1, since(since_))),
        ],
        targets: [...targets, ...[7, 8, 9].map((pr) => aTargetBook(pr, [`//${pr}`]))],
        runs: [7, 8, 9].map((pr) => aRunOn([pr])),
      }).causes.find(({ code }) => code === 'turn')?.sentence;

    expect(sentenceOf(3, [6, 7, 1])).toMatch(/; 2 batches are ahead of it\.$/);
    expect(sentenceOf(3, [6, 1, 1])).toMatch(/; 1 batch is ahead of it\.$/);
    expect(sentenceOf(3, [1, 1, 1])).toMatch(/; it is next once its batch is due\.$/);
    expect(sentenceOf(2, [1, 7, 1])).toMatch(/; it is next\.$/);
  });

  test('a member of the same batch is not ahead, a pull request ahead of both is', () => {
    const single = aQuietQueue({ batch: true, batchingMinSize: 2, concurrency: 1 });
    const waiting = waitOf(3, {
      queue: single,
      submissions: [aTestedSubmission(1), aSubmission(2, since(1)), aSubmission(3, since(1))],
      runs: [aRunOn([1])],
    });

    expect(codesOf(waiting)).toEqual(['turn', 'lane_ahead', 'checks']);
    expect(waiting.behindPr).toBe(1);
    expect(causeAt(waiting, 1)).toMatch(/^#3 is behind #1 in its lane/);
  });

  test('a pull request behind a batch that is not due shows that the batch has to start first', () => {
    const single = aQuietQueue({ batch: true, batchingMinSize: 3, concurrency: 2 });
    const waiting = waitOf(2, {
      queue: single,
      submissions: [
        aSubmission(1, { ...since(1), noBatch: true, retryAt: NOW + 9_000 }),
        aSubmission(2, since(1)),
      ],
    });

    expect(codesOf(waiting)).toEqual(['batch', 'lane_ahead', 'retry']);
    expect(waiting.remedy).toMatch(/, once #1 has started/);
    expect(waiting.causes[0]?.untilAt).toBeNull();
  });

  test('a pull request that is tested again in its batch does not wait behind that batch', () => {
    const again = { batch: 7 };
    const turnOf = (pr: number) =>
      waitOf(pr, {
        queue: aQuietQueue({ mode: 'parallel', concurrency: 1 }),
        submissions: [
          aTestedSubmission(1, again),
          aTestedSubmission(2, again),
          aTestedSubmission(3, { batch: 8 }),
          aTestedSubmission(9, { place: 0 }),
        ],
        targets: [1, 2, 3, 9].map((one) => aTargetBook(one, [one < 3 ? '//a' : `//${one}`])),
        runs: [aRunOn([9])],
      }).sentence;

    for (const pr of [1, 2]) expect(turnOf(pr)).toMatch(/; it is next\./);
    expect(turnOf(3)).toMatch(/; 1 is ahead of it\./);
  });
});

describe('infrastructure failures', () => {
  test('every pull request hit by a series of infrastructure failures shows it, not only the last one', () => {
    const infrastructureFailure = {
      runId: runIdOf(7),
      prs: [2],
      at: NOW - 1_000,
      rounds: 2,
      charged: [],
      earlier: [1],
    };
    const waiting = (pr: number) =>
      aTestedSubmission(pr, { retryAt: NOW + 9_000, reasonDetail: 'runner lost' });
    const codeOf = (pr: number) =>
      waitOf(pr, {
        queue: aQuietQueue({ mode: 'parallel', concurrency: 3 }, { infrastructureFailure }),
        submissions: [waiting(1), waiting(2), waiting(3)],
        targets: [1, 2, 3].map((one) => aTargetBook(one, [`//${one}`])),
      }).code;

    expect([codeOf(1), codeOf(2), codeOf(3)]).toEqual(['machinery', 'machinery', 'retry']);
  });

  test('a retry is promised only under the condition of a free slot if there may be none', () => {
    const infrastructureFailure = {
      runId: runIdOf(7),
      prs: [1],
      at: NOW - 1_000,
      rounds: 2,
      charged: [],
      earlier: [],
    };
    const remedyOf = (concurrency: number) =>
      waitOf(1, {
        queue: aQuietQueue({ concurrency }, { infrastructureFailure }),
        submissions: [
          aTestedSubmission(1, { retryAt: NOW + 9_000, reasonDetail: 'runner lost' }),
          aTestedSubmission(9, { skipTheLine: true }),
        ],
        runs: [aRunOn([9])],
      }).remedy;

    expect(remedyOf(2)).toMatch(/; #1 is tested again at 2026-01-01 01:00:09 UTC, and so on until/);
    expect(remedyOf(1)).toMatch(
      /; #1 is tested again at 2026-01-01 01:00:09 UTC, if a test slot is free then, and so on until/,
    );
  });

  test('a test that used up a retry is shown so, also if the code host had delayed it before', () => {
    const codeOf = (retries: number) =>
      waitOf(1, {
        submissions: [aTestedSubmission(1, { retryAt: NOW + 9_000, timesPutOff: 1, retries })],
      }).code;

    expect([codeOf(0), codeOf(1)]).toEqual(['rebuild', 'retry']);
  });

  test('the wait after infrastructure failures never shows more retries used than the budget', () => {
    const one = aTestedSubmission(1, { retries: 5, retryAt: NOW + 9_000, reasonDetail: 'runner lost' });

    expect(waitOf(1, { submissions: [one] }).sentence).toMatch(/; 2 of 2 retries of this attempt are used/);
  });
});

test('each member of a batch under test is shown together with the others', () => {
  const given = { submissions: [aTestedSubmission(1), aTestedSubmission(2)], runs: [aBatchRun([1, 2])] };

  expect(waitOf(1, given).sentence).toMatch(/^#1 is in test run \S+ together with #2:/);
  expect(waitOf(2, given).sentence).toMatch(/^#2 is in test run \S+ together with #1:/);
});

describe('pull requests before it', () => {
  const busy = (override: Parameters<typeof aQuietQueue>[0] = {}) =>
    aQuietQueue({ concurrency: 1, ...override });
  const held = [aTestedSubmission(1)];
  const runs = [aRunOn([1])];
  const sentenceOf = (pr: number, waiting: readonly Submission[], queue = busy()) =>
    waitOf(pr, { queue, submissions: [...held, ...waiting], runs }).sentence;
  const turnOf = (count: number) =>
    count === 0 ? /; it is next\.$/ : new RegExp(`; ${count} ${count === 1 ? 'is' : 'are'} ahead of it\\.$`);

  test('pull requests that are held by a conflict or on hold do not count as ahead', () => {
    const passedOver = [
      aSubmission(2, { heldBy: submissionIdOf(1) }),
      aSubmission(3, { asideSince: NOW - 1_000 }),
      aSubmission(4, { heldBy: submissionIdOf(1), asideSince: NOW - 1_000 }),
    ];

    expect(sentenceOf(9, [...passedOver, aSubmission(9)])).toMatch(turnOf(0));
    expect(sentenceOf(9, [...passedOver, aSubmission(5), aSubmission(9)])).toMatch(turnOf(1));
    expect(sentenceOf(2, [aSubmission(2), aSubmission(3, { asideSince: NOW - 1_000 })])).toMatch(turnOf(0));
  });

  test('pull requests that are tested again count as ahead, as do urgent ones for one that is tested again', () => {
    const again = (pr: number) => aTestedSubmission(pr, { state: 'pending' });

    expect(sentenceOf(9, [again(2), again(3), aSubmission(9)])).toMatch(turnOf(2));
    expect(sentenceOf(3, [again(2), again(3), aSubmission(9)])).toMatch(turnOf(1));
    expect(sentenceOf(2, [again(2), again(3), aSubmission(9)])).toMatch(turnOf(0));
    expect(sentenceOf(2, [again(2), aSubmission(8), aSubmission(9, { skipTheLine: true })])).toMatch(
      turnOf(1),
    );
  });
});

describe('what would start it sooner', () => {
  const turn = (
    pr: number,
    submissions: readonly Submission[],
    prsOfRuns: readonly (readonly number[])[] = [[1]],
  ) =>
    waitOf(pr, {
      queue: aQuietQueue({ concurrency: prsOfRuns.length }),
      submissions,
      runs: prsOfRuns.map((prs) => aRunOn(prs)),
    }).remedy;

  test('the wait for a slot suggests a higher priority only if it would overtake a waiting pull request', () => {
    const one = aTestedSubmission(1);

    expect(turn(3, [one, aSubmission(2), aSubmission(3)])).toMatch(
      /, raise concurrency \(now 1\) or its priority, or set skipTheLine\./,
    );
    expect(turn(2, [one, aSubmission(2), aSubmission(3)])).toMatch(
      /, raise concurrency \(now 1\) or set skipTheLine\./,
    );
    expect(turn(3, [one, aSubmission(2, { heldBy: submissionIdOf(1) }), aSubmission(3)])).toMatch(
      /, raise concurrency \(now 1\) or set skipTheLine\./,
    );
    expect(turn(3, [one, aSubmission(2, { skipTheLine: true }), aSubmission(3)])).toMatch(
      /, raise concurrency \(now 1\) or set skipTheLine\./,
    );
  });

  test('the wait for a slot suggests no priority to a pull request that has been tested before', () => {
    const again = aTestedSubmission(3, { state: 'pending' });

    expect(turn(3, [aTestedSubmission(1), aTestedSubmission(2, { state: 'pending' }), again])).toMatch(
      /, raise concurrency \(now 1\) or set skipTheLine\./,
    );
  });

  test('the wait for a slot suggests no skipTheLine to an urgent pull request, or if urgent ones have all slots and none waits before it', () => {
    const urgent = { skipTheLine: true };

    expect(turn(2, [aTestedSubmission(1), aSubmission(2, urgent)])).toMatch(
      /, raise concurrency \(now 1\)\./,
    );
    expect(turn(2, [aTestedSubmission(1, urgent), aSubmission(2)])).toMatch(
      /, raise concurrency \(now 1\)\./,
    );
    expect(
      turn(3, [aTestedSubmission(1, urgent), aTestedSubmission(2), aSubmission(3)], [[1], [1, 2]]),
    ).toMatch(/, raise concurrency \(now 2\) or set skipTheLine\./);
  });
});

describe('the target branch', () => {
  test.each([
    [null, NOW - 1_000],
    [TIP, null],
  ])('a target that %s and was read at %s counts as not read yet', (head, readAt) => {
    const waiting = waitOf(1, {
      queue: aQuietQueue({}, { target: aTarget({ head, readAt }) }),
      submissions: [aSubmission(1)],
    });

    expect(waiting.sentence).toMatch(/^Waiting for a fresh read of main: it has not been read yet\./);
  });
});

test('a pull request shows that no required checks are known before other causes', () => {
  const waiting = waitOf(1, {
    queue: aQuietQueue({}, { target: aTarget({ requiredChecks: null }) }),
    submissions: [aSubmission(1)],
  });

  expect(waiting.causes[0]).toMatchObject({ code: 'required_checks', pr: 1 });
});

test('a pull request ahead that has passed is not shown as the reason why slots are taken', () => {
  const [first, run1] = aPassed([1]);
  const waiting = waitOf(3, {
    queue: aQuietQueue({ concurrency: 1, pendingFailureDepth: 0 }, { landAfter: NOW + 9_000 }),
    submissions: [first, aTestedSubmission(2), aSubmission(3)],
    runs: [run1, aRunOn([1, 2])],
  });

  expect(waiting.causes.map(({ pr }) => pr)).toEqual([null, 2, 2]);
});
