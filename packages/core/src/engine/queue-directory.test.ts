import { aQueue, aRepo, BUILT_AT, queueIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aSubmit, engineWorld } from '../../test/engine-world.js';
import { QueueDirectory } from './queue-directory.js';

const ref = { repo: aRepo, branch: aQueue().branch };

const placed = async () => {
  const world = await engineWorld();
  let looks = 0;
  const places = new QueueDirectory({
    find: async ({ repo, branch }) => {
      looks += 1;
      const [queue] = (await world.memory.queues({ repo, branch, limit: 1 })).items;
      if (queue === undefined) throw new Error('no such queue');
      return queue;
    },
    deciderOf: (id) => world.deciderOf(id),
  });
  const remove = () => world.rival({ writes: someWrites({ queue: aQueue({ deletedAt: BUILT_AT }) }) });
  return { ...world, places, remove, looks: () => looks };
};

describe('a place', () => {
  test('a queue is looked up once', async () => {
    const { places, looks } = await placed();
    await places.queue(ref);

    expect((await places.queue(ref)).id).toBe(queueIdOf(1));
    expect(looks()).toBe(1);
  });

  test('queues of equal names at different hosts are distinguished', async () => {
    const { places, memory } = await placed();
    const elsewhere = { ...ref, repo: { ...aRepo, host: 'elsewhere' } };
    await memory.createQueue(aQueue({ id: queueIdOf(2), repo: elsewhere.repo }), BUILT_AT, null);
    await places.queue(ref);

    expect((await places.queue(elsewhere)).id).toBe(queueIdOf(2));
    expect((await places.queue(ref)).id).toBe(queueIdOf(1));
  });

  test('a command for a queue that was deleted and created again is decided in the new one', async () => {
    const { places, memory, remove } = await placed();
    const old = await places.queue(ref);
    await remove();
    await memory.createQueue(aQueue({ id: queueIdOf(2), wanted: 'paused' }), BUILT_AT, null);

    expect(await places.decide(old, aSubmit(1))).toMatchObject({ ok: true, queue: { id: queueIdOf(2) } });
    expect((await places.queue(ref)).id).toBe(queueIdOf(2));
  });

  test('a command for one queue alone is not decided in another that was created for its branch since', async () => {
    const { places, memory, remove } = await placed();
    const old = await places.queue(ref);
    const alone = places.of(old);
    expect(await alone.decide(await alone.queue(ref), aSubmit(1))).toMatchObject({ ok: true });
    await remove();
    await memory.createQueue(aQueue({ id: queueIdOf(2) }), BUILT_AT, null);

    await expect(alone.decide(old, aSubmit(2))).rejects.toMatchObject({ code: 'QUEUE_NOT_FOUND' });
    await expect(places.of(old).queue(ref)).rejects.toMatchObject({ code: 'QUEUE_NOT_FOUND' });
  });

  test('a command for a deleted queue is rejected, now and later', async () => {
    const { places, remove } = await placed();
    const old = await places.queue(ref);
    await remove();

    await expect(places.decide(old, aSubmit(1))).rejects.toThrow('no such queue');
    await expect(places.queue(ref)).rejects.toThrow('no such queue');
  });
});
