import { aCandidate, aChain, aReceipt, effectIdOf, rechained, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { Receipt, ReceiptBody } from './receipt.js';
import { verifyReceipts } from './verify-receipts.js';

const codes = (receipts: readonly Receipt[], options = {}) =>
  verifyReceipts(receipts, options).faults.map(({ code, number }) => `${number} ${code}`);

const chain = aChain(5);

/** The chain with some receipts changed, by number. */
const saying = (patches: Readonly<Record<number, Partial<ReceiptBody>>>): readonly Receipt[] =>
  rechained(chain.map((receipt) => ({ ...receipt, ...patches[receipt.number] })));

const onto = (number: number, tip: string): Partial<ReceiptBody> => ({
  landed: { ...chain[number - 1]!.landed, onto: tip },
});

/** #1 and #2 in one move of the branch, each with its own test run. */
const together = (ofFirst: Partial<ReceiptBody>, ofSecond: Partial<ReceiptBody> = {}): readonly Receipt[] => {
  const { steps, commit, tree } = aCandidate([1, 2]);
  const landed = (index: number) => {
    const step = { commit: steps[index]!.commit, tree: steps[index]!.tree };
    const move = { landingId: effectIdOf(9), onto: shaOf(1), head: commit };
    return { ...aReceipt().landed, ...move, trial: { commit, tree }, step, ...step };
  };
  const tested = (pr: number, index: number) => {
    const step = { commit: steps[index]!.commit, tree: steps[index]!.tree };
    return { ...aReceipt({ pr }).tested!, trial: step, step };
  };
  const [one, two] = [aReceipt().tested!.batch[0]!, aReceipt({ pr: 2 }).tested!.batch[0]!];
  return rechained([
    aReceipt({ landed: landed(0), tested: tested(1, 0), ...ofFirst }),
    aReceipt({
      pr: 2,
      landed: landed(1),
      tested: { ...tested(2, 1), stack: [one], batch: [two] },
      ...ofSecond,
    }),
  ]);
};

describe('a later part of a chain', () => {
  test('the head of a later part of a chain is its last receipt', () => {
    const { head } = verifyReceipts(chain.slice(0, 3));

    expect(verifyReceipts(chain.slice(3), { after: head }).head).toEqual({ count: 5, hash: chain[4]!.hash });
  });
});

describe('a receipt', () => {
  test('a receipt older than the previous one is a fault, and the next one is compared with it only', () => {
    const [{ at }] = chain as [Receipt];

    expect(codes(saying({ 2: { at: at - 2 }, 3: { at: at - 1 } }))).toEqual(['2 TIME_GOES_BACK']);
  });

  test('attempts of different pull requests are not confused by their digits', () => {
    const attempt = (pr: number, count: number): Partial<ReceiptBody> => {
      const { tested, head } = aReceipt({ pr });
      return { pr, head, attempt: count, tested: { ...tested!, batch: [{ pr, head, attempt: count }] } };
    };
    const built = (number: number) => {
      const { step, trial } = chain[number - 1]!.tested!;
      return { step, trial };
    };
    const receipts = [attempt(1, 11), attempt(11, 1)].map((one, index) => ({
      ...one,
      tested: { ...one.tested!, ...built(index + 1) },
    }));

    expect(codes(saying({ 1: receipts[0]!, 2: receipts[1]! }))).toEqual([]);
  });

  test('the first receipt of a landing has the tree of its own step', () => {
    expect(codes(together({}))).toEqual([]);
    const [first, second] = together({});

    expect(codes(together({ landed: { ...first!.landed, tree: second!.landed.tree } }))).toContain(
      '1 TREE_NOT_AS_BUILT',
    );
  });

  test('a receipt tested on top of one that lands below it must have the tested tree', () => {
    const { tested } = together({})[1]!;
    const other = { commit: shaOf(77), tree: shaOf(77, 'd') };

    expect(codes(together({}, { tested: { ...tested!, step: other } }))).toEqual(['2 TREE_NOT_TESTED']);
  });
});

describe('a landing', () => {
  test('a landing on an earlier head that the branch has left is a move back', () => {
    const pushed = { 2: onto(2, shaOf(99)), 3: onto(3, chain[0]!.landed.head) };

    expect(codes(saying(pushed))).toEqual(['3 BRANCH_MOVED_BACK']);
  });

  test('a landing of several in between is named by its last commit', () => {
    const [first, second] = together({});
    const third = { ...chain[2]!, landed: { ...chain[2]!.landed, onto: second!.landed.head } };
    const between = (commit: string, prs: number[]) =>
      codes(rechained([first!, second!, { ...third, between: [{ commit, prs }], vouchedBy: ['run'] }]));

    expect(between(second!.landed.head, [1])).toEqual([]);
    expect(between(second!.landed.head, [2])).toEqual([]);
    expect(between(first!.landed.commit, [1])).toEqual([]);
    expect(between(first!.landed.commit, [2])).toEqual(['3 BETWEEN_UNKNOWN']);
  });

  test('a landing in between is found also if its pull request has landed again since', () => {
    const { tested, landed } = chain[1]!;
    const own = tested!.batch[0]!;
    const batch = [{ pr: 1, attempt: 2, head: own.head }];
    const again = { pr: 1, attempt: 2, head: own.head, tested: { ...tested!, batch } };
    const after = (commit: string) =>
      codes(saying({ 2: again, 3: { between: [{ commit, prs: [1] }], vouchedBy: ['run'] } }));

    expect(after(chain[0]!.landed.commit)).toEqual([]);
    expect(after(landed.commit)).toEqual([]);
  });
});
