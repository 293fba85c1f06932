import { readFile } from 'node:fs/promises';
import type { Bundle } from '@mq/bundle';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutants } from '../mutants/mutants.js';
import { bundle } from '../src/bundle.js';
import { hunt } from '../src/hunt.js';
import { runSeeds, seedsFrom } from '../src/pool.js';
import { triggeredFaults } from '../src/weather.js';
import type { SeedToRun } from '../src/worker.js';
import { type Report, simulate } from '../src/world/world.js';
import { everyNth, sample } from './sample.js';

const WORKERS = 2;

/** Planted bugs that show within this many seeds; `npm run mutants` checks all planted bugs. */
const MUTANT_SEEDS = 80;
const caughtSoon: readonly string[] = [
  'store-without-version-check',
  'store-withdraws-leased-effects',
  'forced-target',
  'no-read-back-after-a-lost-answer',
  'absence-is-success',
  'cancelled-is-success',
  'pause-lets-start',
  'draining-lets-start',
  'fail-the-last',
  'run-kept-when-a-member-leaves',
  'command-applied-twice',
];

const planted = caughtSoon.slice(0, sample.searchedBugs);
const withSeed = mutants.flatMap((mutant) =>
  mutant.seed === undefined ? [] : [[mutant.name, mutant, mutant.seed] as const],
);
const plantedAtSeed = withSeed.slice(0, sample.namedBugs);

const argumentsOf = (seed: number, triggered: SeedToRun['triggered']): string => {
  const named = triggered?.length === 0 ? ['none'] : (triggered ?? []);
  return [`--seed ${seed}`, ...named.map((name) => `--triggered ${name}`), '--trace'].join(' ');
};

/** Runs these worlds and returns their violations, each with the command that replays it. */
const violationsIn = async ({ path }: Bundle, seeds: readonly SeedToRun[]): Promise<readonly string[]> => {
  const triggeredOf = new Map(seeds.map(({ seed, triggered }) => [seed, triggered]));
  const found: string[] = [];
  let lived = 0;
  const onReport = ({ seed, violations: [first] }: Report) => {
    lived += 1;
    if (first !== undefined)
      found.push(
        `npm run sim -- ${argumentsOf(seed, triggeredOf.get(seed) ?? null)}: ${first.checker}: ${first.sentence}`,
      );
    return true;
  };
  await runSeeds({ path, seeds, workers: WORKERS, onReport });
  expect(lived).toBe(seeds.length);
  return found;
};

describe('the simulation', () => {
  let sound: Bundle;
  beforeAll(async () => {
    sound = await bundle(null);
  });
  afterAll(() => sound[Symbol.asyncDispose]());

  test('T-Q02, T-Q04 no invariant is violated in a sample of seeds', async () => {
    expect(await violationsIn(sound, seedsFrom(1, sample.seeds, null))).toEqual([]);
  });

  test('no invariant is violated in the seeds that once failed', async () => {
    const text = await readFile(new URL('../corpus.txt', import.meta.url), 'utf8');
    const lines = everyNth([...text.matchAll(/^(\d+)((?: \+\w+)*) /gm)], sample.corpusStep);
    const seeds = lines.map(([, seed, names = '']) => ({
      seed: Number(seed),
      triggered: triggeredFaults.filter((name) => names.split(' ').includes(`+${name}`)),
    }));
    expect(seeds.length).toBeGreaterThan(0);
    expect(await violationsIn(sound, seeds)).toEqual([]);
  });

  test('T-Q06 the same seed gives the same trace each time', async () => {
    const reports = [await simulate(7), await simulate(7), await simulate(7)];
    expect(new Set(reports.map(({ digest }) => digest)).size).toBe(1);
    expect((await simulate(8)).digest).not.toBe(reports[0]?.digest);
  });

  test('the trace has one line per event if it is requested', async () => {
    const report = await simulate(7, { trace: true });
    expect(report.lines[0]).toMatch(/^0 world \{"seed":7,/);
    expect(report.lines.join('')).toContain('world heals');
  });
});

describe('the planted bugs', () => {
  test.for(
    mutants.filter(({ name }) => planted.includes(name)).map((mutant) => [mutant.name, mutant] as const),
  )('%s is caught', async ([, mutant]) => {
    const found = await hunt(mutant, { from: 1, seeds: MUTANT_SEEDS, workers: WORKERS });
    expect(found.caught).not.toBeNull();
  });

  test.for(plantedAtSeed)('%s is caught at the seed that it names', async ([, mutant, seed]) => {
    const found = await hunt(mutant, { from: seed, seeds: 1, workers: 1 });
    expect(found.caught).toMatchObject({ seed });
  });

  test('a sample has a bug of each kind', () => {
    expect([planted.length, plantedAtSeed.length]).not.toContain(0);
  });
});
