import type { AnswerOf, Client } from '@mq/client';
import { type QueueRef, type QueueView, queueReader, type State } from './queue-view.js';

/** The state of a pull request, from the fields that an open queue shows; null if it left the queue long ago. */
interface Standing {
  readonly title: string;
  readonly author: string;
  readonly state: State;
  readonly since: string;
  readonly sentence: string;
}

export interface PublicPull {
  readonly standing: Standing | null;
  readonly attempts: AnswerOf<'getPullRequestTimeline'>['attempts'];
  readonly isComplete: boolean;
}

const ENTRIES_LIMIT = 100;

export const publicPullReader = (client: Client, ref: QueueRef, pr: number) => {
  const readQueue = queueReader(client, ref);
  return async (signal: AbortSignal): Promise<PublicPull> => {
    const [view, timeline] = await Promise.all([
      readQueue(signal),
      client.getPullRequestTimeline({ ...ref, pr: { number: pr }, take: ENTRIES_LIMIT }, { signal }),
    ]);
    return {
      standing: standingIn(view, pr),
      attempts: timeline.attempts,
      isComplete: timeline.nextCursor === undefined,
    };
  };
};

const standingIn = ({ rows, ended }: QueueView, pr: number): Standing | null => {
  const row = rows.find(({ prNumber }) => prNumber === pr);
  if (row !== undefined)
    return {
      title: row.prTitle,
      author: row.prAuthor,
      state: row.state,
      since: row.stateChangedAt,
      sentence: row.waitingFor?.sentence ?? '',
    };
  const end = ended.find(({ prNumber }) => prNumber === pr);
  if (end === undefined) return null;
  const { prTitle: title, prAuthor: author, state, endedAt: since, reason } = end;
  return { title, author, state, since, sentence: reason?.sentence ?? '' };
};
