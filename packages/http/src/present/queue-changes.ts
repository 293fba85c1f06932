import { type HistoryItem, type Page, type QueueHistoryRow, queueChangeSentence } from '@mq/core';
import type { z } from 'zod';
import type { queueChangeKinds, queueChangePage } from '../schemas/queue-changes.js';
import { presentActor } from './queue.js';
import { isoTime } from './time.js';

const kinds: Readonly<Record<QueueHistoryRow['type'], (typeof queueChangeKinds)[number]>> = {
  configured: 'settings',
  alarm: 'alarm',
  adapted: 'adaptation',
};

const isAboutQueue = (row: HistoryItem): row is HistoryItem & QueueHistoryRow =>
  Object.hasOwn(kinds, row.type);

/** The types of rows that are about the queue itself. */
export const queueChangeTypes = Object.keys(kinds) as readonly QueueHistoryRow['type'][];

/** A page of the history of a queue, without the rows about pull requests. */
export const presentQueueChanges = ({
  items,
  next,
}: Page<HistoryItem>): z.output<typeof queueChangePage> => ({
  changes: items.filter(isAboutQueue).map((row) => ({
    timestamp: isoTime(row.at),
    kind: kinds[row.type],
    sentence: queueChangeSentence(row),
    actor: row.type === 'configured' ? presentActor(row.actor) : null,
  })),
  ...(next === null ? {} : { nextCursor: next }),
});
