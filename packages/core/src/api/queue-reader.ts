import type { Context, Pace } from '../decide/draft/context.js';
import { Draft } from '../decide/draft/draft.js';
import type { Decider } from '../engine/decider.js';
import { MergeQueueError } from '../errors.js';
import type { QueueId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import type { Store } from '../ports/store.js';
import type { QueueRef } from '../validation/requests.js';
import type { Hosts } from './hosts.js';

export interface QueueReaderParts {
  readonly store: Store;
  readonly pace: Pace;
  readonly deciderOf: (queueId: QueueId) => Decider;
  readonly hosts: Pick<Hosts, 'of'>;
}

/** The error for a queue that was deleted during the read. */
export const queueDeleted = ({ branch }: Queue): MergeQueueError =>
  new MergeQueueError('QUEUE_NOT_FOUND', `The queue for ${branch} was deleted.`);

/** Reads the current state of queues for rules and views. Changes nothing. */
export class QueueReader {
  constructor(private readonly parts: QueueReaderParts) {}

  /** The live queue of a repository and branch. Throws UNKNOWN_HOST or QUEUE_NOT_FOUND. */
  async queue(ref: QueueRef): Promise<Queue> {
    const found = await this.find(ref);
    const { repo, targetBranch: branch } = ref;
    // Report a wrong host name as such, rather than suggest to create a queue.
    if (found === null) this.parts.hosts.of(repo);
    if (found === null)
      throw new MergeQueueError(
        'QUEUE_NOT_FOUND',
        `There is no queue for branch ${branch} of ${repo.owner}/${repo.name} at ${repo.host}.`,
      );
    return found;
  }

  async find({ repo, targetBranch: branch }: QueueRef): Promise<Queue | null> {
    return (await this.parts.store.queues({ repo, branch, limit: 1 })).items[0] ?? null;
  }

  /** Calls `look` on the current state and returns its result. Throws QUEUE_NOT_FOUND if the queue was deleted. */
  async look<Seen extends object>(
    queue: Queue,
    prs: readonly number[],
    look: (draft: Draft) => Seen,
  ): Promise<Seen> {
    const result = await this.see(queue, prs, look);
    if (result !== null) return result;
    throw queueDeleted(queue);
  }

  /** Reads as above, but returns null if the queue was deleted. Equal revisions are the same state, at any time. */
  see<Seen>(
    { id }: Pick<Queue, 'id'>,
    prs: readonly number[],
    look: (draft: Draft, revision: string) => Seen,
  ): Promise<Seen | null> {
    return this.parts.deciderOf(id).see({ prs, inputIds: [] }, ({ state, version, delta }) => {
      const { now, recalled, incarnation } = delta;
      const context: Context = { now, seed: '', pace: this.parts.pace, recalled };
      return look(new Draft(state, context), `${incarnation}/${version}`);
    });
  }
}
