import { MergeQueueError } from '../errors.js';
import type { QueueId } from '../model/ids.js';
import type { Command, CommandResult } from '../model/input.js';
import type { Queue } from '../model/queue.js';
import { branchKey, type RepoRef } from '../model/repo.js';
import type { Decider } from './decider.js';

/** The fields of a queue that never change. */
export type QueueAddress = Pick<Queue, 'id' | 'repo' | 'branch'>;
/** The branch of a repository that a queue merges into. */
type Target = Pick<Queue, 'repo' | 'branch'>;

export interface QueueDirectoryParts {
  /** Finds the live queue in the store; rejects if there is none. */
  readonly find: (ref: Target) => Promise<QueueAddress>;
  readonly deciderOf: (queueId: QueueId) => Decider;
}

const CACHE_LIMIT = 10_000;

/** Caches queue ids by repository and branch, so that a command needs no read of the store to find its queue. */
export class QueueDirectory {
  readonly #cache = new Map<string, QueueAddress>();

  constructor(private readonly parts: QueueDirectoryParts) {}

  /** The directory of this queue alone: rejects with QUEUE_NOT_FOUND once it is deleted, also if it is created again. */
  of({ id }: QueueAddress): QueueDirectory {
    const { find, deciderOf } = this.parts;
    const findSame = async (ref: Target): Promise<QueueAddress> => {
      const found = await find(ref);
      if (found.id === id) return found;
      throw new MergeQueueError(
        'QUEUE_NOT_FOUND',
        `The queue for ${ref.branch} was deleted and created again.`,
      );
    };
    return new QueueDirectory({ find: findSame, deciderOf });
  }

  /** May return a queue that was deleted since; its decider answers so. */
  async queue(ref: Target): Promise<QueueAddress> {
    return this.cached(ref) ?? this.#find(ref);
  }

  /** The cached address; null if the store has to be read. */
  cached(ref: Target): QueueAddress | null {
    return this.#cache.get(keyOf(ref)) ?? null;
  }

  /** The next look-up reads the store: the cached queue was found to be deleted. */
  forget(ref: Target): void {
    this.#cache.delete(keyOf(ref));
  }

  /**
   * Decides a command. If the queue was deleted and created again, decides it in the new one. Rejects if there is none.
   */
  async decide(address: QueueAddress, command: Command): Promise<CommandResult> {
    const result = await this.parts.deciderOf(address.id).ask(command);
    if (result.ok || result.refusal.code !== 'QUEUE_NOT_FOUND') return result;
    return this.parts.deciderOf((await this.#findAgain(address)).id).ask(command);
  }

  /**
   * Reads something of the queue's repository from its host. If that fails and the queue was deleted and created again,
   * reads it for the new one, whose repository may be another one of the same name.
   */
  async fromHost<Answer>(address: QueueAddress, read: (repo: RepoRef) => Promise<Answer>): Promise<Answer> {
    try {
      return await read(address.repo);
    } catch (error) {
      const { id, repo } = await this.#findAgain(address);
      if (id === address.id) throw error;
      return read(repo);
    }
  }

  #findAgain(ref: Target): Promise<QueueAddress> {
    this.forget(ref);
    return this.#find(ref);
  }

  async #find(ref: Target): Promise<QueueAddress> {
    const { id, repo, branch } = await this.parts.find(ref);
    if (this.#cache.size >= CACHE_LIMIT) this.#cache.clear();
    const address = { id, repo, branch };
    this.#cache.set(keyOf(ref), address);
    return address;
  }
}

const keyOf = ({ repo, branch }: Target): string => branchKey(repo, branch);
