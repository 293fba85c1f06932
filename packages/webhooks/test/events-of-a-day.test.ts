import {
  bootstrapHolder,
  createMergeQueue,
  type HistoryItem,
  type MergeQueue,
  type Queue,
  type QueueRef,
  webhookKeeper,
} from '@mq/core';
import { mergeQueueApi, scopes, tokenAuthenticator, webhookEventsOf, webhookEventTypes } from '@mq/http';
import { Random } from '@mq/random';
import { memoryServiceStore, memoryStore, memoryWebhookStore } from '@mq/store-memory';
import { fakeHost } from '@mq/testkit';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { publicTargets, type WebhookEvent, webhookSender } from '../src/index.js';
import { answering, leapingClock, ok } from './world.js';

const TOKEN = 'some-token';
const HOST = 'fake.example';
const MINUTE_MS = 60_000;
const STEP_MS = 2 * MINUTE_MS;
const STEPS_OF_A_DAY = 12 * 60;
/** The number of steps after which all deliveries have had their first tries. */
const STEPS_UNTIL_QUIET = 30;
/** The cursor before the first row. */
const BEGINNING = Buffer.from('{}').toString('base64url');
const ignore = (): void => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const key = Buffer.alloc(32, 5);

const nameOf = ({ type, queueId, sequence, pr_number: pr }: WebhookEvent): string =>
  [queueId, String(sequence).padStart(6, '0'), type, pr].join(' ');

/** Events of each pull request, in the order in which they came. */
const byPullRequest = (events: readonly WebhookEvent[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const event of events) {
    const pull = `${event.queueId} ${event.pr_number}`;
    if (event.pr_number !== undefined) found.set(pull, [...(found.get(pull) ?? []), nameOf(event)]);
  }
  return found;
};

/** Three queues, each with other settings, with automatic checks. */
const world = (random: Random) => {
  const clock = leapingClock();
  const host = fakeHost({ clock, ci: { mode: 'automatic', durationMs: 4 * MINUTE_MS } });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [HOST]: host }, clock });
  onTestFinished(() => mq.close());
  const queues: QueueRef[] = [];
  const openQueues = async (): Promise<void> => {
    for (const [name, settings] of [
      ['alone', { concurrency: 3 }],
      ['batches', { concurrency: 2, batch: true, batchingMinSize: 4, batchingMaxWaitTimeMinutes: 5 }],
      ['proven', { concurrency: 4, canOptimisticallyMerge: true, pendingFailureDepth: 1 }],
    ] as const) {
      const ref = { repo: { host: HOST, owner: 'acme', name }, targetBranch: 'main' };
      host.createRepository({ ref: ref.repo });
      host.repository(ref.repo).reportTipChecks('main', { test: 'success' });
      await mq.createQueue({ ...ref, ...settings });
      queues.push(ref);
    }
    mq.start();
  };
  let made = 0;
  /** The event of one step, if there is one. */
  const step = async (): Promise<void> => {
    const ref = random.pick(queues);
    if (random.chance(0.3)) {
      made += 1;
      host.repository(ref.repo).openPullRequest({ number: made, broken: random.chance(0.2) });
      await mq.submit({ ...ref, pr: made });
    }
    if (random.chance(0.06)) {
      const { enqueued } = await mq.getQueue(ref);
      if (enqueued.length > 0) await mq.cancel({ ...ref, pr: random.pick(enqueued).submission.pr });
    }
    if (random.chance(0.02)) await mq.updateQueue({ ...ref, testingTimeoutMinutes: random.int(30, 90) });
  };
  return { clock, mq, queues, openQueues, step };
};

const serverOf = async (mq: MergeQueue): Promise<FastifyInstance> => {
  const app = fastify();
  onTestFinished(() => app.close());
  const token = { token: TOKEN, id: 'token-1', name: 'reader', scopes: new Set(scopes) };
  await app.register(mergeQueueApi, { mq, prefix: '/v1', authenticate: tokenAuthenticator([token]) });
  return app;
};

/** A client of the stream that loses its connection now and then, and resumes behind its last id. */
const cutClient = async (app: FastifyInstance, random: Random) => {
  const events = new Map<string, WebhookEvent>();
  let [lastId, cuts, isCut] = [BEGINNING, 0, false];
  let close = (): void => undefined;
  const open = async (): Promise<void> => {
    const headers = { 'x-api-token': TOKEN, 'last-event-id': lastId };
    const response = await app.inject({
      url: `/v1/events?types=${webhookEventTypes.join(',')}`,
      headers,
      payloadAsStream: true,
    });
    const stream = response.stream();
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      // Half an event at the end of a connection is forgotten: it is sent whole when the client resumes.
      const blocks = (text + chunk.toString()).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) {
          const event = JSON.parse(data) as WebhookEvent;
          events.set(nameOf(event), event);
        }
        lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId;
      }
    });
    close = () => void stream.destroy();
  };
  const resume = async (): Promise<void> => {
    if (isCut) await open();
    isCut = false;
  };
  await open();
  onTestFinished(() => close());
  return {
    events: () => [...events.values()],
    cuts: () => cuts,
    resume,
    /** Stays away until the next call. */
    mayCut: async (): Promise<void> => {
      if (isCut) return resume();
      if (!random.chance(0.1)) return;
      cuts += 1;
      isCut = true;
      close();
    },
  };
};

