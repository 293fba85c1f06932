import type { TokenId, Webhook } from '@mq/core';
import { BUILT_AT, tokenIdOf, webhookIdOf } from '../ids.js';
import { numbers } from '../store-conformance/world.js';
import { aDelivery, aWebhook } from '../webhook-builders.js';
import { claimed, LEASE_MS, type Promises, record } from './world.js';

const bootstrap = 'bootstrap' as TokenId;
const fresh = { cursor: 'start', lastSuccessAt: null, failingSince: null, lastFailure: null };
const adding = { cursor: 'start', limit: 100 };

const madeBy = (n: number): Pick<Webhook, 'makers'> => ({
  makers: [
    { tokenId: bootstrap, familyId: bootstrap },
    { tokenId: tokenIdOf(n), familyId: tokenIdOf(n) },
  ],
});

export const webhookPromises: Promises = {
  'a webhook is found by its id, exactly as it was added': async ({ store, expect }) => {
    const odd = aWebhook(1, {
      ...{ description: 'a "b" \u0000 \ud800 ✓', format: 'slack', types: ['alarm'], branch: 'release/1' },
      repo: { host: 'git.test', owner: 'acme/sub', name: 'widgets' },
      secrets: [
        { sealed: 'new', until: null },
        { sealed: 'old', until: BUILT_AT },
      ],
      requests: [{ id: 'one', digest: 'two' }],
    });
    expect(await store.addWebhook(odd, adding)).toBe('added');
    expect(await store.addWebhook(aWebhook(1), adding)).toBe('exists');
    expect(await store.webhook(odd.id)).toEqual({ webhook: odd, progress: fresh });
    expect(await store.webhook(webhookIdOf(2))).toEqual(null);
  },
  'a family of tokens has no more webhooks than the limit, and lists its own, newest first': async ({
    store,
    expect,
  }) => {
    for (const n of [1, 2]) await store.addWebhook(aWebhook(n, madeBy(1)), { ...adding, limit: 2 });
    expect(await store.addWebhook(aWebhook(3, madeBy(1)), { ...adding, limit: 2 })).toBe('full');
    expect(await store.addWebhook(aWebhook(1, madeBy(1)), { ...adding, limit: 2 })).toBe('exists');
    expect(await store.addWebhook(aWebhook(4, madeBy(2)), { ...adding, limit: 2 })).toBe('added');

    const first = await store.webhooks({ madeBy: bootstrap, limit: 2 });
    expect(first.items.map(({ webhook }) => webhook.id)).toEqual([webhookIdOf(4), webhookIdOf(2)]);
    const rest = await store.webhooks({ madeBy: bootstrap, limit: 2, cursor: first.next ?? '' });
    expect([rest.items.map(({ webhook }) => webhook.id), rest.next]).toEqual([[webhookIdOf(1)], null]);
    const own = await store.webhooks({ madeBy: tokenIdOf(1), limit: 9 });
    expect(own.items.map(({ webhook }) => webhook.id)).toEqual([webhookIdOf(2), webhookIdOf(1)]);
  },
  'replaces a webhook only if the stored version is the one before, and keeps its progress': async (
    world,
  ) => {
    const { store, expect } = world;
    await record(world, await claimed(world), [], 'further');
    const second = aWebhook(1, { url: 'https://other.example/', version: 2 });
    expect(await store.replaceWebhook(second)).toBe(true);
    expect(await store.replaceWebhook(second)).toBe(false);
    expect(await store.webhook(second.id)).toEqual({
      webhook: second,
      progress: { ...fresh, cursor: 'further' },
    });
    expect(await store.replaceWebhook({ ...second, version: 3 }, { cursor: 'now' })).toBe(true);
    expect((await store.webhook(second.id))?.progress.cursor).toBe('now');
    expect(await store.replaceWebhook(aWebhook(2, { version: 2 }))).toBe(false);
  },
  'removes a webhook with its deliveries': async (world) => {
    const { store, expect } = world;
    await record(world, await claimed(world), [aDelivery(1)]);
    expect(await store.removeWebhook(webhookIdOf(1))).toBe(true);
    expect(await store.removeWebhook(webhookIdOf(1))).toBe(false);
    await store.addWebhook(aWebhook(1), adding);
    expect((await store.deliveries({ webhookId: webhookIdOf(1), limit: 9 })).items).toEqual([]);
  },
  'leases each enabled webhook to one owner until the lease ends or is released': async (world) => {
    const { store, another, passTime, expect } = world;
    const lease = { leaseMs: LEASE_MS, limit: 9 };
    const first = await claimed(world, 1);
    await store.addWebhook(aWebhook(2, { disabled: { at: BUILT_AT, reason: 'owner' } }), adding);
    const second = await another();

    expect(await second.claim({ ...lease, owner: 'two' })).toEqual([]);
    expect((await store.claim({ ...lease, owner: 'one' })).map(({ turn }) => turn)).toEqual([first.turn]);
    await store.release('one');
    const [taken] = await second.claim({ ...lease, owner: 'two' });
    expect([taken?.webhook, taken?.progress]).toEqual([aWebhook(1), fresh]);
    expect(taken?.turn === first.turn).toBe(false);
    await passTime(LEASE_MS - 5_000);
    expect(await store.claim({ ...lease, owner: 'one' })).toEqual([]);
    await passTime(5_000);
    expect((await store.claim({ ...lease, owner: 'one' })).length).toBe(1);
  },
  'leases no more webhooks than the limit, own ones first': async (world) => {
    const { store, expect } = world;
    await claimed(world, 2);
    await store.addWebhook(aWebhook(1), adding);
    await store.addWebhook(aWebhook(3), adding);
    const [own] = await store.claim({ owner: 'one', leaseMs: LEASE_MS, limit: 1 });
    expect(own?.webhook.id).toBe(webhookIdOf(2));
  },
  'of many concurrent claims exactly one leases a webhook': async ({ store, another, expect }) => {
    await store.addWebhook(aWebhook(1), adding);
    const stores = [store, await another()];
    const found = await Promise.all(
      numbers(20).map((n) =>
        (stores[n % 2] ?? store).claim({ owner: `owner ${n}`, leaseMs: LEASE_MS, limit: 9 }),
      ),
    );
    expect(found.flat().length).toBe(1);
  },
};
