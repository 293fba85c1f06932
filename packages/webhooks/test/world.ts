import {
  bootstrapHolder,
  type Clock,
  type CreateWebhookRequest,
  createMergeQueue,
  type Delivery,
  type HistoryRow,
  type Logger,
  type WebhookId,
  webhookKeeper,
} from '@mq/core';
import { webhookEventsOf } from '@mq/http';
import { watchUntilEnd } from '@mq/secret-watch';
import { memoryServiceStore, memoryStore, memoryWebhookStore } from '@mq/store-memory';
import { aCommit, aQueue, BUILT_AT, someWrites } from '@mq/testkit';
import { onTestFinished } from 'vitest';
import {
  type Posted,
  type PostRequest,
  publicTargets,
  type WebhookSenderOptions,
  webhookSender,
} from '../src/index.js';

/** A clock that leaps: every wait that is over ends at once, so that days take no longer than seconds. */
export const leapingClock = (): Clock & { leap(ms: number): Promise<void> } => {
  const waits = new Set<{ readonly until: number; readonly end: () => void }>();
  let now = BUILT_AT;
  return {
    now: () => now,
    wait: (until, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const end = (): void => {
          waits.delete(wait);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const wait = { until, end };
        waits.add(wait);
        signal.addEventListener('abort', end, { once: true });
        if (until <= now) setImmediate(end);
      }),
    leap: async (ms) => {
      now += ms;
      for (const { until, end } of [...waits]) if (until <= now) end();
      await turns();
    },
  };
};

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 25; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

export const ok: Posted = { status: 200, error: null, answer: 'thanks', retryAfterMs: null };
export const answering = (status: number): Posted => ({ ...ok, status, error: `It answered ${status}.` });

export interface Heard {
  readonly id: string;
  readonly at: number;
  readonly event: Readonly<Record<string, unknown>>;
  readonly request: PostRequest;
}

const key = Buffer.alloc(32, 9);

/** One queue, whose history a test writes, and a receiver that answers as the test says. */
export const world = async (given: { readonly historyRows?: number } = {}) => {
  const clock = leapingClock();
  const { historyRows } = given;
  const store = memoryStore({ clock, ...(historyRows === undefined ? {} : { retention: { historyRows } }) });
  const mq = createMergeQueue({ store, clock, hosts: {} });
  const queue = aQueue();
  await store.createQueue(queue, clock.now(), null);
  const webhooks = memoryWebhookStore({ clock });
  const tokens = memoryServiceStore({ clock });
  const keeperWith = (own: Uint8Array) =>
    webhookKeeper({ store: webhooks, mq, key: own, urlFault: () => null });
  const keeper = keeperWith(key);
  const heard: Heard[] = [];
  const logged: { readonly facts: object; readonly sentence: string }[] = [];
  watchUntilEnd('a log', () => JSON.stringify(logged));
  const log = (facts: object, sentence: string) => void logged.push({ facts, sentence });
  const logger: Logger = { debug: () => undefined, info: () => undefined, warn: log, error: log };
  let commits = 0;
  const state = { behave: (_: Heard): Posted | Promise<Posted> => ok };

  const senderWith = (options: Partial<WebhookSenderOptions> = {}) => {
    const sender = webhookSender({
      ...{ store: webhooks, mq, tokens, key, clock, logger, policy: publicTargets, random: () => 0 },
      eventsOf: webhookEventsOf,
      pageOf: ({ branch }, pr) => `https://mq.test/${branch}/${pr}`,
      post: async (request) => {
        const id = request.headers['webhook-id'] ?? '';
        const one = { id, at: clock.now() - BUILT_AT, event: JSON.parse(request.body), request };
        heard.push(one);
        return state.behave(one);
      },
      ...options,
    });
    onTestFinished(() => sender.close());
    sender.start();
    return sender;
  };
  onTestFinished(() => mq.close());

  return {
    ...{ clock, mq, store, queue, keeper, keeperWith, webhooks, tokens, heard, logged, senderWith },
    /** How the receiver answers from now on. */
    answer: (behave: (one: Heard) => Posted | Promise<Posted>) => {
      state.behave = behave;
    },
    make: (request: Partial<CreateWebhookRequest> = {}, holder = bootstrapHolder) =>
      keeper.create(holder, { url: 'https://receiver.test/hook', ...request }),
    /** Commits rows, which get their sequence numbers here, and leaps a second. */
    commit: async (...rows: readonly HistoryRow[]) => {
      commits += 1;
      await store.commit(aCommit({ expected: commits, writes: someWrites({ history: rows }) }));
      await clock.leap(1_000);
    },
    deliveries: async (webhookId: WebhookId): Promise<readonly Delivery[]> =>
      (await webhooks.deliveries({ webhookId, limit: 1_000 })).items.toReversed(),
  };
};

export type World = Awaited<ReturnType<typeof world>>;
