import { type ChainHead, type Receipt, receiptSchema } from '@mq/core';
import { z } from 'zod';
import { VerifyError } from './verify-error.js';

/** The receipts of one queue, ordered by number, and the chain heads that the input contains for it. */
export interface GivenChain {
  readonly receipts: readonly Receipt[];
  readonly heads: readonly ChainHead[];
}

const page = z.object({
  receipts: z.array(z.unknown()),
  chain: z.object({ count: z.int().min(0), hash: z.string().nullable() }).nullish(),
});

interface Gathered {
  readonly pages: { receipts: Receipt[]; heads: ChainHead[] }[];
}

/**
 * Parses texts and groups their receipts by queue. A text may contain receipts, lists of receipts and answers of
 * `listReceipts`, as lists or lines, in any order. Duplicate receipts are dropped. Throws a VerifyError for anything else.
 */
export const readChains = (
  inputs: readonly { readonly name: string; readonly text: string }[],
): readonly GivenChain[] => {
  const gathered: Gathered = { pages: [] };
  for (const { name, text } of inputs)
    for (const value of valuesIn(name, text)) gather(name, value, gathered);
  const chains = new Map<string, { receipts: Receipt[]; heads: ChainHead[] }>();
  for (const { receipts, heads } of gathered.pages)
    for (const receipt of receipts) {
      const chain = chains.get(receipt.queueId) ?? { receipts: [], heads: [] };
      chain.receipts.push(receipt);
      if (receipt === receipts[0]) chain.heads.push(...heads);
      chains.set(receipt.queueId, chain);
    }
  const [only] = chains.values();
  // A page without receipts does not name its queue, so its heads can be assigned only if there is just one queue.
  if (only !== undefined && chains.size === 1)
    for (const { receipts, heads } of gathered.pages) if (receipts.length === 0) only.heads.push(...heads);
  return [...chains.values()].map(({ receipts, heads }) => ({ receipts: inOrder(receipts), heads }));
};

const inOrder = (receipts: readonly Receipt[]): readonly Receipt[] => {
  const unique = new Map(receipts.map((receipt) => [JSON.stringify(receipt), receipt]));
  return [...unique.values()].sort((one, other) => one.number - other.number);
};

const valuesIn = (name: string, text: string): readonly unknown[] => {
  // A failed download leaves an empty file, which must not count as a queue without landings.
  if (text.trim() === '')
    throw new VerifyError(
      'BAD_INPUT',
      `${name} is empty: pass the answer of listReceipts; see mq-verify --help.`,
    );
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .split('\n')
      .flatMap((line, index) => (line.trim() === '' ? [] : [parsed(name, line, index + 1)]));
  }
};

const parsed = (name: string, line: string, number: number): unknown => {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new VerifyError('BAD_INPUT', `${name}, line ${number}, is not JSON.`, { cause: error });
  }
};

const gather = (name: string, value: unknown, gathered: Gathered): void => {
  if (Array.isArray(value)) {
    for (const one of value) gather(name, one, gathered);
    return;
  }
  const asPage = page.safeParse(value);
  if (!asPage.success) {
    gathered.pages.push({ receipts: [receiptIn(name, value)], heads: [] });
    return;
  }
  const { receipts, chain } = asPage.data;
  gathered.pages.push({
    receipts: receipts.map((one) => receiptIn(name, one)),
    heads: chain == null ? [] : [chain],
  });
};

/** Returns the value unchanged, including fields of later releases, because the hash covers all fields. */
const receiptIn = (name: string, value: unknown): Receipt => {
  const result = receiptSchema.safeParse(value);
  if (result.success) return value as Receipt;
  const number = z.object({ number: z.int() }).safeParse(value).data?.number;
  const which = number === undefined ? 'something' : `receipt ${number}`;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim());
  throw new VerifyError(
    'BAD_INPUT',
    `${name}: ${which} is not a receipt of a known kind: ${faults.join('; ')}.`,
  );
};
