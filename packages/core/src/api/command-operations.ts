import type { CommandOperations } from '../engine/host-command-work.js';
import { everyQueue } from '../engine/pages.js';
import { MergeQueueError } from '../errors.js';
import type { Queue } from '../model/queue.js';
import { liveStates, type Submission } from '../model/submission.js';
import type { Store } from '../ports/store.js';
import type { Commands } from './commands.js';
import type { Hosts } from './hosts.js';
import type { Reads } from './reads.js';

export interface CommandOperationsParts {
  readonly store: Store;
  readonly hosts: Hosts;
  readonly commands: Pick<Commands, 'of'>;
  readonly reads: Pick<Reads, 'explain'>;
}

/** The operations of the library, as the commands of people need them. */
export const commandOperations = (parts: CommandOperationsParts): CommandOperations => ({
  find: async (repo, pr, toSubmit) => {
    const pull = await parts.hosts.pullRequest(repo, pr).catch(nullIfUnknown);
    if (pull === null) return null;
    let [ofBase, liveIn]: [Queue | null, Queue | null] = [null, null];
    let live: Submission | null = null;
    for await (const queue of everyQueue(parts.store, { repo })) {
      if (queue.branch === pull.pull.base) ofBase = queue;
      const found = await liveOf(parts.store, queue, pr);
      if (found !== null) [liveIn, live] = [queue, found];
    }
    const queue = toSubmit ? ofBase : (liveIn ?? ofBase);
    return { pull: pull.pull, queue, live: queue?.id === liveIn?.id ? live : null };
  },
  submit: (request, queue) => parts.commands.of(queue).submit(request),
  cancel: (request, queue) => parts.commands.of(queue).cancel(request),
  restartTests: (request, queue) => parts.commands.of(queue).restartTests(request),
  why: async (request) => {
    const { waiting, story } = await parts.reads.explain(request);
    if (waiting !== null) return `${waiting.sentence} ${waiting.remedy}`;
    return `${story.sentence} ${story.remedy}`;
  },
});

const liveOf = async (store: Store, { id: queueId }: Queue, pr: number): Promise<Submission | null> => {
  const page = await store.submissions({ queueId, prs: [pr], states: liveStates, limit: 1 });
  return page.items[0] ?? null;
};

const nullIfUnknown = (error: unknown): null => {
  if (error instanceof MergeQueueError && error.code === 'PULL_REQUEST_NOT_FOUND') return null;
  throw error;
};
