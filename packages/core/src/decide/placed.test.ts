import { aSubmission } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aContext,
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
import { applyDecided, type MutableQueueState, type QueueState } from '../model/state.js';
import type { Submission } from '../model/submission.js';
import { Draft } from './draft.js';
import { positionIn, positions, WINDOW_LIMIT } from './positions.js';
import { memberOf } from './standpoint.js';

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
});

/** All that is told of those in line, as far as it is looked at for so many of those who wait. */
const told = (draft: Draft, waiting: number) =>
  positions(draft, waiting).map(({ member, stack, without, isInPlay, isFit, isTooDeep }) => {
    return { member, stack, without, isInPlay, isFit, isTooDeep };
  });

describe('what is kept of the line', () => {
  const SIZE = 7;
  type Change = (draft: Draft, one: Submission, value: number) => void;
  const changes: readonly Change[] = [
    (draft, one) => draft.change(one, { asideSince: one.asideSince === null ? NOW : null }),
    (draft, one) => draft.change(one, { retryAt: one.retryAt === null ? NOW + 1 : null }),
    (draft, one, value) => draft.change(one, { place: one.place === null ? value : null }),
    (draft, one, value) => draft.change(one, { priority: { value: value % 2, named: false } }),
    (draft, one, value) => draft.change(one, { head: aSubmission(value + 1).head }),
    (draft, one, value) => draft.change(one, { timesPutOff: value }),
    (draft, one) => draft.move(one, 'cancelled', { reason: 'USER_REQUESTED' }),
    (draft, one, value) => draft.putTargets(touching(one.pr, targetsBy(value))),
    (draft, one, value) => callWitness(draft, one, draft.liveSubmission(1 + (value % SIZE))),
    (draft) => draft.changeQueue({ settings: { ...draft.queue.settings, mode: otherMode(draft) } }),
  ];
  const otherMode = ({ queue }: Draft) => (queue.settings.mode === 'single' ? 'parallel' : 'single');
  const targetsBy = (value: number): readonly string[] =>
    ['a', 'b', 'c', 'd'].filter((_, index) => (value >> index) % 2 === 1);
  const callWitness = (draft: Draft, failed: Submission, witness: Submission | undefined): void => {
    const run = aRunOn([failed.pr], failedBy());
    if (witness === undefined || draft.run(run.id) !== undefined) return;
    draft.addRun({ ...run, witnesses: [memberOf(witness)] });
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
    becomes: fc.constantFrom('changed further', 'given up', 'committed', 'committed beneath a look'),
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
          if (becomes === 'committed beneath a look') positions(draftOf(state), WINDOW_LIMIT);
          if (becomes !== 'given up') commit(state, draft);
          [draft, changed] = [draftOf(state), []];
          expectSame(waiting);
        }
        expectSame(WINDOW_LIMIT);
      }),
      { numRuns: 400 },
    );
  });
});
