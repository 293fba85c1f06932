import { expect, test } from 'vitest';
import { LARGE_BODIES_LIMIT, LARGE_BODIES_WAITING_LIMIT, LargeBodies } from '../src/large-bodies.js';

const settledAs = async (entering: Promise<() => void>): Promise<string> =>
  Promise.race([
    entering.then(
      () => 'in',
      (error) => error.code,
    ),
    new Promise<string>((tell) => setImmediate(tell, 'waits')),
  ]);

test('so many large bodies are read at once, and the next one waits until one is done', async () => {
  const bodies = new LargeBodies();
  const places = await Promise.all(Array.from({ length: LARGE_BODIES_LIMIT }, () => bodies.enter()));
  const next = bodies.enter();
  expect(await settledAs(next)).toBe('waits');
  places[0]?.();
  expect(await settledAs(next)).toBe('in');
});

test('giving a place back twice gives back one', async () => {
  const bodies = new LargeBodies();
  const places = await Promise.all(Array.from({ length: LARGE_BODIES_LIMIT }, () => bodies.enter()));
  places[0]?.();
  places[0]?.();
  expect(await settledAs(bodies.enter())).toBe('in');
  expect(await settledAs(bodies.enter())).toBe('waits');
});

test('when too many wait the next one is sent away', async () => {
  const bodies = new LargeBodies();
  const all = LARGE_BODIES_LIMIT + LARGE_BODIES_WAITING_LIMIT;
  for (let count = 0; count < all; count += 1) void bodies.enter();
  expect(await settledAs(bodies.enter())).toBe('OVERLOADED');
});
