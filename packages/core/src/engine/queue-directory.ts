import type { QueueId } from '../model/ids.js';
import type { Command, CommandResult } from '../model/input.js';
import type { Queue } from '../model/queue.js';
import { repoKey } from '../model/repo.js';
import type { Decider } from './decider.js';

/** What never changes of a queue. */
export type QueueAddress = Pick<Queue, 'id' | 'repo' | 'branch'>;
/** The branch of a repository that a queue merges into. */
type Target = Pick<Queue, 'repo' | 'branch'>;

export interface QueueDirectoryParts {
  /** Looks the live queue up in the store; rejects where there is none. */
  readonly find: (ref: Target) => Promise<QueueAddress>;
  readonly deciderOf: (queueId: QueueId) => Decider;
}

const KNOWN_LIMIT = 10_000;

/** Queues by repository and branch, as this process has met them: a command needs no look into the store to find its queue. */
export class QueueDirectory {
  readonly #known = new Map<string, QueueAddress>();

  constructor(private readonly parts: QueueDirectoryParts) {}

  /** May be one that was deleted since: whoever decides there is told so. */
  async queue(ref: Target): Promise<QueueAddress> {
    return this.known(ref) ?? this.#find(ref);
  }

  /** The same without waiting; null where the store has to be asked. */
  known(ref: Target): QueueAddress | null {
    return this.#known.get(keyOf(ref)) ?? null;
  }

  /** Decides a command; where its queue is gone, in the one that has taken its place. Rejects where there is none. */
  async decide(place: QueueAddress, command: Command): Promise<CommandResult> {
    const result = await this.parts.deciderOf(place.id).ask(command);
    if (result.ok || result.refusal.code !== 'QUEUE_NOT_FOUND') return result;
    this.#known.delete(keyOf(place));
    return this.parts.deciderOf((await this.#find(place)).id).ask(command);
  }

  async #find(ref: Target): Promise<QueueAddress> {
    const { id, repo, branch } = await this.parts.find(ref);
    if (this.#known.size >= KNOWN_LIMIT) this.#known.clear();
    const place = { id, repo, branch };
    this.#known.set(keyOf(ref), place);
    return place;
  }
}

const keyOf = ({ repo, branch }: Target): string => `${repoKey(repo)}\n${branch}`;
