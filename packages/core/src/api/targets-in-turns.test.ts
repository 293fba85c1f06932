import { expect, test } from 'vitest';
import { normalTargets } from '../model/impacted-targets.js';
import { normalTargetsInTurns, targetBytesInTurns } from './targets-in-turns.js';

const COUNT = 22_000;
/** Each target twice, in no order. */
const many = Array.from({ length: COUNT }, (_, n) => `//app/${(n * 7_919) % (COUNT / 2)}"`);

/** The turns of the event loop that others get while a promise is pending. */
const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
  let [turns, isOver] = [0, false];
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await over;
  return turns;
};

test('a long list is sorted as a short one is', async () => {
  expect(await normalTargetsInTurns(many)).toEqual(normalTargets(many));
  expect(await normalTargetsInTurns(['b', 'a', 'b'])).toEqual(['a', 'b']);
  expect(await normalTargetsInTurns([])).toEqual([]);
});

test('a long list that contains ALL is ALL, wherever it stands', async () => {
  expect(await normalTargetsInTurns([...many, 'ALL'])).toBe('ALL');
  expect(await normalTargetsInTurns('ALL')).toBe('ALL');
});

test('the length of a list is that of its JSON in bytes', async () => {
  for (const list of [many, ['é', '"'], ['a']])
    expect(await targetBytesInTurns(list)).toBe(Buffer.byteLength(JSON.stringify(list)));
});

test('others get turns of the event loop while a long list is sorted and measured', async () => {
  expect(await turnsDuring(normalTargetsInTurns(many))).toBeGreaterThan(3);
  expect(await turnsDuring(targetBytesInTurns(many))).toBeGreaterThan(2);
});
