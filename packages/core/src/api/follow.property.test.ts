import { memoryStore } from '@mq/store-memory';
import {
  aCommit,
  aMove,
  aQueue,
  commitIdOf,
  queueIdOf,
  someWrites,
  type VirtualClock,
  virtualClock,
} from '@mq/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QueueId } from '../model/ids.js';
import { positionOf, positionText } from '../model/position.js';
import { silentLogger } from '../ports/logger.js';
import type { HistoryItem, Store } from '../ports/store.js';
import { Follow } from './follow.js';

const QUEUES = [1, 2, 3];
const REPLICAS = [0, 1];
const READERS = [0, 1, 2];

type Write = { readonly queue: number; readonly rows: number; readonly at: number; readonly mark: number };

/** A database of three queues, which a failover may take back to an earlier state. */
class Database {
  readonly #clock: VirtualClock;
  #store: Store;
  #writes: readonly Write[] = [];
  #under: readonly Write[] = [];
  #marks = 0;
  #incarnation = 1;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.#store = memoryStore({ clock });
  }

  /** What replicas see: always the present store. */
  readonly store: Store = new Proxy({} as Store, {
    get:
      (_, name) =>
      (...args: unknown[]) => {
        const method: unknown = Reflect.get(this.#store, name);
        if (typeof method !== 'function') throw new Error(`the store has no ${String(name)}`);
        return Reflect.apply(method, this.#store, args);
      },
  });

  async create(): Promise<void> {
    for (const queue of QUEUES) {
      const repo = { ...aQueue().repo, name: `widgets-${queue}` };
      await this.#store.createQueue(aQueue({ id: queueIdOf(queue), repo }), this.#clock.now(), null);
    }
  }

  /** The rows of a decision have its time, however late they are committed. */
  begin(queue: number, rows: number): void {
    this.#marks += 1;
    this.#under = [...this.#under, { queue, rows, at: this.#clock.now(), mark: this.#marks }];
  }

  /** The first transaction that is under way, of any queue. */
  async finish(): Promise<void> {
    const [next, ...rest] = this.#under;
    if (next === undefined) return;
    this.#under = rest;
    // A decision is never dated before the last one of its queue.
    const last = this.#writes.findLast(({ queue }) => queue === next.queue)?.at ?? 0;
    const write = { ...next, at: Math.max(next.at, last) };
    await this.#apply(write, this.#writes);
    this.#writes = [...this.#writes, write];
  }

  async failover(lost: number): Promise<void> {
    const kept = this.#writes.slice(0, Math.max(0, this.#writes.length - lost));
    this.#incarnation += 1;
    this.#store = memoryStore({ clock: this.#clock, incarnation: String(this.#incarnation) });
    await this.create();
    for (const [index, write] of kept.entries()) await this.#apply(write, kept.slice(0, index));
    this.#writes = kept;
  }

  async #apply({ queue, rows, at, mark }: Write, before: readonly Write[]): Promise<void> {
    const own = before.filter((one) => one.queue === queue);
    const first = own.reduce((sum, one) => sum + one.rows, 1);
    const history = Array.from({ length: rows }, (_, n) => aMove(first + n, { at, pr: mark }));
    const queueId = queueIdOf(queue);
    const made = { id: commitIdOf(mark), queueId, expected: own.length + 1, writes: someWrites({ history }) };
    const { kind } = await this.#store.commit(aCommit(made));
    if (kind !== 'committed') throw new Error(`a commit was ${kind}`);
  }

  async history(queue: number): Promise<readonly string[]> {
    const query = { queueIds: [queueIdOf(queue)], order: 'oldest_first', limit: 100 } as const;
    return (await this.#store.history(query)).items.map(nameOf);
  }
}

const nameOf = (row: HistoryItem): string => `${row.queueId} ${positionText(positionOf(row))}`;

/** Follows all queues from before their first row, at one replica after another. */
class Reader {
  /** What came since the last reset, by queue. */
  readonly rows = new Map<QueueId, string[]>();
  readonly resets = new Set<QueueId>();
  readonly all = new Map<QueueId, string[]>();
  #cursor: string;
  #end = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(cursor: string) {
    this.#cursor = cursor;
  }

  start(mq: Follow): void {
    this.#end = new AbortController();
    this.#ended = this.#read(mq, this.#end.signal);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#ended;
  }

  async #read(mq: Follow, signal: AbortSignal): Promise<void> {
    for await (const step of mq.follow({ after: this.#cursor, signal })) {
      this.#cursor = step.cursor;
      if (step.type === 'started') continue;
      const { id } = step.queue;
      if (step.type === 'row')
        for (const rows of [this.rows, this.all]) rows.set(id, [...(rows.get(id) ?? []), nameOf(step.row)]);
      else {
        this.rows.set(id, []);
        this.resets.add(id);
      }
    }
  }
}

const fromTheBeginning = Buffer.from(JSON.stringify({})).toString('base64url');

const queue = fc.constantFrom(...QUEUES);
const replica = fc.constantFrom(...REPLICAS);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('begin' as const), queue, rows: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finish' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 100, 250, 1_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('cut' as const), reader: fc.constantFrom(...READERS), replica }),
  },
);
const steps = fc.array(step, { maxLength: 25 });

test.each([
  ['a cursor that names all queues', 100],
  ['a cursor that names one queue of three', 1],
])(
  'with late transactions, two replicas, a failover that loses commits and %s, no reader misses or repeats a row without a reset',
  async (_, namedQueues) => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 4 }), steps, async (before, lost, after) => {
        const clock = virtualClock();
        const database = new Database(clock);
        await database.create();
        const parts = { store: database.store, clock, logger: silentLogger, namedQueues };
        const replicas = REPLICAS.map(() => new Follow(parts));
        const readers = READERS.map(() => new Reader(fromTheBeginning));
        const followOf = (index: number): Follow => replicas[index % replicas.length] as Follow;
        for (const [index, reader] of readers.entries()) reader.start(followOf(index));
        const run = async (all: typeof before): Promise<void> => {
          for (const one of all) {
            if (one.do === 'begin') database.begin(one.queue, one.rows);
            else if (one.do === 'finish') await database.finish();
            else if (one.do === 'wait') await clock.advance(one.ms);
            else {
              await readers[one.reader]?.stop();
              readers[one.reader]?.start(followOf(one.replica));
            }
          }
        };
        await run(before);
        await database.failover(lost);
        await run(after);
        await clock.advance(3_000);
        for (const reader of readers) {
          await reader.stop();
          for (const number of QUEUES) {
            const id = queueIdOf(number);
            const history = await database.history(number);
            const rows = reader.rows.get(id) ?? [];
            // After a reset a reader goes on at a place of the history; without one it has all of it.
            const expected = reader.resets.has(id) ? history.slice(history.length - rows.length) : history;
            expect(rows).toEqual(expected);
            const hasReadLost = (reader.all.get(id) ?? []).some((name) => !history.includes(name));
            if (hasReadLost || namedQueues > QUEUES.length) expect(reader.resets.has(id)).toBe(hasReadLost);
          }
        }
        for (const follow of replicas) follow.close();
      }),
      { numRuns: 100 },
    );
  },
);
