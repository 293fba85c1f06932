import type { RequestOf } from '@mq/client';
import type { Asked, Schemas } from '../../command.js';
import { queueLines, warningLines } from '../../text/queue.js';
import type { Style } from '../../text/style.js';

export type Settings = Omit<RequestOf<'updateQueue'>, 'repo' | 'targetBranch'>;
export type Changed = Schemas['UpdateQueueAnswer'];

/** The request that changes this queue. Omitted settings stay. */
export const changeOf = async (
  { queue }: Asked<unknown>,
  settings: Settings,
): Promise<RequestOf<'updateQueue'>> => ({
  ...(await queue()),
  ...settings,
});

export const changedText = (queue: Changed, style: Style): string =>
  [
    ...queueLines(queue, style),
    ...(queue.landingUnderWay ? ['A merge was under way; it will finish.'] : []),
    ...warningLines(queue.warnings, style),
  ].join('\n');
