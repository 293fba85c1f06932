import type { ReceiptPage } from '@mq/core';
import type { z } from 'zod';
import type { receiptPage } from '../schemas/receipts.js';

type Answered = z.output<typeof receiptPage>;

/** Receipts go out field for field as they were stored, in no other words: their hashes speak of exactly that. */
export const presentReceipts = ({ items, head, next }: ReceiptPage): Answered => ({
  receipts: [...items] as Answered['receipts'],
  chain: head === null ? null : { count: head.count, hash: head.hash },
  ...(next === null ? {} : { nextCursor: next }),
});
