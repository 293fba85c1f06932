import { aMember, anActor, aSubmission } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aContext,
  aLanding,
  anIsolation,
  aQuietQueue,
  aRunOn,
  aState,
  aTestedSubmission,
  failedBy,
  type Given,
  NOW,
  touching,
} from '../../test/rules.js';
import { noMemos } from '../model/memo.js';
import { applyDecided, applyRows, type MutableQueueState, type QueueState } from '../model/state.js';
import type { Submission } from '../model/submission.js';
import { Draft } from './draft.js';
import { positionIn, positions, WINDOW_LIMIT } from './positions.js';
import { memberOf } from './standpoint.js';

const noRows = { queue: null, submissions: [], runs: [], targets: [] };
const draftOf = (state: QueueState): Draft => new Draft(state, aContext());
const commit = (state: MutableQueueState, draft: Draft): void =>
  applyDecided(state, { ...draft.finish(), memos: draft.known.memos, restsUntil: null });

const numbers = (draft: Draft) => positions(draft, WINDOW_LIMIT).map(({ member }) => member.pr);
const live = (draft: Draft, pr: number): Submission => {
  const submission = draft.liveSubmission(pr);
  if (submission === undefined) throw new Error(`#${pr} is not there`);
  return submission;
};
const cancel = (draft: Draft, pr: number) =>
  draft.move(live(draft, pr), 'cancelled', { reason: 'USER_REQUESTED' });

