import { MergeQueueError } from '@mq/core';

/** Null for the error of a queue that does not exist. Throws every other error again. */
export const nullIfGone = (error: unknown): null => {
  if (error instanceof MergeQueueError && error.code === 'QUEUE_NOT_FOUND') return null;
  throw error;
};
