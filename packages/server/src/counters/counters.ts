import type { HistoryItem, MergeQueue, Queue, QueueId } from '@mq/core';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type CounterName, counterCatalogue } from './catalogue.js';
import { countsOf } from './history.js';

/** Number of queues with their own series. Later ones are counted under `OTHERS`. */
export const COUNTED_QUEUES_LIMIT = 2_000;
export const OTHERS = '(others)';

interface QueueLabels {
  readonly repo: string;
  readonly branch: string;
}

/** The counters of one process. Safe to call at any rate; nothing here throws into the engine. */
export class Counters {
  readonly #registry = new Registry();
  readonly #metrics = new Map<CounterName, Counter | Histogram>();
  readonly #queues = new Map<QueueId, QueueLabels>();

  /** `isProcessMeasured`: with the metrics of the process (CPU, memory, event loop) as well. */
  constructor({ isProcessMeasured = true }: { readonly isProcessMeasured?: boolean } = {}) {
    for (const [name, family] of Object.entries(counterCatalogue)) {
      const { type, help, labels } = family;
      const options = { name, help, labelNames: [...labels], registers: [this.#registry] };
      const metric =
        type === 'histogram'
          ? new Histogram({ ...options, buckets: [...family.buckets] })
          : new Counter(options);
      this.#metrics.set(name as CounterName, metric);
    }
    if (isProcessMeasured) collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All series in the text exposition format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Counts the commits of this process from now on. Returns a function that stops it. */
  watch(mq: Pick<MergeQueue, 'on'>): () => void {
    const ends = [
      mq.on('queue.changed', ({ queue }) => this.#meet(queue)),
      mq.on('history', (row) => this.#countRow(row)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  count(name: CounterName, labels: Readonly<Record<string, string>>, value = 1): void {
    const metric = this.#metrics.get(name);
    if (metric instanceof Histogram) metric.observe(labels, value);
    else metric?.inc(labels, value);
  }

  #meet({ id, repo, branch }: Queue): void {
    if (this.#queues.has(id) || this.#queues.size >= COUNTED_QUEUES_LIMIT) return;
    this.#queues.set(id, { repo: `${repo.owner}/${repo.name}`, branch });
  }

  #countRow(row: HistoryItem): void {
    const queue = this.#queues.get(row.queueId) ?? { repo: OTHERS, branch: OTHERS };
    for (const { name, labels, value } of countsOf(row)) this.count(name, { ...queue, ...labels }, value);
  }
}