describe('who has been placed', () => {
  test('by a decision that came to nothing does not stand in line', () => {
    const newcomer = aSubmission(2, { state: 'not_ready', admittedAt: null, admittedRank: null });
    const state = aState({ submissions: [aSubmission(1), newcomer] });
    const seen = draftOf(state);
    expect(numbers(seen)).toEqual([1]);

    const refused = draftOf(state);
    refused.move(newcomer, 'pending', { reason: 'MERGE_ITEM_NOW_READY' }, { admittedAt: NOW });
    expect(numbers(refused)).toEqual([1, 2]);

    for (const draft of [seen, draftOf(state)]) {
      expect(numbers(draft)).toEqual([1]);
      expect(positionIn(draft, newcomer.id, WINDOW_LIMIT)).toBeUndefined();
    }
  });

  test('by whoever looked while a commit was under way stands in line no more where that let him go', () => {
    const state = aState({ submissions: [aSubmission(1), aSubmission(2)] });
    const decided = draftOf(state);
    cancel(decided, 2);
    expect(numbers(decided)).toEqual([1]);
    expect(numbers(draftOf(state))).toEqual([1, 2]);

    commit(state, decided);

    expect(numbers(draftOf(state))).toEqual([1]);
  });

  test('is told on whom he stood then, whoever is placed since', () => {
    const targets = [1, 2, 3, 4].map((pr) => touching(pr, ['a']));
    const queue = aQuietQueue({ mode: 'parallel' });
    const submissions = [aSubmission(1, { asideSince: NOW }), ...[2, 3, 4].map((pr) => aSubmission(pr))];
    const draft = draftOf(aState({ queue, submissions, targets }));
    const known = positions(draft, WINDOW_LIMIT);

    draft.change(live(draft, 1), { asideSince: null });
    cancel(draft, 2);
    draft.putTargets(touching(3, ['b']));
    const now = positions(draft, WINDOW_LIMIT);

    expect(known.at(-1)).toMatchObject({ stack: [aMember(2), aMember(3)], without: [aMember(1)] });
    expect(now.at(-1)).toMatchObject({ stack: [aMember(1)], without: [] });
  });

  test('stands there as the same position, for as long as nobody before him has changed, whoever commits', () => {
    const state = aState({ submissions: [1, 2, 3].map((pr) => aSubmission(pr)) });
    const decided = draftOf(state);
    const [first, second] = positions(decided, WINDOW_LIMIT);
    cancel(decided, 3);
    commit(state, decided);
    expect(positions(draftOf(state), WINDOW_LIMIT)[1]).toBe(second);

    applyRows(state, { ...noRows, submissions: [aSubmission(2, { asideSince: NOW })] });

    expect(positions(draftOf(state), WINDOW_LIMIT)[0]).toBe(first);
    expect(positions(draftOf(state), WINDOW_LIMIT)[1]).not.toBe(second);
  });

  test('stands elsewhere once others have committed who stands where', () => {
    const state = aState({ submissions: [aSubmission(1), aSubmission(2)] });
    expect(numbers(draftOf(state))).toEqual([1, 2]);

    applyRows(state, { ...noRows, submissions: [aSubmission(2, { place: 1 })] });

    expect(numbers(draftOf(state))).toEqual([2, 1]);
  });

  test('stands on others once those have committed what it touches', () => {
    const queue = aQuietQueue({ mode: 'parallel' });
    const submissions = [aSubmission(1), aSubmission(2)];
    const targets = [touching(1, ['a']), touching(2, ['a'])];
    const state = aState({ queue, submissions, targets });
    expect(positionIn(draftOf(state), aSubmission(2).id, 2)?.stack).toEqual([aMember(1)]);

    applyRows(state, { ...noRows, targets: [touching(2, ['b'])] });

    expect(positionIn(draftOf(state), aSubmission(2).id, 2)?.stack).toEqual([]);
  });

  test('is built on once others have committed that it has passed while its batch is looked into', () => {
    const one = aTestedSubmission(1);
    const batch = aBatchRun([1, 2], [], { ...failedBy(), isolation: anIsolation() });
    const state = aState({
      submissions: [one, aTestedSubmission(2), aTestedSubmission(3)],
      runs: [batch, aRunOn([3])],
    });
    expect(positionIn(draftOf(state), one.id)?.isInPlay).toBe(false);

    applyRows(state, { ...noRows, submissions: [{ ...one, state: 'tests_passed' }] });

    expect(positionIn(draftOf(state), one.id)?.isInPlay).toBe(true);
  });

  test('is tested on a failed one from when others have committed that it bears witness for that, until it does not', () => {
    const held = aTestedSubmission(1, { state: 'pending_failure' });
    const state = aState({ submissions: [held, aSubmission(2)], runs: [aRunOn([1])] });
    const stack = () => positionIn(draftOf(state), aSubmission(2).id, 1)?.stack;
    expect(stack()).toEqual([]);

    const failed = aRunOn([1], { ...failedBy(), witnesses: [aMember(2)] });
    applyRows(state, { ...noRows, runs: [failed] });
    expect(stack()).toEqual([aMember(1)]);

    applyRows(state, { ...noRows, runs: [{ ...failed, closedAt: NOW, closedBecause: 'judged' }] });
    expect(stack()).toEqual([]);
  });

  test('gives its place to another one also where both are of the same commit', () => {
    const { head } = aSubmission(1);
    const draft = draftOf(aState({ submissions: [aSubmission(1), aSubmission(2, { head })] }));
    expect(numbers(draft)).toEqual([1, 2]);

    draft.change(live(draft, 2), { place: 1 });

    expect(numbers(draft)).toEqual([2, 1]);
  });

  test('and is submitted again within one decision stands there with the new attempt', () => {
    const draft = draftOf(aState({ submissions: [aSubmission(1), aSubmission(2)] }));
    expect(numbers(draft)).toEqual([1, 2]);

    cancel(draft, 1);
    draft.openAttempt(aSubmission(1, { attempt: 2 }), anActor);

    expect(positions(draft, WINDOW_LIMIT)).toMatchObject([
      { member: aMember(1, { attempt: 2 }) },
      { member: aMember(2), stack: [aMember(1, { attempt: 2 })] },
    ]);
  });

  test('and has left does not stand where another one stands now', () => {
    const draft = draftOf(aState({ submissions: [aSubmission(1), aSubmission(2)] }));
    expect(numbers(draft)).toEqual([1, 2]);

    cancel(draft, 1);

    expect([1, 2].map((pr) => positionIn(draft, aSubmission(pr).id, WINDOW_LIMIT)?.member.pr)).toEqual([
      undefined,
      2,
    ]);
  });

  test('and whose targets become as many others stands in the lane of those', () => {
    const submissions = [1, 2, 3].map((pr) => aSubmission(pr));
    const targets = [touching(1, ['//a', '//b']), touching(2, ['//c']), touching(3, ['//a', '//d'])];
    const draft = draftOf(aState({ queue: aQuietQueue({ mode: 'parallel' }), submissions, targets }));
    const stackOf3 = () => positionIn(draft, aSubmission(3).id, WINDOW_LIMIT)?.stack.map(({ pr }) => pr);
    expect(stackOf3()).toEqual([1]);

    draft.putTargets(touching(3, ['//a', '//c']));

    expect(stackOf3()).toEqual([1, 2]);
  });

  test('is found anew where a row was patched through a copy that was not the last one', () => {
    const draft = draftOf(aState({ submissions: [aSubmission(1), aSubmission(2)] }));
    draft.change(live(draft, 2), { place: 1 });
    expect(numbers(draft)).toEqual([2, 1]);

    draft.change(aSubmission(2), { timesPutOff: 1 });

    expect(numbers(draft)).toEqual([1, 2]);
  });
});

/** All that is told of those in line, as far as it is looked at for so many of those who wait. */
const told = (draft: Draft, waiting: number) =>
  positions(draft, waiting).map(({ member, stack, without, isInPlay, isFit, isTooDeep }) => {
    return { member, stack, without, isInPlay, isFit, isTooDeep };
  });

/** Of these, who is said to stand where, as far as the line is looked at. */
const placesOf = (draft: Draft, prs: readonly number[], waiting: number) =>
  prs.map((pr) => positionIn(draft, aSubmission(pr).id, waiting)?.member.pr);

