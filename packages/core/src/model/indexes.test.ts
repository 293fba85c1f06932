import { aSubmission, BUILT_AT } from '@mq/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyOfIndexes, emptyIndexes, Orders, reindex, type SubmissionIndexes } from './indexes.js';
import { compareInLine } from './order.js';
import { isAdmitted, isLive, type Submission } from './submission.js';

const AGEING_MS = 60_000;
const SIZE = 12;

type Rows = ReadonlyMap<number, Submission>;

/** Any row of a submission, with few instants so that several share one. */
const aRow: fc.Arbitrary<Submission> = fc
  .record({
    pr: fc.integer({ min: 1, max: SIZE }),
    state: fc.constantFrom('not_ready', 'pending', 'testing', 'tests_passed', 'merged', 'cancelled'),
    stateSince: fc.integer({ min: BUILT_AT, max: BUILT_AT + 2 }),
    asideSince: fc.option(fc.integer({ min: BUILT_AT, max: BUILT_AT + 2 })),
    missingSince: fc.option(fc.integer({ min: BUILT_AT, max: BUILT_AT + 2 })),
    heldBy: fc.option(fc.constant(aSubmission(1).id)),
    fault: fc.option(
      fc
        .option(fc.integer({ min: BUILT_AT, max: BUILT_AT + 2 }))
        .map((retryAt) => ({ code: 'MERGE_NOT_COMPUTABLE', message: 'm', tries: 1, retryAt, isAside: true })),
    ),
    place: fc.option(fc.integer({ min: 1, max: 4 })),
    priority: fc.record({ value: fc.constantFrom(0, 10, 100), named: fc.constant(true) }),
  })
  .map(
    ({ pr, state, ...override }): Submission =>
      aSubmission(pr, { state, ...override } as Partial<Submission>),
  );
const someRows = fc.array(aRow, { maxLength: 40 });

const inLine = (one: Submission, other: Submission): number => compareInLine(one, other, AGEING_MS);
const byNumber = (one: Submission, other: Submission): number => one.pr - other.pr;
const bySince =
  (since: (row: Submission) => number | null) =>
  (one: Submission, other: Submission): number =>
    (since(one) ?? 0) - (since(other) ?? 0) || byNumber(one, other);
const unreadySince = (row: Submission): number | null =>
  row.state === 'not_ready' ? row.stateSince : row.asideSince;

/** The same indexes, computed from all rows at once. */
const sorted = (rows: Rows): SubmissionIndexes => {
  const live = [...rows.values()].filter(isLive);
  const admitted = live.filter(isAdmitted);
  const faulty = live.filter(({ fault }) => fault !== null && fault.retryAt !== null);
  const missing = live.filter(({ missingSince }) => missingSince !== null);
  return {
    ageingMsPerPoint: AGEING_MS,
    begun: admitted.filter(({ place }) => place !== null).sort(inLine),
    waiting: admitted.filter(({ place }) => place === null).sort(inLine),
    unready: live.filter((row) => unreadySince(row) !== null).sort(bySince(unreadySince)),
    missing: missing.sort(bySince(({ missingSince }) => missingSince)),
    held: live.filter(({ heldBy }) => heldBy !== null).sort(byNumber),
    faulty: faulty.sort(bySince(({ fault }) => fault?.retryAt ?? null)),
    numbers: live.map(({ pr }) => pr).sort((one, other) => one - other),
  };
};

const putAll = (
  rows: Map<number, Submission>,
  changes: readonly Submission[],
  put: (before: Submission | undefined, after: Submission) => void,
): void => {
  for (const row of changes) {
    put(rows.get(row.pr), row);
    rows.set(row.pr, row);
  }
};

const shownBy = (orders: Orders): SubmissionIndexes => ({
  ageingMsPerPoint: AGEING_MS,
  begun: [...orders.of('begun')],
  waiting: [...orders.of('waiting')],
  unready: [...orders.of('unready')],
  missing: [...orders.of('missing')],
  held: [...orders.of('held')],
  faulty: [...orders.of('faulty')],
  numbers: [...orders.numbers],
});

test('indexes updated row by row equal those of all rows', () => {
  fc.assert(
    fc.property(someRows, (changes) => {
      const [indexes, rows] = [emptyIndexes(AGEING_MS), new Map<number, Submission>()];
      putAll(rows, changes, (before, after) => reindex(indexes, before, after));

      expect(indexes).toEqual(sorted(rows));
    }),
    { numRuns: 300 },
  );
});

test('indexes of a decision follow its rows and leave the original ones unchanged', () => {
  fc.assert(
    fc.property(someRows, someRows, aRow, (known, changes, one) => {
      const [indexes, rows] = [emptyIndexes(AGEING_MS), new Map<number, Submission>()];
      putAll(rows, known, (before, after) => reindex(indexes, before, after));
      const before = sorted(rows);
      const orders = new Orders(indexes);
      expect(shownBy(orders)).toEqual(before);

      putAll(rows, changes, (was, is) => orders.put(was, is));

      const line = sorted(rows);
      for (const name of ['begun', 'waiting'] as const) {
        expect(orders.rank(name, one)).toBe(line[name].filter((row) => inLine(row, one) < 0).length);
        expect(line[name].map((row) => orders.rank(name, row))).toEqual([...line[name].keys()]);
      }
      expect(shownBy(orders)).toEqual(line);
      expect(indexes).toEqual(before);
    }),
    { numRuns: 300 },
  );
});

test('a copy of indexes is independent', () => {
  const fault = {
    code: 'MERGE_NOT_COMPUTABLE',
    message: 'm',
    tries: 1,
    retryAt: BUILT_AT,
    isAside: true,
  } as const;
  const aside = { asideSince: BUILT_AT, missingSince: BUILT_AT, heldBy: aSubmission(1).id, fault };
  const [indexes, rows] = [emptyIndexes(AGEING_MS), new Map<number, Submission>()];
  putAll(rows, [aSubmission(1, aside), aSubmission(2, { place: 1 })], (before, after) =>
    reindex(indexes, before, after),
  );

  const copy = copyOfIndexes(indexes);
  for (const row of rows.values()) reindex(copy, row, { ...row, state: 'cancelled' });

  expect(copy).toEqual(emptyIndexes(AGEING_MS));
  expect(indexes).toEqual(sorted(rows));
});