/** All rows of these queues, which are all there are. */
const historyOf = async (mq: MergeQueue, queues: readonly QueueRef[]) => {
  const views = await Promise.all(queues.map((ref) => mq.getQueue(ref)));
  const total = views.reduce((sum, { queue }) => sum + queue.sequence, 0);
  const rows: { readonly row: HistoryItem; readonly queue: Queue }[] = [];
  const end = new AbortController();
  for await (const followed of mq.follow({ after: BEGINNING, signal: end.signal })) {
    if (followed.type === 'row') rows.push(followed);
    if (rows.length === total) break;
  }
  return rows;
};

test('the events of a day, delivered, streamed with cuts, and replayed, are those of the history', async () => {
  const random = new Random(39);
  const { clock, mq, queues, openQueues, step } = world(random);
  const [store, tokens] = [memoryWebhookStore({ clock }), memoryServiceStore({ clock })];
  const keeper = webhookKeeper({ store, mq, key, urlFault: () => null });
  const { webhook } = await keeper.create(bootstrapHolder, { url: 'https://receiver.test/hook' });
  const app = await serverOf(mq);
  const since = clock.now();
  let taken: WebhookEvent[] = [];
  const refused = new Set<string>();
  const sender = webhookSender({
    ...{ store, mq, tokens, key, clock, policy: publicTargets, random: () => 0.5, eventsOf: webhookEventsOf },
    ...{
      pageOf: () => 'https://mq.test',
      logger: silent,
    },
    post: async ({ body, headers }) => {
      const id = headers['webhook-id'] ?? '';
      const isRefused = !refused.has(id) && random.chance(0.1);
      if (isRefused) refused.add(id);
      else taken.push(JSON.parse(body));
      return isRefused ? answering(500) : ok;
    },
  });
  onTestFinished(() => sender.close());
  sender.start();
  await openQueues();
  const clients = [await cutClient(app, random), await cutClient(app, random)];

  for (let n = 0; n < STEPS_OF_A_DAY; n += 1) {
    await step();
    for (const client of clients) await client.mayCut();
    await clock.leap(STEP_MS);
  }
  for (const client of clients) await client.resume();
  for (let n = 0; n < STEPS_UNTIL_QUIET; n += 1) await clock.leap(STEP_MS);

  const rows = await historyOf(mq, queues);
  const happened = rows.flatMap(({ row, queue }) => webhookEventsOf(row, queue));
  expect(happened.length).toBeGreaterThan(1_000);
  expect(refused.size).toBeGreaterThan(50);

  for (const client of clients) {
    expect(client.cuts()).toBeGreaterThan(20);
    expect(client.events().map(nameOf).sort()).toEqual(happened.map(nameOf).sort());
    expect(byPullRequest(client.events())).toEqual(byPullRequest(happened));
  }
  expect(taken.map(nameOf).sort()).toEqual(happened.map(nameOf).sort());
  expect(byPullRequest(taken)).toEqual(byPullRequest(happened));
  const ends = new Set(['pull_request.merged', 'pull_request.failed', 'pull_request.canceled']);
  for (const ref of queues)
    for (const { submission } of (await mq.listSubmissions({ ...ref, take: 100 })).items) {
      const last = taken.findLast(({ pr_number: pr }) => pr === submission.pr);
      expect(ends.has(last?.type ?? '')).toBe(['merged', 'failed', 'cancelled'].includes(submission.state));
    }

  const delivered = taken;
  taken = [];
  let cursor: string | undefined;
  do {
    const replay = { webhookId: webhook.id, since, until: clock.now() };
    const { next } = await keeper.replay(bootstrapHolder, {
      ...replay,
      ...(cursor === undefined ? {} : { cursor }),
    });
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  for (let n = 0; n < STEPS_UNTIL_QUIET; n += 1) await clock.leap(STEP_MS);
  expect(taken.map(nameOf).sort()).toEqual(delivered.map(nameOf).sort());
  expect(byPullRequest(taken)).toEqual(byPullRequest(happened));
});
