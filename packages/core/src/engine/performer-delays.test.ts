import { BUILT_AT, effectIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { expect, test } from 'vitest';
import { lostBefore } from '../../test/engine-world.js';
import { aHost, build, performing } from '../../test/performer-world.js';
import { HostError } from '../ports/code-host.js';
import { backoffMs } from './backoff.js';
import { LEASE_MS } from './performer.js';

const failing = (...sentences: readonly string[]) => {
  const said = [...sentences];
  return aHost({
    buildCandidate: async () => {
      throw new HostError(said.length > 1 ? (said.shift() ?? '') : (said[0] ?? ''), 'later');
    },
  });
};

/** Performs the effect repeatedly; each reported delay is consumed at once. */
const tried = async (times: number, ...sentences: readonly string[]) => {
  const world = await performing([build], failing(...sentences));
  const reported: unknown[] = [];
  for (let n = 1; n <= times; n += 1) {
    await world.pass();
    const facts = await world.learnt();
    reported.push(...facts.map((fact) => fact.type === 'effect_delayed' && fact.message));
    await world.rival({ consumed: facts.map(({ id }) => id), writes: someWrites() });
    await world.clock.advance(backoffMs(n));
  }
  return reported;
};

test('the delay of an effect is reported once while the message of the host stays the same', async () => {
  expect(await tried(4, 'busy')).toEqual(['busy']);
});

test('the delay of an effect is reported again when the message of the host changes', async () => {
  expect(await tried(4, 'busy', 'busy', 'broken')).toEqual(['busy', 'broken']);
});

test('the delay of an effect is not reported by a process that has lost the lease', async () => {
  let fail: () => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = () => reject(new HostError('busy', 'later'));
  });
  const world = await performing([build], aHost({ buildCandidate: () => failed }));
  for (let n = 0; n < 9; n += 1) world.next('renew', lostBefore);
  await world.performer.begin();
  expect(await world.offeredAfter(LEASE_MS)).toBe(1);

  fail();
  await world.performer.idle();

  expect(await world.learnt()).toEqual([]);
  const delta = await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
  expect(delta?.queue.hostTrouble).toBeNull();
  expect(world.memory.dump().effects).toMatchObject([{ effect: { id: effectIdOf(1) }, owner: 'other' }]);
});

test('the delay of an effect until an instant given by the host uses the time of the store', async () => {
  const host = aHost({
    buildCandidate: () => Promise.reject(new HostError('slow down', 'later', BUILT_AT + 90_000)),
  });
  const world = await performing([build], host);
  world.time.heard(BUILT_AT + 60_000);
  await world.pass();

  expect(await world.offeredAfter(29_999)).toBe(0);
  expect(await world.offeredAfter(1)).toBe(1);
});
