import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { Context, Pace } from '../decide/draft/context.js';
import type { Decider } from '../engine/decider.js';
import { everyRow } from '../engine/pages.js';
import type { Loaded } from '../engine/working-set.js';
import { MergeQueueError } from '../errors.js';
import { forecast } from '../forecast/forecast.js';
import { learn } from '../forecast/learn.js';
import { repeatableRuns } from '../forecast/recorded-passes.js';
import type { Estimate } from '../model/estimate.js';
import type { QueueId, TestRunId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import type { TestRun } from '../model/run.js';
import type { QueueState } from '../model/state.js';
import { type HistoryItem, PAGE_LIMIT, type Recall, type Store } from '../ports/store.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { QueueRef } from '../validation/requests.js';
import { type QueueReader, queueDeleted } from './queue-reader.js';
import { SUBMISSIONS_PER_READ } from './reads.js';

/** Max history rows that durations are learnt from, the newest. */
const LEARNT_ROWS_LIMIT = 2_000;
/** Decisions of a forecast between two yields to other work of this process. */
const AT_ONCE = 20;

const nothing: Recall = { prs: [], inputIds: [] };

export interface EstimatesParts {
  readonly store: Store;
  readonly pace: Pace;
  readonly reader: Pick<QueueReader, 'queue'>;
  readonly deciderOf: (queueId: QueueId) => Pick<Decider, 'see'>;
}

type OneRef = QueueRef & { readonly pr: number };
type ManyRef = QueueRef & { readonly prs: readonly number[] };

const ofOne = z.strictObject({ ...fields.queueRef, pr: fields.pr });
const ofMany = z.strictObject({ ...fields.queueRef, prs: z.array(fields.pr) });

/** Estimates of merge times. Computes one forecast at a time and yields to other work. Changes nothing. */
export class Estimates {
  readonly #turns = new PQueue({ concurrency: 1 });

  readonly #parts: EstimatesParts;

  constructor(parts: EstimatesParts) {
    this.#parts = parts;
  }

  readonly estimate = takes(ofOne, async ({ pr, ...ref }: OneRef): Promise<Estimate> => {
    const estimate = (await this.estimates({ ...ref, prs: [pr] })).get(pr);
    if (estimate === undefined)
      throw new MergeQueueError('NOT_SUBMITTED', `#${pr} was never submitted to this queue.`);
    return estimate;
  });

  readonly estimates = takes(ofMany, async ({ prs, ...ref }: ManyRef) => {
    if (prs.length > SUBMISSIONS_PER_READ)
      throw new MergeQueueError(
        'INVALID_REQUEST',
        `At most ${SUBMISSIONS_PER_READ} pull requests can be requested at once.`,
      );
    const queue = await this.#parts.reader.queue(ref);
    return this.#turns.add(() => this.#foresee(queue, prs));
  });

  async #foresee(queue: Queue, prs: readonly number[]): Promise<ReadonlyMap<number, Estimate>> {
    const { rows, past } = await this.#learnt(queue);
    const begun = await this.#parts
      .deciderOf(queue.id)
      .see({ ...nothing, prs }, ({ state, delta: { now, recalled } }) => {
        const context = { now, pace: this.#parts.pace, recalled };
        return begin(forecast({ state, context, prs, learnt: learn(rows), past }));
      });
    if (begun === null) throw queueDeleted(queue);
    return finish(begun);
  }

  /** Reads the state, and adds estimates for the pull requests that the read names, with one forecast per state. */
  compare<Seen extends Compared>(queue: Queue, recall: Recall, look: (loaded: Loaded) => Seen) {
    return this.#turns.add(async () => {
      const { rows, past } = await this.#learnt(queue);
      const begun = await this.#parts.deciderOf(queue.id).see(recall, (loaded) => {
        const seen = look(loaded);
        const forecasts = seen.states.map(({ state, recalled }) => {
          const context = { now: loaded.delta.now, pace: this.#parts.pace, recalled };
          return begin(forecast({ state, context, prs: seen.prs, learnt: learn(rows), past }));
        });
        return { seen, forecasts };
      });
      if (begun === null) throw queueDeleted(queue);
      const estimates: ReadonlyMap<number, Estimate>[] = [];
      for (const one of begun.forecasts) estimates.push(await finish(one));
      return { seen: begun.seen, estimates };
    });
  }

  async #learnt({ id }: Queue) {
    const rows = await this.#history(id);
    const ids = await this.#parts.deciderOf(id).see(nothing, ({ state }) => repeatableRuns(rows, state));
    return { rows, past: await this.#runs(id, ids ?? []) };
  }

  async #runs(queueId: QueueId, ids: readonly TestRunId[]): Promise<readonly TestRun[]> {
    const found = await Promise.all(ids.map((id) => this.#parts.store.run(queueId, id)));
    return found.filter((run) => run !== null);
  }

  async #history(queueId: QueueId): Promise<readonly HistoryItem[]> {
    const rows: HistoryItem[] = [];
    const query = { queueIds: [queueId], types: ['run', 'moved'], order: 'newest_first' } as const;
    for await (const row of everyRow(this.#parts.store, { ...query, limit: PAGE_LIMIT })) {
      rows.push(row);
      if (rows.length >= LEARNT_ROWS_LIMIT) break;
    }
    return rows;
  }
}

interface Compared {
  /** The pull requests to estimate. */
  readonly prs: readonly number[];
  readonly states: readonly { readonly state: QueueState; readonly recalled: Context['recalled'] }[];
}

type Steps = ReturnType<typeof forecast>;

/** A forecast reads its arguments before its first step ends: it is begun in the turn in which they are current. */
const begin = (steps: Steps) => ({ steps, first: steps.next() });

const finish = async ({ steps, first }: ReturnType<typeof begin>): Promise<ReadonlyMap<number, Estimate>> => {
  let count = 1;
  for (let step = first; ; step = steps.next()) {
    if (step.done) return step.value;
    if (count % AT_ONCE === 0) await setImmediate();
    count += 1;
  }
};
