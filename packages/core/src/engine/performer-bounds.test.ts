import { effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aHost, drop, performing } from '../../test/performer-world.js';
import type { Effect } from '../model/effect.js';
import { EFFECTS_AT_ONCE, LEASE_MS, QUESTIONS_AT_ONCE } from './performer.js';

test('a bounded number of wishes is held at a time', async () => {
  const effects = Array.from(
    { length: EFFECTS_AT_ONCE + 3 },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const world = await performing(effects, aHost({ dropTrial: () => opened }));

  expect(await world.performer.begin()).toBe(EFFECTS_AT_ONCE);
  expect(world.performer.isFull).toBe(true);
  expect(await world.performer.begin()).toBe(0);
  open();
  await world.performer.idle();
  expect(world.performer.isFull).toBe(false);
  expect(await world.performer.begin()).toBe(3);
  await world.performer.idle();
});

test('a host is asked a bounded number of questions about one repository at a time', async () => {
  const effects = Array.from(
    { length: 2 * QUESTIONS_AT_ONCE },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  const [asked, answers] = [[] as number[], [] as (() => void)[]];
  let underWay = 0;
  const dropTrial = async (): Promise<void> => {
    underWay += 1;
    asked.push(underWay);
    await new Promise<void>((resolve) => answers.push(resolve));
    underWay -= 1;
  };
  const world = await performing(effects, aHost({ dropTrial }));

  expect(await world.performer.begin()).toBe(2 * QUESTIONS_AT_ONCE);
  const idle = world.performer.idle();
  while (asked.length < effects.length) {
    await world.clock.idle();
    for (const answer of answers.splice(0)) answer();
  }
  for (const answer of answers.splice(0)) answer();
  await idle;

  expect(Math.max(...asked)).toBe(QUESTIONS_AT_ONCE);
});

test('what waits for its turn when the process ends is given back at once, and nobody is asked about it', async () => {
  const effects = Array.from(
    { length: QUESTIONS_AT_ONCE + 3 },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  const answers: (() => void)[] = [];
  const dropTrial = () => new Promise<void>((resolve) => answers.push(resolve));
  const world = await performing(effects, aHost({ dropTrial }));
  await world.performer.begin();
  await world.clock.idle();

  const ended = world.performer.end();
  await world.clock.idle();

  expect(await world.offeredAfter(0)).toBe(3);
  for (const answer of answers.splice(0)) answer();
  await ended;
  expect(answers).toEqual([]);
});

test('a performer that has ended carries out what it is given when it begins anew', async () => {
  const world = await performing([drop], aHost());
  await world.performer.end();

  expect(await world.pass()).toBe(1);
  expect(await world.offeredAfter(LEASE_MS)).toBe(0);
});
