import { type ChainFaultCode, isSha, type Receipt, type VerifyOptions, verifyReceipts } from '@mq/core';
import type { StoreDump } from '@mq/store-memory';
import { attemptKey, type Book, type Check } from './ledger.js';
import type { Truth } from './truth.js';

/** Faults that people at the host may cause. */
const weather: ReadonlySet<ChainFaultCode> = new Set(['BRANCH_MOVED_BACK']);
/** Faults that a host causes if it lands another tree than requested. */
const rewriting: ReadonlySet<ChainFaultCode> = new Set(['TREE_NOT_AS_BUILT', 'TRIAL_NOT_LANDED']);

const landings: ReadonlySet<string> = new Set(['MERGE_GRAPH_MERGE', 'MERGE_GRAPH_DIRECT_MERGE']);

const chainFaults = (
  { rewritten }: Book,
  receipts: readonly Receipt[],
  options: VerifyOptions,
): readonly string[] =>
  verifyReceipts(receipts, options)
    .faults.filter(({ code }) => !weather.has(code) && (rewritten.size === 0 || !rewriting.has(code)))
    .map(({ code, sentence }) => `${code}: ${sentence}`);

/** Each landing has one receipt, written in the same commit, in one chain, with the settings of its decision. */
export const validReceipts =
  (truth: Truth): Check =>
  ({ commit, before, after }, book) => {
    for (const effect of commit.effects)
      if (effect.type === 'land') book.landingSettings.set(effect.id, after.queue.settingsVersion);
    const { receipts, history } = commit.writes;
    const options = { after: before.queue.receipts, heads: [after.queue.receipts] };
    const faults = [...chainFaults(book, receipts, options)];
    const withReceipt = new Set(receipts.map(attemptKey));
    for (const row of history)
      if (row.type === 'moved' && landings.has(row.reason ?? '') && !withReceipt.has(attemptKey(row)))
        faults.push(`${attemptKey(row)} is recorded as landed without a receipt.`);
    for (const receipt of receipts) {
      const key = attemptKey(receipt);
      const { commit: sha, landingId } = receipt.landed;
      if (!book.landed.has(key)) faults.push(`${key} has a receipt but never landed.`);
      if (!isSha(sha) || !truth.wasOnTarget(sha))
        faults.push(`${key} has a receipt of ${sha}, which was never on the target.`);
      const settings = book.landingSettings.get(landingId);
      if (settings !== receipt.settingsVersion)
        faults.push(
          `${key} landed by settings version ${settings}, but its receipt says ${receipt.settingsVersion}.`,
        );
    }
    return faults;
  };

/** Faults of the stored chain of a queue. */
export const finalReceiptFaults = (book: Book, { receipts }: StoreDump): readonly string[] =>
  chainFaults(
    book,
    receipts.filter(({ queueId }) => queueId === book.id),
    { heads: [book.mirror.queue.receipts] },
  );
