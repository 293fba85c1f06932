import type { Page, QueueId, Receipt, ReceiptQuery } from '@mq/core';
import { type Key, type Listing, readCursor } from '@mq/core';
import { pageOf } from './page.js';

const listing: Listing = { name: 'receipts', shape: ['number'] };

const keyOf = ({ number }: Receipt): Key => [number];

/** The receipts of all queues, by ascending number. Never pruned. */
export class ReceiptTable {
  readonly #chains = new Map<QueueId, Receipt[]>();

  /** Throws and adds nothing if a receipt is not the next one of its queue. */
  add(queueId: QueueId, receipts: readonly Receipt[]): void {
    if (receipts.length === 0) return;
    const chain = this.#chains.get(queueId) ?? [];
    let last = chain.at(-1)?.number ?? 0;
    for (const { number } of receipts) {
      if (number !== last + 1)
        throw new Error(`The receipt ${number} does not follow number ${last}; nothing was written.`);
      last = number;
    }
    chain.push(...receipts);
    this.#chains.set(queueId, chain);
  }

  read({ queueId, pr, after, limit, cursor }: ReceiptQuery): Page<Receipt> {
    const [begin = 0] = readCursor(listing, cursor) ?? [];
    const from = Math.max(after ?? 0, Number(begin));
    return pageOf(listing, this.#later(queueId, from, pr), limit, keyOf);
  }

  all(): readonly Receipt[] {
    return [...this.#chains.values()].flat();
  }

  *#later(queueId: QueueId, number: number, pr: number | undefined): Generator<Receipt> {
    const chain = this.#chains.get(queueId) ?? [];
    // Numbers are consecutive from 1, so a number is also an index.
    for (let index = number; index < chain.length; index += 1) {
      const receipt = chain[index];
      if (receipt !== undefined && (pr === undefined || receipt.pr === pr)) yield receipt;
    }
  }
}
