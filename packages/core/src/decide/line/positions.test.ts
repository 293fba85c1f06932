import { aMember, anActor, aSubmission, BUILT_AT, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aBisection,
  aDraft,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  failedBy,
  type Given,
  NOW,
  touching,
} from '../../../test/rules.js';
import { firstAdaptation } from '../../model/adaptation.js';
import { isBisected, targetsOf } from './placement-input.js';
import { frontPositions, positionIn, positions, STACK_LIMIT } from './positions.js';

const parallel = aQuietQueue({ mode: 'parallel', concurrency: 9 });
const wide = aQuietQueue({ mode: 'parallel', concurrency: 1_000, pendingFailureDepth: 1_000 });

const stacks = (given: Given) =>
  [...positions(aDraft(given))].map(({ member, stack }) => [member.pr, stack.map(({ pr }) => pr)]);

describe('positions in line', () => {
  test('in single mode a pull request is stacked on all pull requests ahead, whatever their targets are', () => {
    const targets = [touching(1, ['a']), touching(2, ['b'])];

    expect(stacks({ submissions: [aSubmission(1), aSubmission(2)], targets })).toEqual([
      [1, []],
      [2, [1]],
    ]);
  });

  test('in parallel mode with batches all pull requests are in one lane if concurrency is at most 2, however few test runs autoConcurrency makes', () => {
    const targets = [touching(1, ['a']), touching(2, ['b'])];
    const stackOfSecond = (concurrency: number) => {
      const settings = { mode: 'parallel', batch: true, autoConcurrency: true, concurrency } as const;
      const adaptation = { ...firstAdaptation, concurrency: 2 };
      const queue = aQuietQueue(settings, { adaptation });
      return stacks({ queue, submissions: [aSubmission(1), aSubmission(2)], targets }).at(1);
    };

    expect([1, 2, 3, 9].map(stackOfSecond)).toEqual([
      ...[
        [2, [1]],
        [2, [1]],
      ],
      ...[
        [2, []],
        [2, []],
      ],
    ]);
  });

  test('in parallel mode a pull request is stacked on those only that it overlaps with, in line order', () => {
    const targets = [touching(1, ['a']), touching(2, ['b']), touching(3, ['c']), touching(4, ['b', 'a'])];

    expect(
      stacks({ queue: parallel, submissions: [1, 2, 3, 4].map((pr) => aSubmission(pr)), targets }),
    ).toEqual([
      [1, []],
      [2, []],
      [3, []],
      [4, [1, 2]],
    ]);
  });

  test.each([
    ['only direct dependencies', {}, [2]],
    ['what these depend on too, where passes prove the stack', { canOptimisticallyMerge: true }, [1, 2]],
    ['what these depend on too, where batches are tested', { batch: true }, [1, 2]],
  ] as const)('a stack holds %s', (_, settings, stack) => {
    const targets = [touching(1, ['a']), touching(2, ['a', 'b']), touching(3, ['b'])];
    const queue = aQuietQueue({ mode: 'parallel', ...settings });

    expect(stacks({ queue, submissions: [1, 2, 3].map((pr) => aSubmission(pr)), targets })[2]).toEqual([
      3,
      stack,
    ]);
  });

  test('a position in line uses the targets of the head that is in the queue', () => {
    const draft = aDraft({ queue: parallel, submissions: [aSubmission(1)], targets: [touching(1, ['a'])] });

    expect(targetsOf(draft, aMember(1))).toEqual(['a']);
    expect(targetsOf(draft, aMember(1, { head: aMember(2).head }))).toBe('ALL');
  });

  test('a position in line names left-out pull requests of the lane, which do not connect it to those below them', () => {
    const targets = [['//a'], ['//a', '//b'], ['//b'], ['//c']].map((names, i) => touching(i + 1, names));
    const begun = [aTestedSubmission(1), aTestedSubmission(2, { asideSince: NOW })];
    const submissions = [...begun, aSubmission(3), aSubmission(4)];
    const draft = aDraft({ queue: parallel, submissions, targets });

    expect([...frontPositions(draft)].map(({ without }) => without)).toEqual([[], []]);
    expect(positionIn(draft, submissionIdOf(3))).toMatchObject({ stack: [], without: [aMember(2)] });
    expect(positionIn(draft, submissionIdOf(4))).toMatchObject({ stack: [], without: [] });
  });

  test('a position in line with whole stacks names left-out pull requests that another one connects, and all ahead of one that affects everything', () => {
    const names = [['//a'], ['//b'], ['//a', '//c'], ['//c', '//d'], ['//d']];
    const targets = names.map((some, i) => touching(i + 1, some));
    const aside = [1, 2, 3, 4].map((pr) => aTestedSubmission(pr, { asideSince: NOW }));
    const submissions = [...aside, aSubmission(5)];
    const whole = aQuietQueue({ mode: 'parallel', canOptimisticallyMerge: true });
    const leftOut = (given: Given) =>
      positionIn(aDraft({ queue: whole, submissions, ...given }), submissionIdOf(5))?.without.map(
        ({ pr }) => pr,
      );

    expect(leftOut({ targets })).toEqual([1, 3, 4]);
    expect(leftOut({ targets: targets.filter(({ pr }) => pr !== 3) })).toEqual([1, 2, 3, 4]);
  });

  test('a position in line moves to another lane once other targets are uploaded', () => {
    const targets = [touching(1, ['a']), touching(2, ['b'])];
    const draft = aDraft({ queue: parallel, submissions: [1, 2].map((pr) => aSubmission(pr)), targets });
    expect(positionIn(draft, submissionIdOf(2))?.stack).toEqual([]);

    draft.putTargets(touching(2, ['a']));

    expect(positionIn(draft, submissionIdOf(2))?.stack).toEqual([aMember(1)]);
  });

  test('a position in line names at most one hundred left-out pull requests', () => {
    const aside = Array.from({ length: 101 }, (_, index) =>
      aTestedSubmission(index + 1, { asideSince: NOW }),
    );
    const known = [...positions(aDraft({ submissions: [...aside, aSubmission(102)] }))];

    expect(known.at(-1)?.without.map(({ pr }) => pr)).toEqual(aside.slice(0, 100).map(({ pr }) => pr));
  });

  test('a submission that is not in line has no position', () => {
    expect(
      positionIn(aDraft({ submissions: [aSubmission(1, { state: 'not_ready' })] }), submissionIdOf(1)),
    ).toBeUndefined();
  });

  test('a position in line is too deep when more is ahead of it than one candidate holds; in single mode it is the last', () => {
    const many = Array.from({ length: STACK_LIMIT + 3 }, (_, index) => aSubmission(index + 1));
    const known = [...positions(aDraft({ queue: aQuietQueue({ concurrency: 200 }), submissions: many }))];

    expect(known).toHaveLength(STACK_LIMIT + 1);
    expect(known.at(-2)).toMatchObject({ isInPlay: true, isTooDeep: false });
    expect(known.at(-2)?.stack).toHaveLength(STACK_LIMIT - 1);
    expect(known.at(-1)).toMatchObject({ isInPlay: false, isTooDeep: true, stack: [] });
  });

  test('in single mode a position that is too deep is the last of those under test, too', () => {
    const many = Array.from({ length: STACK_LIMIT + 3 }, (_, index) => aTestedSubmission(index + 1));
    const draft = aDraft({ queue: aQuietQueue({ concurrency: 200 }), submissions: many });

    expect([...positions(draft)]).toHaveLength(STACK_LIMIT + 1);
  });

  test.each([
    { of: 'those waiting', one: aSubmission },
    { of: 'those under test', one: aTestedSubmission },
  ])('with lanes, positions behind one of $of that is too deep are computed', ({ one }) => {
    const many = Array.from({ length: STACK_LIMIT + 2 }, (_, index) => one(index + 1));
    const targets = many.map(({ pr }) => touching(pr, pr === many.length ? ['b'] : ['a']));
    const known = [...positions(aDraft({ queue: wide, submissions: many, targets }))];

    expect(known.at(-1)).toMatchObject({ stack: [], isTooDeep: false, isInPlay: true });
    expect(known.at(-2)?.isTooDeep).toBe(true);
  });

  test('every submission in line has a position, in order', () => {
    const begun = [1, 2, 3].map((pr) => aTestedSubmission(pr));
    const waiting = [11, 12].map((pr) => aSubmission(pr, { asideSince: pr === 11 ? BUILT_AT : null }));
    const draft = aDraft({ submissions: [...begun, ...waiting] });

    expect([...positions(draft)].map(({ member }) => member.pr)).toEqual([1, 2, 3, 11, 12]);
    expect([...frontPositions(draft)].map(({ member }) => member.pr)).toEqual([1, 2, 3]);
  });

  test('positions in line are computed only as far as the caller iterates', () => {
    const draft = aDraft({ submissions: [1, 2, 3].map((pr) => aSubmission(pr)) });
    const asked: number[] = [];
    const targets = draft.targets.bind(draft);
    draft.targets = (pr) => {
      asked.push(pr);
      return targets(pr);
    };
    draft.changeQueue({ settings: { ...draft.queue.settings, mode: 'parallel' } });

    for (const { member } of positions(draft)) if (member.pr === 2) break;

    expect(asked).toEqual([1, 2]);
  });

  test('urgent pull requests that wait are part of the front', () => {
    const draft = aDraft({ submissions: [aSubmission(1, { skipTheLine: true }), aSubmission(2)] });

    expect([...frontPositions(draft)].map(({ member }) => member.pr)).toEqual([1]);
  });

  test('a position in line is computed again once a row has changed, and the old iteration throws', () => {
    const draft = aDraft({ submissions: [aTestedSubmission(1), aSubmission(2)] });
    const line = positions(draft);
    expect(positionIn(draft, submissionIdOf(2))?.stack).toEqual([aMember(1)]);

    draft.change(aTestedSubmission(1), { asideSince: NOW });

    expect(positionIn(draft, submissionIdOf(2))?.stack).toEqual([]);
    expect(() => [...line]).toThrow('A row was changed');
  });

  test('a position in line belongs to the new attempt when a pull request leaves and is submitted again in one decision', () => {
    const draft = aDraft({ submissions: [aTestedSubmission(1), aSubmission(2)] });
    expect(positionIn(draft, submissionIdOf(2))?.stack).toEqual([aMember(1)]);
    const left = draft.move(aTestedSubmission(1), 'cancelled', { reason: 'USER_REQUESTED' });
    draft.openAttempt({ ...left, state: 'pending', attempt: 2 }, anActor);

    expect(positionIn(draft, submissionIdOf(2))?.stack).toEqual([aMember(1, { attempt: 2 })]);
  });
});

