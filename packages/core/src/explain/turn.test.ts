import { aSubmission, aTargetBook, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aBatchRun, aQuietQueue, aRunOn, aTestedSubmission, NOW } from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';
import type { Submission } from '../model/submission.js';

const MINUTE_MS = 60_000;
const urgent = { skipTheLine: true } as const;
const retryAt = NOW + 9_000;
const busy = aQuietQueue({ concurrency: 1 });
const inTurn = (submissions: readonly Submission[], runs = [aRunOn([1])], queue = busy) => ({
  queue,
  submissions,
  runs,
});
const toBeTestedAgain = (pr: number, override: Partial<Submission> = {}) =>
  aTestedSubmission(pr, { state: 'pending', ...override });

const isNext = /; it is next\.$/;
const isBehind = (count: number, what = count === 1 ? 'is' : 'are') =>
  new RegExp(`; ${count} ${what} ahead of it\\.$`);
const byPriority = / or its priority, or set skipTheLine\./;
const byConcurrency = /, raise concurrency \(now 1\)\./;
const bySkipping = /, raise concurrency \(now 1\) or set skipTheLine\./;

describe('a pull request that waits behind an urgent one', () => {
  test('a pull request that waits behind an urgent one shows a preemption only if its tests were preempted', () => {
    const [stopped, other] = (['SKIP_THE_LINE_INTERRUPTED', 'MERGE_ITEM_NOW_READY'] as const).map((reason) =>
      codesOf(
        waitOf(
          2,
          inTurn(
            [aTestedSubmission(1, urgent), toBeTestedAgain(2, { reason, reasonDetail: '#1' })],
            [aRunOn([1])],
          ),
        ),
      ),
    );

    expect(stopped).toEqual(['turn', 'interrupted', 'checks']);
    expect(other).toEqual(['turn', 'lane_ahead', 'checks']);
  });

  test('a pull request that waits behind an urgent one does not suggest skipTheLine if the urgent one is tested together with others', () => {
    const given = inTurn(
      [
        aTestedSubmission(1, { ...urgent, batch: 1 }),
        aTestedSubmission(2, { batch: 1, goesWithUrgent: true }),
        aSubmission(3),
      ],
      [aBatchRun([1, 2])],
    );

    expect(waitOf(3, given).remedy).toMatch(byConcurrency);
  });
});

describe('many waiting pull requests in lanes', () => {
  const prs = Array.from({ length: 102 }, (_, index) => index + 2);
  const targets = [1, ...prs].map((pr) => aTargetBook(pr, [pr === 1 || pr > 101 ? '//a' : `//${pr}`]));
  const waiting = prs.map((pr) => aSubmission(pr));

  test('the wait behind more than a hundred others leaves out the first of its lane', () => {
    const queue = aQuietQueue({ mode: 'parallel', concurrency: 1 });
    const given = { ...inTurn([aTestedSubmission(1), ...waiting], [aRunOn([1])], queue), targets };

    expect(codesOf(waitOf(102, given))).toEqual(['turn', 'lane_ahead', 'checks']);
    expect(codesOf(waitOf(103, given))).toEqual(['turn', 'checks']);
  });

  test('the wait behind more than a hundred others leaves out the stack limit', () => {
    const codesAt = (pr: number) => codesOf(waitOf(pr, inTurn([aTestedSubmission(1), ...waiting])));

    expect(codesAt(102)).toEqual(['turn', 'stack_limit', 'checks']);
    expect(codesAt(103)).toEqual(['turn', 'checks']);
  });

  test('the wait behind more than a hundred others leaves out the batch that has to be due first', () => {
    const [filling, own] = [{ admittedAt: NOW - MINUTE_MS }, { admittedAt: NOW, noBatch: true }];
    const remedyBehind = (others: number) =>
      waitOf(200, {
        queue: aQuietQueue({ mode: 'parallel', concurrency: 3, batch: true, batchingMinSize: 9 }),
        submissions: [
          ...[1, 201, 202].map((pr) => aTestedSubmission(pr)),
          ...waiting.slice(0, others),
          ...[aSubmission(198, filling), aSubmission(199, filling), aSubmission(200, own)],
        ],
        runs: [1, 201, 202].map((pr) => aRunOn([pr])),
        targets: [
          ...targets,
          ...[aTargetBook(201, ['//z']), aTargetBook(202, ['//y'])],
          ...[aTargetBook(198, ['//b']), aTargetBook(199, ['//c']), aTargetBook(200, ['//b', '//c'])],
        ],
      }).remedy;

    expect(remedyBehind(98)).toMatch(
      /^#200 starts when its turn comes and #198, whose batch is not due yet, has started\. /,
    );
    expect(remedyBehind(99)).toMatch(/^#200 starts when its turn comes\. /);
  });

  test('the wait without an entry of its lane shows what the holder of the slot waits for', () => {
    const queue = aQuietQueue({ mode: 'parallel', concurrency: 1 });
    const keeper = aTestedSubmission(1, { retries: 1, retryAt });
    const given = { ...inTurn([keeper, ...waiting], [], queue), targets };

    expect(waitOf(103, given).causes.map(({ code, pr }) => [code, pr])).toEqual([
      ['turn', null],
      ['retry', 1],
    ]);
  });
});

test('the wait names only the pull request ahead whose batch is not due', () => {
  const remedyOf = (minutes: readonly number[]) =>
    waitOf(4, {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 3, batch: true, batchingMinSize: 9 }),
      submissions: [
        ...[1, 5, 6].map((pr) => aTestedSubmission(pr)),
        ...minutes.map((since, index) => aSubmission(index + 2, { admittedAt: NOW - since * MINUTE_MS })),
        aSubmission(4, { admittedAt: NOW, noBatch: true }),
      ],
      runs: [1, 5, 6].map((pr) => aRunOn([pr])),
      targets: [['//a'], ['//b'], ['//c'], ['//b', '//c'], ['//y'], ['//z']].map((targets, index) =>
        aTargetBook(index + 1, targets),
      ),
    }).remedy;

  expect(remedyOf([9, 1])).toMatch(/ comes and #3, whose batch is not due yet, has started\. /);
  expect(remedyOf([9, 8])).toMatch(/ comes\. /);
});

