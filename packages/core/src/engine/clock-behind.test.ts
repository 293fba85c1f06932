import { BUILT_AT } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aCancel, aSubmit, engineWorld } from '../../test/engine-world.js';
import type { QueueDelta } from '../ports/store.js';

const MINUTE_MS = 60_000;

test('a store clock set back by more than a minute is logged once', async () => {
  const world = await engineWorld({ decidedAt: BUILT_AT + MINUTE_MS + 1 });
  const decider = world.deciderOf();

  await decider.ask(aSubmit(1));
  await decider.ask(aCancel(1));

  expect(world.warned).toEqual([expect.stringMatching(/clock of the store was set back/)]);
});

test('a store clock set back a second time is logged again', async () => {
  const world = await engineWorld({ decidedAt: BUILT_AT + 2 * MINUTE_MS });
  const decider = world.deciderOf();
  await decider.ask(aSubmit(1));
  await world.clock.advance(2 * MINUTE_MS);
  await decider.ask(aCancel(1));
  await world.clock.advance(MINUTE_MS);
  world.next('load', async (real) => ({ ...((await real()) as QueueDelta), now: BUILT_AT }));

  await decider.ask(aSubmit(2));

  expect(world.warned).toHaveLength(2);
});

test('a store clock set back by a minute is not logged', async () => {
  const world = await engineWorld({ decidedAt: BUILT_AT + MINUTE_MS });

  await world.deciderOf().ask(aSubmit(1));

  expect(world.warned).toEqual([]);
});
