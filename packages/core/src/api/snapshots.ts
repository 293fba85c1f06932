import { z } from 'zod';
import type { QueueAddress, QueueDirectory } from '../engine/queue-directory.js';
import { MergeQueueError } from '../errors.js';
import type { QueueId } from '../model/ids.js';
import type { QueueSnapshot } from '../model/snapshot.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { QueueRef, QueueSnapshotRequest } from '../validation/requests.js';
import { CachedSnapshot, type CachedSnapshotParts } from './cached-snapshot.js';
import type { QueueReader } from './queue-reader.js';

/** A snapshot is discarded when it was not read for this time. */
export const SNAPSHOT_UNREAD_MS = 60_000;
/** Max snapshots that are kept; the one that was read longest ago goes first. */
export const SNAPSHOTS_LIMIT = 100;
const VERSION_CHARS_LIMIT = 100;

export interface SnapshotsParts extends CachedSnapshotParts {
  readonly reader: Pick<QueueReader, 'see' | 'find'>;
  readonly places: Pick<QueueDirectory, 'queue' | 'forget'>;
}

const ofSnapshot = z.strictObject({
  ...fields.queueRef,
  version: z.string().max(VERSION_CHARS_LIMIT).optional(),
});

/**
 * What the pages of queues show. Each replica computes a queue at most once per second and only while it is read, and
 * answers each reader with what has changed since the version that it has. Changes nothing.
 */
export class Snapshots {
  /** Those read last come last. */
  readonly #cache = new Map<QueueId, CachedSnapshot>();

  readonly #parts: SnapshotsParts;

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  /** False if there is no such queue. */
  readonly isPublic = takes(
    z.strictObject(fields.queueRef),
    async (ref: QueueRef): Promise<boolean> =>
      (await this.#parts.reader.find(ref))?.settings.publicRead === true,
  );

  readonly queueSnapshot = takes(
    ofSnapshot,
    async ({ version, ...ref }: QueueSnapshotRequest): Promise<QueueSnapshot> => {
      const snapshot = await this.#fresh(ref);
      return snapshot.since(version ?? null);
    },
  );

  /** A queue may have been deleted and created again since its address was cached. */
  async #fresh(ref: QueueRef): Promise<CachedSnapshot> {
    const target = { repo: ref.repo, branch: ref.targetBranch };
    const first = await this.#snapshotOf(await this.#parts.places.queue(target));
    if (first !== null) return first;
    this.#parts.places.forget(target);
    const second = await this.#snapshotOf(await this.#parts.places.queue(target));
    if (second !== null) return second;
    throw new MergeQueueError('QUEUE_NOT_FOUND', `The queue for ${ref.targetBranch} was deleted.`);
  }

  async #snapshotOf({ id, repo, branch }: QueueAddress): Promise<CachedSnapshot | null> {
    this.#discard();
    const snapshot = this.#cache.get(id) ?? new CachedSnapshot({ id, repo, branch }, this.#parts);
    this.#cache.delete(id);
    this.#cache.set(id, snapshot);
    if (await snapshot.refresh()) return snapshot;
    this.#cache.delete(id);
    return null;
  }

  #discard(): void {
    const until = this.#parts.clock.now() - SNAPSHOT_UNREAD_MS;
    for (const [id, { readAt }] of this.#cache) {
      if (readAt > until && this.#cache.size < SNAPSHOTS_LIMIT) return;
      this.#cache.delete(id);
    }
  }
}
