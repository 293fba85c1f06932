import type { Delivery, DeliveryTry } from '@mq/core';
import { BUILT_AT, deliveryIdOf, webhookIdOf } from '../ids.js';
import { aDelivery, aWebhook } from '../webhook-builders.js';
import { changed, claimed, LEASE_MS, type Promises, record, type World } from './world.js';

const webhookId = webhookIdOf(1);
const failedTry: DeliveryTry = {
  ...{ at: BUILT_AT + 1, tookMs: 12, status: 500, error: 'It answered 500.' },
  answer: 'a "b" \u0000 \ud800 ✓',
};

const dueNow = async ({ store }: World, limit = 100): Promise<readonly string[]> =>
  (await store.due({ webhookId, at: BUILT_AT, limit })).map(({ delivery }) => delivery.id);

const failed = (delivery: Delivery, tries: number): Delivery =>
  changed(delivery, { tries, nextAt: BUILT_AT + 5_000, log: [failedTry] });

const delivered = (delivery: Delivery, endedAt = BUILT_AT + 9): Delivery =>
  changed(delivery, { state: 'delivered', tries: 1, nextAt: null, endedAt });

const success = { at: BUILT_AT + 9, failure: null };
const failure = { at: BUILT_AT + 5, failure: 'It answered 500.' };
const listed = async ({ store }: World) => (await store.deliveries({ webhookId, limit: 100 })).items;

