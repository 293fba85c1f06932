import { z } from 'zod';
import { cursor, instant, queueRef, take, timestamp } from './common.js';
import { actor } from './timeline.js';

export const queueChangesRequest = z.object({
  ...queueRef,
  since: instant.exactOptional().describe('Only changes at this time or later (ISO 8601).'),
  until: instant.exactOptional().describe('Only changes at this time or earlier (ISO 8601).'),
  cursor,
  take,
});

export const queueChangeKinds = ['settings', 'alarm', 'adaptation'] as const;

export const queueChangeKind = z.enum(queueChangeKinds);

export const queueChange = z.object({
  timestamp,
  kind: queueChangeKind.describe(
    '`settings`: a client changed the settings or the state. `alarm`: something that an operator has to check. `adaptation`: the queue changed its concurrency or batch size.',
  ),
  sentence: z.string().describe('What has changed.'),
  actor: actor.nullable().describe('Who changed it; null if the queue did.'),
});

export const queueChangePage = z.object({
  changes: z.array(queueChange).describe('Newest first.'),
  nextCursor: z.string().optional().describe('The cursor of the next page; absent on the last page.'),
});
