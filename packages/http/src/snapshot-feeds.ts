import { branchKey, type MergeQueue, type QueueRef } from '@mq/core';
import type { FastifyBaseLogger } from 'fastify';
import { answerText } from './json-answer.js';
import { nullIfGone } from './null-if-gone.js';
import { sharedSnapshot } from './shared-snapshots.js';

/** How often a queue that is shown is looked at. It is computed as often at most. */
export const SNAPSHOT_LOOK_MS = 1_000;

/** A stream that shows a queue. */
export interface SnapshotReader {
  readonly ref: QueueRef;
  readonly isAnonymous: boolean;
  /** The version that the reader has; null before the first snapshot. */
  version: string | null;
  /** Sends the text of an event. False if it cannot take it now: the same changes are offered again later. */
  give(text: string): boolean;
}

/**
 * Gives the streams that show a queue what has changed in it: read once a second for all of them, and written once for all that
 * have the same version. While a queue is gone, cannot be read, or may not be read without a token, there is nothing to give.
 */
export class SnapshotFeeds {
  readonly #feeds = new Map<string, Set<SnapshotReader>>();

  constructor(
    private readonly mq: Pick<MergeQueue, 'queueSnapshot' | 'isPublic'>,
    private readonly log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  ) {}

  add(reader: SnapshotReader): void {
    const key = keyOf(reader);
    const readers = this.#feeds.get(key);
    if (readers !== undefined) return void readers.add(reader);
    const first = new Set([reader]);
    this.#feeds.set(key, first);
    void this.#run(key, first);
  }

  /** Does nothing if the reader is not there. */
  remove(reader: SnapshotReader): void {
    this.#feeds.get(keyOf(reader))?.delete(reader);
  }

  async #run(key: string, readers: Set<SnapshotReader>): Promise<void> {
    let isFailing = false;
    while (readers.size > 0) {
      const error: unknown = await this.#look([...readers])
        .catch(nullIfGone)
        .then(
          () => null,
          (fault: unknown) => fault,
        );
      const isFault = error !== null;
      if (isFault && !isFailing)
        this.log.warn({ err: error }, 'a shown queue cannot be read; retrying each second');
      if (!isFault && isFailing) this.log.info({}, 'reads of a shown queue succeed again');
      isFailing = isFault;
      await new Promise((resolve) => setTimeout(resolve, SNAPSHOT_LOOK_MS).unref());
    }
    this.#feeds.delete(key);
  }

  async #look(readers: readonly SnapshotReader[]): Promise<void> {
    const [first] = readers;
    if (first === undefined) return;
    const { ref, isAnonymous } = first;
    if (isAnonymous && !(await this.mq.isPublic(ref))) return;
    for (const version of new Set(readers.map((reader) => reader.version))) {
      const snapshot = await this.mq.queueSnapshot({ ...ref, ...(version === null ? {} : { version }) });
      if (snapshot.version === version) continue;
      const text = `event: queue_snapshot\ndata: ${answerText(sharedSnapshot(snapshot, ref.repo, false), isAnonymous)}\n\n`;
      for (const reader of readers)
        if (reader.version === version && reader.give(text)) reader.version = snapshot.version;
    }
  }
}

/** Equal for readers that are given the same texts. */
const keyOf = ({ ref: { repo, targetBranch }, isAnonymous }: SnapshotReader): string =>
  `${branchKey(repo, targetBranch)}\n${isAnonymous}`;
