import type { ReceiptPage } from '@mq/core';
import type { z } from 'zod';
import type { receiptPage } from '../schemas/receipts.js';

type Answered = z.output<typeof receiptPage>;

/** Answers receipts field for field as stored, because their hashes cover exactly these fields. */
export const presentReceipts = ({ items, head, next }: ReceiptPage): Answered => ({
  receipts: [...items] as Answered['receipts'],
  chain: head === null ? null : { count: head.count, hash: head.hash },
  ...(next === null ? {} : { nextCursor: next }),
});
