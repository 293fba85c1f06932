import { Countdown } from '../engine/countdown.js';
import type { QueueAddress } from '../engine/queue-directory.js';
import { type Picture, pictureOf, shownOfQueue } from '../explain/snapshot.js';
import type { Estimate } from '../model/estimate.js';
import type { Instant, TestRunId } from '../model/ids.js';
import {
  type QueueSnapshot,
  SNAPSHOT_ALARMS_LIMIT,
  SNAPSHOT_ALARMS_MS,
  SNAPSHOT_ENDED_LIMIT,
  SNAPSHOT_ESTIMATES_LIMIT,
  type SnapshotAlarm,
  type SnapshotEnd,
  type SnapshotQueue,
  type SnapshotRun,
  type SnapshotSubmission,
} from '../model/snapshot.js';
import { type Submission, terminalStates } from '../model/submission.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Store } from '../ports/store.js';
import type { Estimates } from './estimates.js';
import type { QueueReader } from './queue-reader.js';
import { VersionedTable } from './versioned-table.js';

/** A snapshot is computed at most once in this time. */
export const SNAPSHOT_REST_MS = 1_000;
/** The age at which an unchanged snapshot is computed again, because its sentences contain durations. */
export const SNAPSHOT_STALE_MS = 60_000;
/** The pause between estimates, as a multiple of the time that they took; at least the pause between snapshots. */
const ESTIMATES_REST_TIMES = 20;
const ESTIMATES_REST_MS = 5_000;
/**
 * The number of recent versions for which all readers share one answer. A reader that is further behind gets its own.
 */
const SHARED_VERSIONS_LIMIT = 8;

export interface CachedSnapshotParts {
  readonly reader: Pick<QueueReader, 'see'>;
  readonly store: Pick<Store, 'history' | 'submissions'>;
  readonly estimates: Pick<Estimates, 'estimates'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly uuid: () => string;
}

interface Seen extends Picture {
  readonly now: Instant;
  readonly revision: string;
}

