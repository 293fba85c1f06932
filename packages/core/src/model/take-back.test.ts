import { aClosedRun, aQueue, aRun, aSubmission, aTargetBook, effectIdOf, someWrites } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noMemos } from './memo.js';
import { applyDecided, applyRows, emptyState, type MutableQueueState, type Writes } from './state.js';
import { takingBack } from './take-back.js';

const pr = fc.integer({ min: 1, max: 6 });
const submission = fc
  .record({
    pr,
    state: fc.constantFrom('not_ready', 'pending', 'testing', 'merged', 'cancelled'),
    place: fc.option(fc.integer({ min: 0, max: 3 })),
    admittedAt: fc.option(fc.integer({ min: 0, max: 5 })),
    asideSince: fc.option(fc.integer({ min: 0, max: 3 })),
    missingSince: fc.option(fc.integer({ min: 0, max: 3 })),
  })
  .map((fields) => aSubmission(fields.pr, fields));
const run = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.boolean())
  .map(([n, isOpen]) => (isOpen ? aRun(n) : aClosedRun(n)));
const writes: fc.Arbitrary<Writes> = fc
  .record({
    queue: fc.option(fc.integer({ min: 1, max: 9 }).map((lastPlace) => aQueue({ lastPlace }))),
    submissions: fc.array(submission, { maxLength: 8 }),
    runs: fc.array(run, { maxLength: 5 }),
    targets: fc.array(
      pr.map((n) => aTargetBook(n)),
      { maxLength: 4 },
    ),
  })
  .map(someWrites);

/** All that can be read of a state. Runs stand as they came; other rows of a map have no order. */
const seenOf = ({ submissions, runs, targets, byPr, underWay, ...rest }: MutableQueueState) =>
  structuredClone({
    ...rest,
    memos: null,
    ...Object.fromEntries(
      Object.entries({ submissions, targets, byPr }).map(([name, rows]) => [
        name,
        [...rows.entries()].sort(([one], [other]) => (one < other ? -1 : 1)),
      ]),
    ),
    runs: [...runs.values()],
    underWay: [...underWay],
  });

describe('a decision that is taken back', () => {
  test('leaves the state as it was before, whatever it wrote', () => {
    fc.assert(
      fc.property(writes, writes, fc.option(fc.integer({ min: 0, max: 9 })), (before, later, restsUntil) => {
        const state = emptyState(aQueue(), 60_000);
        applyRows(state, before);
        state.underWay.add(effectIdOf(1));
        const was = seenOf(state);
        const { memos } = state;

        const takeBack = takingBack(state, { writes: later });
        state.underWay.clear();
        applyDecided(state, { writes: later, memos: noMemos(), restsUntil });
        takeBack();

        expect(seenOf(state)).toEqual(was);
        expect(state.memos).toBe(memos);
      }),
      { numRuns: 500 },
    );
  });
});