describe('a higher priority', () => {
  test('the wait for a slot suggests a higher priority also if a pull request behind it is on hold', () => {
    const passedOver = aSubmission(4, { heldBy: submissionIdOf(1) });

    expect(
      waitOf(3, inTurn([aTestedSubmission(1), aSubmission(2), aSubmission(3), passedOver])).remedy,
    ).toMatch(byPriority);
  });

  test('the wait for a slot suggests a higher priority if it would overtake at least one pull request', () => {
    const first = aSubmission(2, { priority: { value: 1, named: true } });

    expect(waitOf(4, inTurn([aTestedSubmission(1), first, aSubmission(3), aSubmission(4)])).remedy).toMatch(
      byPriority,
    );
    expect(waitOf(4, inTurn([aTestedSubmission(1), first, aSubmission(4)])).remedy).toMatch(bySkipping);
  });

  test('the wait for a slot suggests a higher priority exactly as long as the highest one below urgent would overtake', () => {
    const remedyOf = (headStart: number) =>
      waitOf(
        3,
        inTurn([
          aTestedSubmission(1),
          aSubmission(2, { admittedAt: NOW - headStart }),
          aSubmission(3, { admittedAt: NOW }),
        ]),
      ).remedy;

    expect(remedyOf(99 * MINUTE_MS - 1)).toMatch(byPriority);
    expect(remedyOf(99 * MINUTE_MS)).toMatch(bySkipping);
  });
});

test('the wait suggests no priority to an urgent pull request, as that would replace its urgency', () => {
  const submissions = [aTestedSubmission(1, urgent), aSubmission(2, urgent), aSubmission(3, urgent)];

  expect(waitOf(3, inTurn(submissions)).remedy).toMatch(byConcurrency);
});

