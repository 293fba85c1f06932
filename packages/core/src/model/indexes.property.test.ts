import { aSubmission } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyIndexes, type IndexName, Orders, reindex } from './indexes.js';
import type { Submission } from './submission.js';

const AGEING_MS = 60_000;
const names: readonly IndexName[] = ['begun', 'waiting', 'unready', 'missing', 'held', 'faulty'];

const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2 });
const row: fc.Arbitrary<Submission> = fc
  .record({
    pr: fc.integer({ min: 1, max: 9 }),
    state: fc.constantFrom('not_ready', 'pending', 'testing', 'merged', 'cancelled'),
    admittedAt: orNull(fc.integer({ min: 0, max: 5 })),
    place: orNull(fc.integer({ min: 0, max: 3 })),
    skipTheLine: fc.boolean(),
    asideSince: orNull(fc.integer({ min: 0, max: 3 })),
    missingSince: orNull(fc.integer({ min: 0, max: 3 })),
    heldBy: orNull(fc.constant(aSubmission(1).id)),
  })
  .map((fields) => aSubmission(fields.pr, fields));

/** What is put, and whether somebody looks behind it. */
const puts = fc.array(fc.record({ row, isLookedAt: fc.boolean() }), { maxLength: 30 });

describe('the orders of a decision', () => {
  test('are those of a state that was patched, whenever somebody looks, and leave the state as it was', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 15 }), puts, (earlier, later) => {
        const [base, patched] = [emptyIndexes(AGEING_MS), emptyIndexes(AGEING_MS)];
        const rows = new Map<number, Submission>();
        for (const one of earlier) {
          for (const indexes of [base, patched]) reindex(indexes, rows.get(one.pr), one);
          rows.set(one.pr, one);
        }
        const before = structuredClone(base);
        const orders = new Orders(base);

        for (const { row: one, isLookedAt } of later) {
          orders.put(rows.get(one.pr), one);
          reindex(patched, rows.get(one.pr), one);
          rows.set(one.pr, one);
          if (isLookedAt) expectSame(orders, patched);
        }

        expectSame(orders, patched);
        expect(base).toEqual(before);
      }),
    );
  });
});

const expectSame = (orders: Orders, patched: ReturnType<typeof emptyIndexes>): void => {
  for (const name of names) expect(orders.of(name)).toEqual(patched[name]);
  expect(orders.numbers).toEqual(patched.numbers);
};
