import { receiptSchema } from '@mq/core';
import { z } from 'zod';
import { cursor, line, pr, queueRef, repo, take } from './common.js';

const QUEUE_ID_CHARS_LIMIT = 100;

export const listReceiptsRequest = z.object({
  ...queueRef,
  queueId: line(QUEUE_ID_CHARS_LIMIT)
    .exactOptional()
    .describe('A queue of this branch, also one that was deleted; left out, the one that is there now.'),
  pr: pr.exactOptional().describe('Only receipts of this pull request; they are no chain by themselves.'),
  after: z
    .int()
    .min(0)
    .exactOptional()
    .describe('Only receipts with a higher number: those since the last that was verified.'),
  take,
  cursor,
});

/** Receipts of later releases may have more fields. */
export const receipt = receiptSchema.extend({ repo }).meta({ additionalProperties: true });

export const chainHead = z.object({
  count: z.int(),
  hash: z.string().nullable().describe('That of the last receipt; null while there is none.'),
});

export const receiptPage = z.object({
  receipts: z.array(receipt).describe('By rising number, exactly as their hashes speak of them.'),
  chain: chainHead
    .nullable()
    .describe('How far the chain has come, to be compared with; null for a queue that was deleted.'),
  nextCursor: z.string().optional().describe('Where the next page begins; absent at the end.'),
});
