import type { Context, Pace } from '../decide/draft/context.js';
import { Draft } from '../decide/draft/draft.js';
import type { Decider } from '../engine/decider.js';
import { MergeQueueError } from '../errors.js';
import type { QueueId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import type { Store } from '../ports/store.js';
import type { QueueRef } from '../validation/requests.js';
import type { Hosts } from './hosts.js';

export interface LooksParts {
  readonly store: Store;
  readonly pace: Pace;
  readonly deciderOf: (queueId: QueueId) => Decider;
  readonly hosts: Pick<Hosts, 'of'>;
}

/** Looks at queues as they are now, as the rules read them. Nothing here changes anything. */
export class Looks {
  constructor(private readonly parts: LooksParts) {}

  /** The live queue of a repository and branch. */
  async queue(ref: QueueRef): Promise<Queue> {
    const found = await this.find(ref);
    const { repo, targetBranch: branch } = ref;
    // A wrong host name is told as such, rather than that a queue is to be created.
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

  /** What is seen of the present state by one look, as rules read it. */
  async look<Seen extends object>(
    queue: Queue,
    prs: readonly number[],
    look: (draft: Draft) => Seen,
  ): Promise<Seen> {
    const seen = await this.see(queue, prs, look);
    if (seen !== null) return seen;
    throw new MergeQueueError('QUEUE_NOT_FOUND', `The queue for ${queue.branch} was deleted.`);
  }

  /** Null where the queue was deleted. */
  see<Seen extends object>({ id }: Queue, prs: readonly number[], look: (draft: Draft) => Seen) {
    return this.parts.deciderOf(id).see({ prs, inputIds: [] }, ({ state, delta: { now, recalled } }) => {
      const context: Context = { now, seed: '', pace: this.parts.pace, recalled };
      return look(new Draft(state, context));
    });
  }
}