describe('what is kept of the line', () => {
  const SIZE = 7;
  const prs = Array.from({ length: SIZE }, (_, index) => index + 1);
  type Change = (draft: Draft, one: Submission, value: number) => unknown;
  const changes: readonly Change[] = [
    (draft, one) => draft.change(one, { asideSince: one.asideSince === null ? NOW : null }),
    (draft, one) => draft.change(one, { retryAt: one.retryAt === null ? NOW + 1 : null }),
    (draft, one, value) => draft.change(one, { place: one.place === null ? value : null }),
    (draft, one, value) => draft.change(one, { priority: { value: value % 2, named: false } }),
    (draft, one, value) => draft.change(one, { head: aSubmission(value + 1).head }),
    (draft, one) => draft.change(one, { attempt: one.attempt + 1 }),
    (draft, one, value) => draft.change(one, { timesPutOff: value }),
    (draft, one) => draft.move(one, 'cancelled', { reason: 'USER_REQUESTED' }),
    (draft, one, value) => draft.putTargets(touching(one.pr, targetsBy(value))),
    (draft, one) =>
      one.state === 'testing' &&
      draft.move(one, 'pending_failure', { reason: 'TEST_RUN_REQUIRED_STATUS_FAILED' }),
    (draft, one, value) => callWitness(draft, one, draft.liveSubmission(1 + (value % SIZE))),
    (draft, one) =>
      draft.changeQueue({ landing: draft.queue.landing === null ? aLanding(aRunOn([one.pr])) : null }),
    (draft) => draft.changeQueue({ wanted: draft.queue.wanted === 'running' ? 'paused' : 'running' }),
    (draft) => draft.changeQueue({ settings: { ...draft.queue.settings, mode: otherMode(draft) } }),
  ];
  const otherMode = ({ queue }: Draft) => (queue.settings.mode === 'single' ? 'parallel' : 'single');
  const targetsBy = (value: number): readonly string[] =>
    ['a', 'b', 'c', 'd'].filter((_, index) => (value >> index) % 2 === 1);
  const callWitness = (draft: Draft, failed: Submission, witness: Submission | undefined): void => {
    const run = aRunOn([failed.pr], failedBy());
    const [known, witnesses] = [draft.run(run.id), witness === undefined ? [] : [memberOf(witness)]];
    if (known === undefined) draft.addRun({ ...run, witnesses });
    else draft.changeRun(known, { witnesses: [...known.witnesses, ...witnesses] });
  };

  const aLine = fc.array(fc.nat(15), { minLength: SIZE, maxLength: SIZE }).map(
    (values): Given => ({
      queue: aQuietQueue({ mode: 'parallel', concurrency: 9 }),
      submissions: values.map((value, index) =>
        value % 3 === 0 ? aTestedSubmission(index + 1) : aSubmission(index + 1),
      ),
      targets: values.map((value, index) => touching(index + 1, targetsBy(value))),
    }),
  );
  const aStep = fc.record({
    change: fc.constantFrom(...changes),
    pr: fc.integer({ min: 1, max: SIZE }),
    value: fc.nat(15),
    waiting: fc.constantFrom(0, 1, 3, WINDOW_LIMIT),
    /** Whether it is also asked whom they stand on, or only who stands there. */
    isTold: fc.boolean(),
    becomes: fc.constantFrom(
      'changed further',
      'given up',
      'committed',
      'committed elsewhere',
      'looked past',
    ),
  });

  test('is what one finds who places everybody anew, whatever was changed before, and was given up', () => {
    fc.assert(
      fc.property(aLine, fc.array(aStep, { maxLength: 12 }), (given, steps) => {
        const state = aState(given);
        let [draft, changed]: [Draft, ((draft: Draft) => void)[]] = [draftOf(state), []];
        const expectSame = (waiting: number): void => {
          const anew = draftOf({ ...state, memos: noMemos() });
          for (const change of changed) change(anew);
          expect(told(draft, waiting)).toEqual(told(anew, waiting));
          expect(placesOf(draft, prs, waiting)).toEqual(placesOf(anew, prs, waiting));
        };
        for (const { change, pr, value, waiting, isTold, becomes } of steps) {
          const toOne = (to: Draft): void => {
            const one = to.liveSubmission(pr);
            if (one !== undefined) change(to, one, value);
          };
          positions(draft, waiting);
          toOne(draft);
          changed.push(toOne);
          if (isTold) expectSame(waiting);
          else positions(draft, waiting);
          if (becomes === 'changed further') continue;
          if (becomes === 'looked past') positions(draftOf(state), WINDOW_LIMIT);
          if (becomes === 'committed elsewhere') applyRows(state, draft.finish().writes);
          else if (becomes !== 'given up') commit(state, draft);
          [draft, changed] = [draftOf(state), []];
          expectSame(waiting);
        }
        expectSame(WINDOW_LIMIT);
      }),
      { numRuns: 400 },
    );
  });
});
