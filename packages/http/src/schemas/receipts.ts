import { receiptSchema } from '@mq/core';
import { z } from 'zod';
import { cursor, line, pr, queueRef, repo, take } from './common.js';

const QUEUE_ID_CHARS_LIMIT = 100;

export const listReceiptsRequest = z.object({
  ...queueRef,
  queueId: line(QUEUE_ID_CHARS_LIMIT)
    .exactOptional()
    .describe('A queue of this branch, also a deleted one. Default: the present one.'),
  pr: pr.exactOptional().describe('Only receipts of this pull request, which form no chain by themselves.'),
  after: z
    .int()
    .min(0)
    .exactOptional()
    .describe('Only receipts with a higher number, for example since the last verified one.'),
  take,
  cursor,
});

/** Receipts of later releases may have more fields. */
export const receipt = receiptSchema.extend({ repo }).meta({ additionalProperties: true });

export const chainHead = z.object({
  count: z.int(),
  hash: z.string().nullable().describe('The hash of the last receipt; null if there is none.'),
});

export const receiptPage = z.object({
  receipts: z.array(receipt).describe('In ascending order, exactly as hashed.'),
  chain: chainHead
    .nullable()
    .describe('The present end of the chain, to compare with; null for a deleted queue.'),
  nextCursor: z.string().optional().describe('The cursor of the next page; absent on the last page.'),
});
