import type { Answer, Page, Queue, QueueDelta, QueueSettings, Store } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { story } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { apiWith, queueRef } from './world.js';

/** Settings as if a later release had added them. */
const LATER = ['publicRead', 'freezeUntil', 'autoConcurrency'] as const;

const older = (queue: Queue): Queue => ({
  ...queue,
  settings: Object.fromEntries(
    Object.entries(queue.settings).filter(([name]) => !(LATER as readonly string[]).includes(name)),
  ) as QueueSettings,
});

const olderAnswer = (answer: Answer): Answer =>
  answer.result.ok && answer.result.queue !== null
    ? { ...answer, result: { ...answer.result, queue: older(answer.result.queue) } }
    : answer;

/** A store whose queues lack these settings. */
const olderRows = (store: Store): Store =>
  new Proxy(store, {
    get: (own, name) => {
      const value: unknown = Reflect.get(own, name);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        const found: unknown = await Reflect.apply(value, own, given);
        if (name === 'queues') {
          const page = found as Page<Queue>;
          return { ...page, items: page.items.map(older) };
        }
        if (name === 'answers') return (found as Answer[]).map(olderAnswer);
        if (name !== 'load' || found === null) return found;
        const delta = found as QueueDelta;
        const recalled = { ...delta.recalled, answers: delta.recalled.answers.map(olderAnswer) };
        return { ...delta, queue: older(delta.queue), recalled };
      };
    },
  });

test('a queue that was stored before a setting existed is answered with the default of the setting everywhere', async () => {
  const q = await story(
    {},
    {
      queue: false,
      storeFor: (clock) => olderRows(memoryStore({ clock })) as ReturnType<typeof memoryStore>,
    },
  );
  onTestFinished(() => q.ends());
  const api = await apiWith({ mq: q.world.mq });
  const once = { headers: { 'idempotency-key': 'create' } };
  const create = () => q.world.act(() => api.post('createQueue', queueRef, once));
  const defaults = { publicRead: false, freezeUntil: null, autoConcurrency: false };
  expect((await create()).json).toMatchObject(defaults);
  expect((await create()).json).toMatchObject(defaults);
  const update = { ...queueRef, concurrency: 2 };
  expect((await q.world.act(() => api.post('updateQueue', update))).json).toMatchObject(defaults);
  expect((await api.post('getQueue', queueRef)).json).toMatchObject(defaults);
  expect((await api.post('listQueues', {})).json).toMatchObject({ queues: [defaults] });
  expect((await api.post('getQueueSnapshot', queueRef)).json).toMatchObject({ queue: defaults });
});