describe('pull requests that are passed over', () => {
  const isInPlay = (given: Given, pr: number) => positionIn(aDraft(given), submissionIdOf(pr))?.isInPlay;

  test('the line passes over a pull request that conflicts, is not ready or has failed', () => {
    expect(isInPlay({ submissions: [aSubmission(1, { heldBy: submissionIdOf(2) })] }, 1)).toBe(false);
    expect(isInPlay({ submissions: [aSubmission(1, { asideSince: NOW })] }, 1)).toBe(false);
    expect(isInPlay({ submissions: [aTestedSubmission(1, { state: 'pending_failure' })] }, 1)).toBe(false);
    expect(isInPlay({ submissions: [aTestedSubmission(1)] }, 1)).toBe(true);
  });

  test('the line passes over members of a batch under bisection until they are cleared', () => {
    const run = aBatchRun([1, 2, 3], [], { ...failedBy(), landed: [3], bisection: aBisection() });
    const given = {
      submissions: [
        aTestedSubmission(1, { state: 'tests_passed' }),
        aTestedSubmission(2, { state: 'pending' }),
        aTestedSubmission(3),
      ],
      runs: [run],
    };

    expect([1, 2, 3].map((pr) => isInPlay(given, pr))).toEqual([true, false, true]);
    expect([1, 2, 3].map((pr) => isBisected(aDraft(given), aTestedSubmission(pr)))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('witnesses of a failed pull request', () => {
  const failed = (witnesses = [aMember(2)]) => aRunOn([1], { ...failedBy(), witnesses });
  const held = aTestedSubmission(1, { state: 'pending_failure' });

  test('a witness that a failure waits for is tested on the failed pull request, and others are not', () => {
    const submissions = [held, aSubmission(2), aSubmission(3)];

    expect(stacks({ submissions, runs: [failed()] })).toEqual([
      [1, []],
      [2, [1]],
      [3, [2]],
    ]);
  });

  test('a witness of a failed pull request is tested on its normal stack as well, and does not name the failed one as left out', () => {
    const draft = aDraft({
      submissions: [held, aTestedSubmission(2), aSubmission(3)],
      runs: [failed([aMember(3)])],
    });

    expect(positionIn(draft, submissionIdOf(3))).toMatchObject({
      stack: [aMember(1), aMember(2)],
      without: [],
    });
  });

  test('a witness is too deep when its stack with the failed pull request exceeds one candidate', () => {
    const begun = Array.from({ length: STACK_LIMIT - 1 }, (_, index) => aTestedSubmission(index + 2));
    const last = aSubmission(STACK_LIMIT + 1);
    const runs = [failed([aMember(last.pr)])];
    const draft = aDraft({ submissions: [held, ...begun, last], runs });

    expect(positionIn(draft, last.id)).toMatchObject({ isTooDeep: true, isInPlay: false, stack: [] });
    expect(positionIn(aDraft({ submissions: [held, ...begun.slice(1), last], runs }), last.id)).toMatchObject(
      { isTooDeep: false, isInPlay: true },
    );
  });

  test('a witness is not tested on a failed pull request that may not land', () => {
    const submissions = [{ ...held, asideSince: NOW }, aSubmission(2)];

    expect(stacks({ submissions, runs: [failed()] })[1]).toEqual([2, []]);
  });

  test('a witness with another head or attempt does not count as that witness', () => {
    const submissions = [held, aSubmission(2, { attempt: 2 })];

    expect(stacks({ submissions, runs: [failed()] })[1]).toEqual([2, []]);
  });

  test('a witness of two failures is tested on both', () => {
    const submissions = [held, aTestedSubmission(2, { state: 'pending_failure' }), aSubmission(3)];
    const runs = [failed([aMember(3)]), aRunOn([1, 2], { ...failedBy(), witnesses: [aMember(3)] })];

    expect(stacks({ submissions, runs })[2]).toEqual([3, [1, 2]]);
  });

  test('a witness that is already in line is tested on each failure that starts to wait for it', () => {
    const submissions = [held, aTestedSubmission(2, { state: 'pending_failure' }), aSubmission(3)];
    const draft = aDraft({ submissions });
    const stack = () => positionIn(draft, submissionIdOf(3))?.stack.map(({ pr }) => pr);
    expect(stack()).toEqual([]);

    draft.addRun(failed([aMember(3)]));
    expect(stack()).toEqual([1]);

    draft.addRun(aRunOn([1, 2], { ...failedBy(), witnesses: [aMember(3)] }));
    expect(stack()).toEqual([1, 2]);
  });

  test('a witness is tested on the failure that waits for it now, and not on an earlier one', () => {
    const submissions = [held, aTestedSubmission(2, { state: 'pending_failure' }), aSubmission(3)];
    const draft = aDraft({ submissions, runs: [failed([aMember(3)])] });
    const stack = () => positionIn(draft, submissionIdOf(3))?.stack.map(({ pr }) => pr);
    expect(stack()).toEqual([1]);

    draft.closeRun(failed([aMember(3)]), 'superseded');
    draft.addRun(aRunOn([2], { ...failedBy(), witnesses: [aMember(3)] }));

    expect(stack()).toEqual([2]);
  });

  test('a witness is not connected to a lane by a pull request that is passed over', () => {
    const aside = aTestedSubmission(3, { state: 'pending', asideSince: NOW });
    const submissions = [held, aTestedSubmission(2), aside, aTestedSubmission(4, { state: 'pending' })];
    const targets = [touching(1, ['a', 'b']), touching(2, ['a']), touching(4, ['b'])];
    const runs = [failed([aMember(4)])];

    expect(stacks({ queue: parallel, submissions, targets, runs })[3]).toEqual([4, [1]]);
  });

  test('a witness is not tested on a failed batch once that is under bisection', () => {
    const run = { ...failed(), bisection: aBisection() };

    expect(stacks({ submissions: [held, aSubmission(2)], runs: [run] })[1]).toEqual([2, []]);
  });
});