describe('a pull request that is tested again', () => {
  test('the wait of a pull request that is tested again does not count an urgent one that waits for its retry, and suggests no way past it', () => {
    const waiting = waitOf(
      2,
      inTurn([aTestedSubmission(1, urgent), toBeTestedAgain(2), aSubmission(9, { ...urgent, retryAt })]),
    );

    expect(waiting.sentence).toMatch(isNext);
    expect(waiting.remedy).toMatch(byConcurrency);
  });

  test('the wait of a pull request that is tested again does not count an urgent one behind it if it is urgent itself', () => {
    const own = toBeTestedAgain(2, urgent);

    expect(waitOf(2, inTurn([aTestedSubmission(1, urgent), own, aSubmission(9, urgent)])).sentence).toMatch(
      isNext,
    );
  });

  test('the wait of a pull request that is tested again counts an urgent one that is tested again once, not twice', () => {
    const given = inTurn([aTestedSubmission(1, urgent), toBeTestedAgain(2, urgent), toBeTestedAgain(3)]);

    expect(waitOf(3, given).sentence).toMatch(isBehind(1));
  });

  test('the wait of a pull request that is tested again counts a batch as ahead if some of its members are ahead', () => {
    const again = [2, 4].map((pr) => toBeTestedAgain(pr, { batch: 2 }));
    const given = {
      ...inTurn([aTestedSubmission(1), ...again, toBeTestedAgain(3)]),
      queue: aQuietQueue({ mode: 'parallel', concurrency: 1 }),
      targets: [1, 2, 3, 4].map((pr) => aTargetBook(pr, [pr === 4 ? '//2' : `//${pr}`])),
    };

    expect(waitOf(3, given).sentence).toMatch(isBehind(1));
  });

  test('the wait of a pull request that is tested again does not count a batch behind it that lost its slot between two tries', () => {
    const given = (pr: number) =>
      waitOf(pr, {
        queue: aQuietQueue({ mode: 'parallel', concurrency: 1, batch: true }),
        submissions: [
          toBeTestedAgain(2, { batch: 2, begunAt: NOW - MINUTE_MS }),
          aTestedSubmission(3, { batch: 3, retries: 1, retryAt }),
          aSubmission(4),
          aTestedSubmission(9, urgent),
        ],
        runs: [aRunOn([9])],
        targets: [2, 3, 4, 9].map((one) => aTargetBook(one, [`//${one}`])),
      }).sentence;

    expect(given(2)).toMatch(isNext);
    expect(given(4)).toMatch(isBehind(2, 'batches are'));
  });

  test('the wait of a pull request that is tested again suggests skipTheLine if it would overtake an urgent one and those tested with it', () => {
    const waiting = waitOf(2, {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 1, batch: true, batchingMinSize: 2 }),
      submissions: [
        aTestedSubmission(1, urgent),
        toBeTestedAgain(2, { batch: 2 }),
        aSubmission(8, urgent),
        aSubmission(9),
      ],
      runs: [aRunOn([1])],
      targets: [1, 2, 8, 9].map((pr) => aTargetBook(pr, [pr > 2 ? '//b' : `//${pr}`])),
    });

    expect(waiting.sentence).toMatch(isBehind(1, 'batch is'));
    expect(waiting.remedy).toMatch(bySkipping);
  });
});

describe('pull requests that are passed over', () => {
  test('pull requests that are passed over do not count as waiting, with or without a place, not admitted, or behind', () => {
    const sentenceBehind = (one: Submission) =>
      waitOf(4, inTurn([aTestedSubmission(1), one, aSubmission(3), aSubmission(4)])).sentence;

    expect(sentenceBehind(aSubmission(2, { heldBy: submissionIdOf(1) }))).toMatch(isBehind(1));
    expect(sentenceBehind(toBeTestedAgain(2, { heldBy: submissionIdOf(1) }))).toMatch(isBehind(1));
    expect(sentenceBehind(aSubmission(2, { state: 'not_ready', admittedAt: null }))).toMatch(isBehind(1));
    expect(sentenceBehind(aSubmission(5, { heldBy: submissionIdOf(1) }))).toMatch(isBehind(1));
  });
});

describe('more ahead in the lane than a test run includes', () => {
  const tested = Array.from({ length: 100 }, (_, index) => index + 1);
  const given = (override: Parameters<typeof aQuietQueue>[0], waiting: readonly number[]) => ({
    queue: aQuietQueue({ concurrency: 100, ...override }),
    submissions: [...tested.map((pr) => aTestedSubmission(pr)), ...waiting.map((pr) => aSubmission(pr))],
    runs: tested.map((pr) => aRunOn(tested.slice(0, pr))),
  });

  test.each([{}, { batch: true, batchingMinSize: 2 }])(
    'the wait with more ahead in the lane than a test run includes shows how many are ahead, and that the next slot is not enough, with %j',
    (settings) => {
      const sentenceOf = (pr: number) => waitOf(pr, given(settings, [201, 202])).sentence;

      expect(sentenceOf(201)).toMatch(/; it is next once some of those ahead of it are decided\.$/);
      expect(sentenceOf(202)).toMatch(isBehind(1));
    },
  );

  test('the wait with more ahead in the lane than a test run includes shows the stack limit after the slots', () => {
    const waiting = waitOf(201, given({}, [201]));

    expect(causeAt(waiting, 1)).toMatch(/^#201 has at least 100 undecided pull requests/);
    expect(waiting.causes[1]).toMatchObject({ code: 'stack_limit', pr: 201 });
  });
});
