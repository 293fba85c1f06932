import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashPlaces, crashPlaces } from './crash-points/databases.js';
import { pointNamed } from './crash-points/points.js';

// All of them: `npm run crash-points`. Here the points with the most to lose.

let places: CrashPlaces;
beforeAll(async () => {
  places = await crashPlaces();
});
afterAll(() => places[Symbol.asyncDispose]());

test.each([
  ['onPGlite', 'land b3'],
  ['onPGlite', 'build_candidate b4'],
  ['onPostgres', 'land b4'],
  ['onPostgres', 'start_checks b2'],
] as const)('%s, a process that is killed at %s loses nothing and lands nothing twice', async (on, name) => {
  const { faults } = await places[on](pointNamed(name)!);
  expect(faults).toEqual([]);
});
