import { createHash } from 'node:crypto';
import { aCandidate, aChain, aReceipt, effectIdOf, queueIdOf, rechained, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { type Receipt, type ReceiptBody, receiptHash, receiptSchema, sealed } from './receipt.js';
import { verifyReceipts } from './verify-receipts.js';

const chain = aChain(5);
const codes = (receipts: readonly Receipt[], options = {}) =>
  verifyReceipts(receipts, options).faults.map(({ code, number }) => `${number} ${code}`);

const saying = (number: number, patch: (receipt: Receipt) => Partial<ReceiptBody>): readonly Receipt[] =>
  rechained(
    chain.map((receipt) => (receipt.number === number ? { ...receipt, ...patch(receipt) } : receipt)),
  );
const landedAs = (number: number, patch: Partial<Receipt['landed']>) =>
  saying(number, ({ landed }) => ({ landed: { ...landed, ...patch } }));
const testedAs = (number: number, patch: Partial<NonNullable<Receipt['tested']>>) =>
  saying(number, ({ tested }) => ({ tested: tested === null ? null : { ...tested, ...patch } }));

describe('a chain of receipts', () => {
  test('a complete chain has no fault, and yields its head and landings', () => {
    const { faults, head, landings } = verifyReceipts(chain);
    expect(faults).toEqual([]);
    expect(head).toEqual({ count: 5, hash: chain[4]?.hash });
    expect(landings.map(({ receipts }) => receipts.map(({ pr }) => pr))).toEqual([[1], [2], [3], [4], [5]]);
    expect(verifyReceipts([])).toEqual({ faults: [], landings: [], head: { count: 0, hash: null } });
  });

  test('a changed receipt no longer matches its hash', () => {
    const changed = chain.map((receipt) =>
      receipt.number === 3 ? { ...receipt, settingsVersion: 9 } : receipt,
    );
    expect(codes(changed)).toEqual(['3 HASH_WRONG']);
    expect(verifyReceipts(changed).faults[0]?.sentence).toContain(`its hash is ${chain[2]?.hash}`);
  });

  test('a changed receipt with a new hash breaks the chain', () => {
    const changed = chain.map((receipt) =>
      receipt.number === 3 ? sealed({ ...receipt, settingsVersion: 9 }) : receipt,
    );
    expect(codes(changed)).toEqual(['4 CHAIN_BROKEN']);
  });

  test('a chain forged from one receipt on does not contain a known head', () => {
    const forged = saying(3, () => ({ settingsVersion: 9 }));
    const heads = [{ count: 5, hash: chain[4]?.hash ?? null }];
    expect(codes(chain, { heads })).toEqual([]);
    expect(codes(forged)).toEqual([]);
    expect(codes(forged, { heads })).toEqual(['null HEAD_NOT_REACHED']);
  });

  test.each([
    [[1, 2, 4, 5], ['4 RECEIPT_MISSING'], 'receipt 3 is missing'],
    [[1, 4, 5], ['4 RECEIPT_MISSING'], 'receipts 2 to 3 are missing'],
    [[2, 3, 4, 5], ['2 RECEIPT_MISSING'], 'receipt 1 is missing'],
    [[1, 2, 2, 3], ['2 NUMBER_TWICE', '2 LANDED_TWICE'], 'it follows receipt 2'],
    [
      [1, 2, 3, 1],
      ['1 NUMBER_TWICE', '1 BRANCH_MOVED_BACK', '1 LANDING_INCONSISTENT', '1 LANDED_TWICE'],
      'it follows receipt 3',
    ],
  ])('a chain of receipts of the numbers %j is not whole', (numbers, expected, sentence) => {
    const given = numbers.flatMap((number) => chain[number - 1] ?? []);
    expect(codes(given)).toEqual(expected);
    expect(verifyReceipts(given).faults[0]?.sentence).toContain(sentence);
  });

  test('a chain with its end cut off does not contain a known head', () => {
    const heads = [{ count: 5, hash: chain[4]?.hash ?? null }];
    expect(codes(chain.slice(0, 4))).toEqual([]);
    expect(codes(chain.slice(0, 4), { heads })).toEqual(['null HEAD_NOT_REACHED']);
  });

  test('a chain must contain each known head by number and hash', () => {
    const [third, fifth] = [2, 4].map((at) => ({ count: at + 1, hash: chain[at]?.hash ?? null }));
    expect(codes(chain, { heads: [third, fifth] })).toEqual([]);
    expect(codes(chain, { heads: [fifth, { ...third, hash: 'f'.repeat(64) }] })).toEqual([
      'null HEAD_NOT_REACHED',
    ]);
    expect(codes(chain, { heads: [{ ...third, count: 4 }] })).toEqual(['null HEAD_NOT_REACHED']);
    expect(codes(chain.slice(3), { after: third, heads: [{ count: 0, hash: null }] })).toEqual([]);
  });

  test('the first receipt of a chain has no previous hash', () => {
    expect(codes([sealed({ ...chain[0]!, previous: 'f'.repeat(64) })])).toEqual(['1 CHAIN_BROKEN']);
  });

  test('a chain can be verified from the head of an earlier verification', () => {
    const { head } = verifyReceipts(chain.slice(0, 3));
    expect(codes(chain.slice(3), { after: head, heads: [head] })).toEqual([]);
    expect(codes(chain.slice(3), { after: { count: 3, hash: 'f'.repeat(64) } })).toEqual(['4 CHAIN_BROKEN']);
    expect(verifyReceipts([], { after: head }).head).toEqual(head);
  });

  test('a chain has receipts of one queue only', () => {
    const other = rechained([...chain.slice(0, 1), { ...aReceipt({ pr: 2 }), queueId: queueIdOf(2) }]);
    expect(codes(other)).toEqual(['2 QUEUE_DIFFERS', '2 BRANCH_MOVED_BACK']);
    expect(codes(saying(2, () => ({ branch: 'next' })))).toEqual(['2 QUEUE_DIFFERS']);
    for (const part of ['host', 'owner', 'name'])
      expect(codes(saying(2, ({ repo }) => ({ repo: { ...repo, [part]: 'other' } })))).toEqual([
        '2 QUEUE_DIFFERS',
      ]);
  });

  test('a chain does not go back in time', () => {
    expect(codes(saying(2, ({ at }) => ({ at: at - 1 })))).toEqual(['2 TIME_GOES_BACK']);
  });

  test('unknown fields of later releases are kept and hashed', () => {
    const body = { ...aReceipt(), later: { deep: [1] } };
    const receipt = { ...body, hash: receiptHash(body) };
    expect(codes([receipt])).toEqual([]);
    expect(codes([{ ...receipt, later: { deep: [2] } } as Receipt])).toEqual(['1 HASH_WRONG']);
  });
});

describe('a receipt', () => {
  test('the hash of a receipt can be computed by other programs', () => {
    expect(receiptSchema.safeParse(aReceipt()).success).toBe(true);
    const { hash, ...body } = aReceipt();
    const sorted = (_: string, value: unknown) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value;
    expect(hash).toBe(createHash('sha256').update(JSON.stringify(body, sorted), 'utf8').digest('hex'));
  });

  test('a receipt of an untested tree is a fault', () => {
    const step = { commit: shaOf(0xb003), tree: shaOf(77, 'd') };
    expect(codes(testedAs(3, { step }))).toEqual(['3 TREE_NOT_TESTED']);
  });

  test('a receipt with another tree than intended is a fault', () => {
    const tree = shaOf(77, 'd');
    expect(codes(landedAs(3, { tree }))).toEqual(['3 TREE_NOT_AS_BUILT', '3 TRIAL_NOT_LANDED']);
  });

  test('a receipt without a test run is a fault', () => {
    expect(codes(saying(3, () => ({ tested: null })))).toEqual(['3 EVIDENCE_MISSING']);
  });

  test('a receipt whose test run tested another pull request, head or attempt is a fault', () => {
    const [own] = chain[2]?.tested?.batch ?? [];
    if (own === undefined) throw new Error('the third receipt names no batch');
    for (const batch of [
      [],
      [{ ...own, pr: 4 }],
      [{ ...own, head: shaOf(77) }],
      [{ ...own, attempt: own.attempt + 1 }],
    ])
      expect(codes(testedAs(3, { batch }))).toEqual(['3 EVIDENCE_MISSING']);
    expect(codes(testedAs(3, { batch: [], stack: [own] }))).toEqual([]);
    expect(verifyReceipts(testedAs(3, { batch: [] })).faults[0]?.sentence).toContain('did not test #3');
  });

  test('a receipt without a pass of a required check is a fault', () => {
    expect(codes(testedAs(3, { checks: [] }))).toEqual(['3 CHECK_MISSING']);
    const required = { names: [], source: 'merge_instance' } as const;
    const free = saying(3, ({ tested }) => ({ required, tested: tested && { ...tested, checks: [] } }));
    expect(codes(free)).toEqual([]);
    const [check] = chain[2]?.tested?.checks ?? [];
    const ended = (conclusion: 'failure' | null) => (check === undefined ? [] : [{ ...check, conclusion }]);
    for (const conclusion of ['failure', null] as const)
      expect(codes(testedAs(3, { checks: ended(conclusion) }))).toEqual(['3 CHECK_MISSING']);
  });

  test('a receipt must name landings in between that are in the chain before it', () => {
    const landed = aCandidate([1]).commit;
    const patch = (commit: string) => ({
      between: [{ commit, prs: [1] }],
      vouchedBy: ['run'],
      tested: {
        ...(chain[2]?.tested ?? aReceipt().tested!),
        step: { commit: shaOf(5), tree: shaOf(77, 'd') },
      },
    });
    expect(codes(saying(3, () => patch(landed)))).toEqual([]);
    expect(codes(saying(3, () => patch(shaOf(66))))).toEqual(['3 BETWEEN_UNKNOWN']);
    const [, second, third] = saying(3, () => patch(landed));
    expect(codes([third!], { after: { count: 2, hash: second!.hash } })).toEqual([]);
    expect(codes(saying(3, () => ({ ...patch(landed), between: [] })))).toEqual(['3 TREE_NOT_TESTED']);
  });

  test('a receipt tested on one that lands above it in the same move is valid', () => {
    const [first, second] = chain;
    const landing = { landingId: effectIdOf(9), onto: first!.landed.onto, head: second!.landed.head };
    const stack = second!.tested!.batch;
    const together = (patch: Partial<NonNullable<Receipt['tested']>>) =>
      rechained([
        {
          ...first!,
          landed: { ...first!.landed, ...landing },
          tested: {
            ...first!.tested!,
            ...{ stack, trial: second!.tested!.trial },
            step: { commit: shaOf(5), tree: shaOf(77, 'd') },
            ...patch,
          },
          vouchedBy: ['run'],
        },
        { ...second!, landed: { ...second!.landed, ...landing } },
      ]);
    expect(codes(together({}))).toEqual([]);
    expect(codes(together({ stack: [] }))).toEqual(['1 TREE_NOT_TESTED']);
    const batch = [...first!.tested!.batch, ...stack];
    expect(codes(together({ stack: [], batch }))).toEqual(['1 TREE_NOT_TESTED']);
    expect(codes(together({ stack: [{ ...stack[0]!, head: shaOf(66) }] }))).toEqual(['1 TREE_NOT_TESTED']);
  });

  test('a receipt of an attempt that landed before is a fault', () => {
    const { tested } = chain[1]!;
    const again = saying(3, (receipt) => ({
      ...{ pr: 2, head: chain[1]!.head },
      tested: { ...receipt.tested!, batch: tested!.batch },
    }));
    expect(codes(again)).toEqual(['3 LANDED_TWICE']);
    const [own] = tested!.batch;
    const next = saying(3, (receipt) => ({
      ...{ pr: 2, attempt: 2, head: own!.head },
      tested: { ...receipt.tested!, batch: [{ ...own!, attempt: 2 }] },
    }));
    expect(codes(next)).toEqual([]);
  });
});

describe('a landing', () => {
  const trial = aCandidate([1, 2]);
  const [one, two] = trial.steps;
  const landed = (step: typeof one) => {
    if (step === undefined) throw new Error('no such step');
    const built = { commit: step.commit, tree: step.tree };
    const whole = { commit: trial.commit, tree: trial.tree };
    return {
      ...aReceipt().landed,
      landingId: effectIdOf(1),
      trial: whole,
      step: built,
      ...built,
      head: trial.commit,
    };
  };
  const tested = {
    ...aReceipt().tested!,
    batch: [1, 2].flatMap((pr) => aReceipt({ pr }).tested!.batch),
    trial: { commit: trial.commit, tree: trial.tree },
  };
  const together = rechained([
    aReceipt({ landed: landed(one), tested: { ...tested, step: { commit: one!.commit, tree: one!.tree } } }),
    aReceipt({
      pr: 2,
      landed: landed(two),
      tested: { ...tested, step: { commit: two!.commit, tree: two!.tree } },
    }),
  ]);

  test('several pull requests can land as one candidate', () => {
    expect(codes(together)).toEqual([]);
    expect(verifyReceipts(together).landings).toEqual([
      { onto: shaOf(1), head: trial.commit, receipts: together },
    ]);
  });

  test('a landing that stopped in the middle did not land the tested candidate', () => {
    const stopped = rechained(
      together.slice(0, 1).map((r) => ({ ...r, landed: { ...r.landed, head: one!.commit } })),
    );
    expect(codes(stopped)).toEqual(['1 TRIAL_NOT_LANDED']);
  });

  test('a landing with a pull request of another test run on top still lands the other candidates whole', () => {
    const [first, second] = together;
    const mixed = rechained([
      {
        ...first!,
        tested: { ...first!.tested!, runId: 'one', trial: { commit: shaOf(8), tree: shaOf(88, 'd') } },
      },
      {
        ...second!,
        tested: { ...second!.tested!, runId: 'other' },
        between: [{ commit: one!.commit, prs: [1] }],
        vouchedBy: ['other'],
      },
    ]);
    expect(codes(mixed)).toEqual(['1 TRIAL_NOT_LANDED']);
  });

  test('a landing that occurs in two places is a fault', () => {
    expect(codes(landedAs(3, { landingId: chain[0]!.landed.landingId }))).toEqual(['3 LANDING_INCONSISTENT']);
  });

  test('the receipts of a landing must agree and lead to its head', () => {
    const second = together[1]!;
    const apart = { ...second, landed: { ...second.landed, onto: shaOf(9) } };
    expect(codes(rechained([together[0]!, apart]))).toEqual(['2 LANDING_INCONSISTENT']);
    const onward = { ...second, landed: { ...second.landed, head: shaOf(9) } };
    expect(codes(rechained([together[0]!, onward]))).toEqual(['2 LANDING_INCONSISTENT']);
    expect(codes(rechained([second, together[0]!]))).toEqual(['2 LANDING_INCONSISTENT']);
  });

  test('a landing can follow a push by others, but not move back', () => {
    expect(codes(landedAs(4, { onto: shaOf(99) }))).toEqual([]);
    expect(codes(landedAs(4, { onto: chain[1]?.landed.head ?? '' }))).toEqual(['4 BRANCH_MOVED_BACK']);
    expect(codes(landedAs(4, { onto: chain[2]?.landed.onto ?? '' }))).toEqual(['4 BRANCH_MOVED_BACK']);
  });
});