export const deliveryPromises: Promises = {
  'records deliveries in order together with the cursor, each once': async (world) => {
    const { store, expect } = world;
    const claim = await claimed(world);
    await record(world, claim, [aDelivery(2), aDelivery(1)], 'second');
    await record(world, claim, [aDelivery(1, { type: 'other' }), aDelivery(3)], 'third');
    expect(await listed(world)).toEqual([aDelivery(3), aDelivery(1), aDelivery(2)]);
    expect((await store.webhook(webhookId))?.progress.cursor).toBe('third');
    const [first] = await store.due({ webhookId, at: BUILT_AT, limit: 1 });
    expect(first).toEqual({ delivery: aDelivery(2), sealedBody: `body of ${deliveryIdOf(2)}` });
  },
  'records nothing for an owner whose lease has ended or was taken': async (world) => {
    const { store, passTime, expect } = world;
    const { turn } = await claimed(world);
    const added = [{ delivery: aDelivery(1), sealedBody: '' }];
    const ask = { webhookId, owner: 'one', turn, cursor: 'next', deliveries: added };
    expect(await store.record({ ...ask, owner: 'two' })).toBe(false);
    expect(await store.record({ ...ask, turn: '999999999' })).toBe(false);
    await passTime(LEASE_MS + 1);
    expect(await store.record(ask)).toBe(false);
    await store.claim({ owner: 'two', leaseMs: LEASE_MS, limit: 1 });
    expect(await store.record(ask)).toBe(false);
    expect([await listed(world), (await store.webhook(webhookId))?.progress.cursor]).toEqual([[], 'start']);
  },
  'adds one delivery at the end, and none for a webhook that does not exist': async (world) => {
    const { store, expect } = world;
    await record(world, await claimed(world), [aDelivery(1)]);
    expect(await store.addDelivery({ delivery: aDelivery(2), sealedBody: 'x' })).toBe(true);
    expect(await store.addDelivery({ delivery: aDelivery(2), sealedBody: 'x' })).toBe(false);
    const stray = { delivery: aDelivery(3, { webhookId: webhookIdOf(9) }), sealedBody: 'x' };
    expect(await store.addDelivery(stray)).toBe(false);
    expect([await dueNow(world), await store.countPending(webhookId)]).toEqual([
      [deliveryIdOf(1), deliveryIdOf(2)],
      2,
    ]);
  },
  'a delivery is held back by an earlier one that shares a key, until that one ended or had its ordered tries':
    async (world) => {
      const { store, expect } = world;
      const keys = (...names: string[]) => ({ keys: names });
      const [one, two, other] = [
        aDelivery(1, keys('a')),
        aDelivery(2, keys('a', 'b')),
        aDelivery(3, keys('c')),
      ];
      await record(world, await claimed(world), [one, two, other, aDelivery(4, keys('b'))]);
      expect(await dueNow(world)).toEqual([one.id, other.id]);
      expect(await dueNow(world, 1)).toEqual([one.id]);
      await store.settle(failed(one, 1), failure);
      expect(await dueNow(world)).toEqual([other.id]);
      await store.settle(failed(failed(one, 1), 3), failure);
      expect(await dueNow(world)).toEqual([two.id, other.id]);
      await store.settle(delivered(two), success);
      expect(await dueNow(world)).toEqual([other.id, deliveryIdOf(4)]);
    },
  'a delivery is due at its next try and not before': async (world) => {
    const { store, expect } = world;
    await record(world, await claimed(world), [aDelivery(1, { nextAt: BUILT_AT + 1 })]);
    expect(await dueNow(world)).toEqual([]);
    expect((await store.due({ webhookId, at: BUILT_AT + 1, limit: 1 })).length).toBe(1);
  },
  'settles a delivery only if the stored version is the one before': async (world) => {
    const { store, expect } = world;
    await record(world, await claimed(world), [aDelivery(1)]);
    expect(await store.settle(failed(aDelivery(1), 1), failure)).toEqual({ failingSince: failure.at });
    expect(await store.settle(delivered(aDelivery(1)), success)).toBe('stale');
    expect(await store.settle(delivered(aDelivery(2)), success)).toBe('stale');
    expect(await listed(world)).toEqual([failed(aDelivery(1), 1)]);
  },
  'remembers since when a webhook fails, and forgets it at a success': async (world) => {
    const { store, expect } = world;
    await record(world, await claimed(world), [aDelivery(1), aDelivery(2)]);
    const once = failed(aDelivery(1), 1);
    await store.settle(once, failure);
    const later = { at: failure.at + 100, failure: 'odd \u0000 text' };
    expect(await store.settle(failed(once, 2), later)).toEqual({ failingSince: failure.at });
    expect((await store.webhook(webhookId))?.progress).toEqual({
      ...{ cursor: 'next', lastSuccessAt: null, failingSince: failure.at, lastFailure: later.failure },
    });
    expect(await store.settle(delivered(aDelivery(2)), success)).toEqual({ failingSince: null });
    expect((await store.webhook(webhookId))?.progress).toEqual({
      ...{ cursor: 'next', lastSuccessAt: success.at, failingSince: null, lastFailure: later.failure },
    });
    await store.settle(failed(failed(once, 2), 3), failure);
    await store.replaceWebhook(aWebhook(1, { version: 2 }), { cursor: 'restarted' });
    expect((await store.webhook(webhookId))?.progress.failingSince).toEqual(null);
  },
  'lists deliveries by state, newest first, page by page': async (world) => {
    const { store, expect } = world;
    await record(world, await claimed(world), [aDelivery(1), aDelivery(2), aDelivery(3)]);
    await store.settle(delivered(aDelivery(2)), success);
    const pending = await store.deliveries({ webhookId, states: ['pending'], limit: 1 });
    expect(pending.items.map(({ id }) => id)).toEqual([deliveryIdOf(3)]);
    const rest = await store.deliveries({
      ...{ webhookId, states: ['pending'], limit: 9, cursor: pending.next ?? '' },
    });
    expect([rest.items.map(({ id }) => id), rest.next]).toEqual([[deliveryIdOf(1)], null]);
    expect((await store.deliveries({ webhookId: webhookIdOf(2), limit: 9 })).items).toEqual([]);
  },
  'replays ended deliveries of a range or by id, oldest first, up to a limit': async (world) => {
    const { store, expect } = world;
    await record(
      world,
      await claimed(world),
      [1, 2, 3, 4].map((n) => aDelivery(n)),
    );
    for (const n of [1, 2, 3]) await store.settle(delivered(aDelivery(n)), success);
    const range = { webhookId, at: BUILT_AT, since: BUILT_AT + 2, until: BUILT_AT + 4 };

    const first = await store.replay({ ...range, limit: 1 });
    expect(first.count).toBe(1);
    expect(await store.replay({ ...range, limit: 1, cursor: first.next ?? '' })).toEqual({
      ...{ count: 1, next: null },
    });
    expect(await dueNow(world)).toEqual([2, 3, 4].map(deliveryIdOf));
    expect(await store.replay({ webhookId, at: BUILT_AT, states: ['failed'], limit: 9 })).toEqual({
      ...{ count: 0, next: null },
    });
    const ids = [deliveryIdOf(1), deliveryIdOf(2), deliveryIdOf(9)];
    expect((await store.replay({ webhookId, at: BUILT_AT + 7, ids, limit: 9 })).count).toBe(1);
    const [replayed] = (await listed(world)).slice(-1);
    expect(replayed).toEqual(
      changed(delivered(aDelivery(1)), { state: 'pending', tries: 0, nextAt: BUILT_AT + 7, endedAt: null }),
    );
  },
  'removes deliveries that ended early, and ended ones beyond the newest, and no pending ones': async (
    world,
  ) => {
    const { store, expect } = world;
    await record(
      world,
      await claimed(world),
      [1, 2, 3, 4, 5].map((n) => aDelivery(n)),
    );
    for (const n of [2, 3, 4]) await store.settle(delivered(aDelivery(n), BUILT_AT + 10 + n), success);
    await store.prune({ webhookId, endedBefore: BUILT_AT + 13, keep: 100 });
    expect((await listed(world)).map(({ id }) => id)).toEqual([5, 4, 3, 1].map(deliveryIdOf));
    await store.prune({ webhookId, endedBefore: 0, keep: 2 });
    expect((await listed(world)).map(({ id }) => id)).toEqual([5, 4, 1].map(deliveryIdOf));
  },
  'what one process recorded is delivered and settled by another': async (world) => {
    const { store, another, expect } = world;
    await store.addWebhook(aWebhook(2), { cursor: '', limit: 9 });
    await record(world, await claimed(world), [aDelivery(1)]);
    const second = await another();
    expect((await second.due({ webhookId, at: BUILT_AT, limit: 9 })).length).toBe(1);
    expect(await second.settle(delivered(aDelivery(1)), success)).toEqual({ failingSince: null });
    expect(await dueNow(world)).toEqual([]);
  },
};