/** The snapshot of one queue in this process, with the versions in which its parts have changed. */
export class CachedSnapshot {
  /** By the clock of this process. */
  readAt: Instant = 0;
  readonly #id: string;
  #version = 0;
  #computedAt: Instant = 0;
  readonly #fresh: Countdown;
  readonly #trusted: Countdown;
  /** Which state of the queue was computed. */
  #revision = '';
  #sequence = -1;
  #computing: Promise<boolean> | null = null;
  #queue: { readonly row: SnapshotQueue; readonly text: string; readonly changedIn: number } | null = null;
  #alarms: { readonly rows: readonly SnapshotAlarm[]; readonly changedIn: number } = {
    rows: [],
    changedIn: 0,
  };
  #ended: readonly SnapshotEnd[] = [];
  #estimates: ReadonlyMap<number, Estimate> = new Map();
  #estimatedRevision = '';
  readonly #untilEstimates: Countdown;
  #isEstimating = false;
  /** The answers of the present version, by the version that the reader has. */
  readonly #answers = new Map<number | null, QueueSnapshot>();
  readonly #submissionTable = new VersionedTable<number, SnapshotSubmission>(({ pr }) => pr);
  readonly #runTable = new VersionedTable<TestRunId, SnapshotRun>(({ id }) => id);
  readonly #endTable = new VersionedTable<number, SnapshotEnd>(({ pr }) => pr);

  constructor(
    private readonly address: QueueAddress,
    private readonly parts: CachedSnapshotParts,
  ) {
    this.#id = parts.uuid();
    this.#fresh = new Countdown(parts.clock);
    this.#trusted = new Countdown(parts.clock);
    this.#untilEstimates = new Countdown(parts.clock);
  }

  /** Brings it up to date, unless that was done within `SNAPSHOT_REST_MS`. False if the queue was deleted. */
  async refresh(): Promise<boolean> {
    this.readAt = this.parts.clock.now();
    if (!this.#fresh.isOver && this.#version > 0) return true;
    this.#computing ??= this.#compute().finally(() => {
      this.#computing = null;
    });
    return this.#computing;
  }

  /**
   * What has changed since a version of any replica; everything if this process does not know it. Readers of one version get
   * the same object until the next computation, so that what is derived from it can be shared too.
   */
  since(version: string | null): QueueSnapshot {
    const sinceVersion = this.#knownVersion(version);
    const cached = this.#answers.get(sinceVersion);
    if (cached !== undefined) return cached;
    const answer = this.#answerFor(sinceVersion);
    if (sinceVersion === null || sinceVersion > this.#version - SHARED_VERSIONS_LIMIT)
      this.#answers.set(sinceVersion, answer);
    return answer;
  }

  #answerFor(sinceVersion: number | null): QueueSnapshot {
    const common = { version: `${this.#id}.${this.#version}`, computedAt: this.#computedAt };
    const tables = [this.#submissionTable, this.#runTable, this.#endTable] as const;
    if (sinceVersion === null || this.#queue === null || !tables.every((table) => table.knows(sinceVersion)))
      return {
        ...common,
        since: null,
        queue: this.#queue?.row ?? null,
        alarms: this.#alarms.rows,
        submissions: this.#submissionTable.whole(),
        runs: this.#runTable.whole(),
        ended: this.#endTable.whole(),
      };
    return {
      ...common,
      since: `${this.#id}.${sinceVersion}`,
      queue: this.#queue.changedIn > sinceVersion ? this.#queue.row : null,
      alarms: this.#alarms.changedIn > sinceVersion ? this.#alarms.rows : null,
      submissions: this.#submissionTable.since(sinceVersion),
      runs: this.#runTable.since(sinceVersion),
      ended: this.#endTable.since(sinceVersion),
    };
  }

  #knownVersion(version: string | null): number | null {
    const [id, digits = ''] = version?.split('.', 2) ?? [];
    if (id !== this.#id || !/^[1-9]\d{0,14}$/.test(digits)) return null;
    return Number(digits) <= this.#version ? Number(digits) : null;
  }

  async #compute(): Promise<boolean> {
    const picture = await this.parts.reader.see(this.address, [], (draft, revision): Seen | 'same' =>
      revision === this.#revision && !this.#trusted.isOver
        ? 'same'
        : { ...pictureOf(draft), now: draft.now, revision },
    );
    if (picture === null) return false;
    this.#fresh.start(SNAPSHOT_REST_MS);
    if (picture === 'same') return true;
    await this.#readHistory(picture);
    this.#take(picture);
    this.#revision = picture.revision;
    this.#trusted.start(SNAPSHOT_STALE_MS);
    this.#foresee(picture);
    return true;
  }

  #take(picture: Seen): void {
    this.#answers.clear();
    const next = this.#version + 1;
    const text = JSON.stringify(shownOfQueue(picture.queue));
    const isQueueChanged = text !== this.#queue?.text;
    const changes = [
      isQueueChanged,
      this.#alarms.changedIn === next,
      this.#submissionTable.put(
        this.#withEstimates(picture.submissions.rows),
        picture.submissions.more,
        next,
      ),
      this.#runTable.put(picture.runs.rows, picture.runs.more, next),
      this.#endTable.put(this.#ended, 0, next),
    ];
    if (isQueueChanged) this.#queue = { row: picture.queue, text, changedIn: next };
    this.#computedAt = picture.now;
    if (changes.includes(true)) this.#version = next;
  }

  #withEstimates(rows: readonly SnapshotSubmission[]): readonly SnapshotSubmission[] {
    return rows.map((row) => {
      const estimate = this.#estimates.get(row.pr);
      return estimate === undefined ? row : { ...row, estimate };
    });
  }

  /** Reads what left the queue and what alarmed, if there is new history. Both may be newer than the rest. */
  async #readHistory({ queue: { queue }, now }: Seen): Promise<void> {
    if (queue.sequence === this.#sequence) return;
    const [ended, alarms] = await Promise.all([
      this.parts.store.submissions({
        queueId: queue.id,
        states: terminalStates,
        limit: SNAPSHOT_ENDED_LIMIT,
      }),
      this.parts.store.history({
        queueIds: [queue.id],
        types: ['alarm'],
        since: now - SNAPSHOT_ALARMS_MS,
        order: 'newest_first',
        limit: SNAPSHOT_ALARMS_LIMIT,
      }),
    ]);
    this.#ended = ended.items.map(endOf);
    const rows = alarms.items.flatMap((row) => (row.type === 'alarm' ? [alarmOf(row)] : []));
    if (JSON.stringify(rows) !== JSON.stringify(this.#alarms.rows))
      this.#alarms = { rows, changedIn: this.#version + 1 };
    this.#sequence = queue.sequence;
  }

  /** Estimates are computed beside the snapshot, which does not wait for them: they may take seconds. */
  #foresee({ submissions, revision }: Seen): void {
    const { clock, estimates, logger } = this.parts;
    if (this.#isEstimating || !this.#untilEstimates.isOver || revision === this.#estimatedRevision) return;
    const prs = submissions.rows.slice(0, SNAPSHOT_ESTIMATES_LIMIT).map(({ pr }) => pr);
    const { repo, branch: targetBranch } = this.address;
    this.#isEstimating = true;
    const begunAt = clock.now();
    estimates
      .estimates({ repo, targetBranch, prs })
      .then(
        (found) => {
          [this.#estimates, this.#estimatedRevision] = [found, revision];
          this.#trusted.end();
        },
        (error: unknown) =>
          logger.warn(
            { error, queueId: this.address.id },
            'the estimates of a queue could not be computed; its page shows none',
          ),
      )
      .finally(() => {
        this.#isEstimating = false;
        const tookMs = clock.now() - begunAt;
        this.#untilEstimates.start(Math.max(ESTIMATES_REST_MS, ESTIMATES_REST_TIMES * tookMs));
      });
  }
}

const endOf = (submission: Submission): SnapshotEnd => ({
  pr: submission.pr,
  title: submission.pull.title,
  author: submission.pull.author,
  url: submission.pull.url,
  head: submission.head,
  state: submission.state,
  endedAt: submission.stateSince,
  submittedAt: submission.submittedAt,
  reason: submission.reason,
  detail: submission.reasonDetail,
  landed: submission.landed,
  failedRunId: submission.failedRunId,
});

const alarmOf = ({ at, code, sentence, sequence }: SnapshotAlarm): SnapshotAlarm => ({
  ...{ at, code, sentence, sequence },
});
