import type { Pace, QueueSettings } from '@mq/core';
import { Random } from '@mq/random';
import { besidesOf, settingsOf } from './settings.js';

/** Everything that may go wrong, each with its own rate. */
const faultClasses = [
  'storeErrorBefore',
  'storeErrorAfter',
  'storeSlow',
  'storeLateEffect',
  'hostErrorBefore',
  'hostErrorAfter',
  'hostSlow',
  'hostLateEffect',
  'crash',
  'pause',
  'lostHint',
  'doubledHint',
  'lostRequest',
  'ciFlaky',
  'ciInfrastructure',
  'ciCancelled',
  'ciOdd',
  'ciSlow',
  'hostRefuses',
  'hostRewrites',
  'clockSkew',
  'clockJump',
  'storeJump',
  'slowTimers',
] as const;
export type FaultClass = (typeof faultClasses)[number];

/** What strikes on certain occasions, and the share of the worlds in which it does, unless others are asked for (`--squall`). */
export const squallShares = {
  /** A check that passed is run again, and is red, hangs, is cancelled or passes once more. */
  rerunAfterPass: 0.25,
  /** A pull request whose landing the host answers with "wait" whenever it is asked. Each costs hours of virtual time. */
  endlessWait: 0.05,
  /** When a test run is about to reach its deadline the host begins to answer "never", to everything. */
  neverAtDeadline: 0.25,
  /** Checks are skipped. */
  skippedChecks: 0.25,
  /** Pull requests whose tests are killed by a signal. */
  killedBySignal: 0.25,
  /** Once a pull request is under test the host fails on it, for a while or for good, and answers about others. */
  pullRequestFaults: 0.25,
} as const;
export type SquallClass = keyof typeof squallShares;
export const squallClasses = Object.keys(squallShares) as readonly SquallClass[];

/** Whole sides that serve nobody for a while, or a store that goes back to what it was. Most worlds know none of them. */
const outageClasses = ['storeDown', 'storeFull', 'hostDown', 'hostForbidden', 'storeLoses'] as const;
export type OutageClass = (typeof outageClasses)[number];
const OUTAGES = 0.08;
/** How many worlds have people who want to know everything. */
const CURIOUS = 0.2;
/** How many hosts count the calls. */
const QUOTAS = 0.15;

/** The conditions of one run, all drawn from its seed. */
export interface Weather {
  readonly seed: number;
  readonly replicas: number;
  readonly chaosMs: number;
  /** Things that people do in that time. */
  readonly acts: number;
  /** Pull requests at the beginning; more are opened on the way. */
  readonly pulls: number;
  readonly rates: Readonly<Record<FaultClass, number>>;
  /** How likely each strikes on an occasion for it. */
  readonly squalls: Readonly<Record<SquallClass, number>>;
  /** True where each process begins with a look at what nobody knows of. */
  readonly sweeps: boolean;
  /** How likely each begins at a moment. */
  readonly outages: Readonly<Record<OutageClass, number>>;
  readonly storeMs: readonly [number, number];
  readonly hostMs: readonly [number, number];
  /** How long after the branch has moved a landing is answered. */
  readonly landingMs: readonly [number, number];
  readonly ciMs: readonly [number, number];
  readonly checks: readonly string[];
  /** By how many times a timer may be late when a process sleeps because there is nothing to do. */
  readonly drowsiness: number;
  /** How likely a pull request is broken, or clashes or conflicts with another. */
  readonly badRate: number;
  /** How likely CI has looked at the head of a pull request by itself, and at the first tip of the target. */
  readonly headRate: number;
  /** True where the target fails its checks from the beginning. */
  readonly isRed: boolean;
  /** True where another branch of the repository has a queue as well. */
  readonly hasOtherQueue: boolean;
  /** How likely a pull request comes with impacted targets, and the names that there are. */
  readonly targetRate: number;
  readonly targets: readonly string[];
  /** How likely somebody interferes with a landing under way. */
  readonly meddleRate: number;
  /** How likely somebody requires other checks when some have just passed. */
  readonly demandRate: number;
  /** How likely the host shows what it has shown before, up to a minute ago. */
  readonly staleRate: number;
  /** How likely the host leaves pull requests out of an answer, as if they were not there. */
  readonly partialRate: number;
  /** How likely the host shows an older state, up to a minute ago, also of what nobody has asked for before. */
  readonly lagRate: number;
  /** Calls that the host takes from everybody in a time; null where it counts none. */
  readonly quota: { readonly calls: number; readonly everyMs: number } | null;
  /** How likely the host refuses to build a candidate. */
  readonly unbuiltRate: number;
  /** How likely somebody asks without a key, and therefore once. */
  readonly keylessRate: number;
  /** True where people ask for more than the queue: histories, receipts, metrics, and why somebody waits. */
  readonly isCurious: boolean;
  readonly settings: Partial<QueueSettings>;
  readonly pace: Partial<Pace>;
}

const CALM = 0.5;
const CROWDED = 0.15;
/** How many of the crowded ones. */
const WHIMSICAL = 0.25;

/** `squalls`: exactly what this world has of these; null leaves that to the seed. */
export const weatherOf = (seed: number, squalls: readonly SquallClass[] | null = null): Weather => {
  const random = new Random(seed).fork('weather');
  const rates = Object.fromEntries(
    faultClasses.map((name) => [name, random.chance(CALM) ? 0 : 0.01 + 0.29 * random.next() ** 2]),
  ) as Record<FaultClass, number>;
  const checks = random.pick([['test'], ['test'], ['unit', 'lint'], ['unit', 'lint', 'e2e']]);
  const ciLow = random.int(1, 12) * 1_000;
  const outages = outagesOf(new Random(seed).fork('outages'));
  const weather: Weather = {
    seed,
    replicas: random.int(1, 3),
    chaosMs: random.int(6, 24) * 10_000,
    acts: random.int(8, 40),
    pulls: random.int(2, 6),
    rates,
    outages,
    squalls: squallsOf(seed, squalls),
    sweeps: outages.storeLoses > 0,
    storeMs: random.pick([
      [0, 3],
      [1, 15],
      [5, 80],
      [20, 800],
    ] as const),
    hostMs: random.pick([
      [1, 20],
      [50, 400],
      [200, 3_000],
    ] as const),
    landingMs: new Random(seed).fork('landing').pick([
      [0, 0],
      [500, 4_000],
      [3_000, 3_000],
      [2_000, 20_000],
    ] as const),
    ciMs: [ciLow, ciLow + random.int(1, 25) * 1_000],
    checks,
    drowsiness: random.pick([1, 2, 4, 8]),
    badRate: random.pick([0, 0.1, 0.3, 0.5]),
    meddleRate: random.pick([0, 0.2, 0.5]),
    demandRate: new Random(seed).fork('demands').pick([0, 0, 0.1, 0.3]),
    staleRate: new Random(seed).fork('stale').pick([0, 0, 0.1, 0.5]),
    partialRate: new Random(seed).fork('partial').pick([0, 0, 0, 0.05, 0.3]),
    lagRate: new Random(seed).fork('lag').pick([0, 0, 0, 0.1, 0.5]),
    quota: quotaOf(new Random(seed).fork('quota')),
    unbuiltRate: new Random(seed).fork('unbuilt').pick([0, 0, 0, 0.05, 0.3]),
    keylessRate: new Random(seed).fork('keyless').pick([0, 0, 0.3, 0.7]),
    isCurious: new Random(seed).fork('curiosity').chance(CURIOUS),
    headRate: random.pick([0, 0.5, 0.9]),
    isRed: random.chance(0.05),
    hasOtherQueue: random.chance(0.25),
    targetRate: random.pick([0.5, 0.9, 1]),
    targets: ['//a', '//b', '//c', '//a/deep', '//d'].slice(0, random.int(2, 5)),
    settings: { ...settingsOf(random, checks), ...besidesOf(new Random(seed).fork('besides')) },
    pace: {
      pollBranchMs: random.int(4, 30) * 1_000,
      pollPullRequestsMs: random.int(4, 40) * 1_000,
      pollChecksMs: random.int(2, 12) * 1_000,
      retryDelayMs: random.int(1, 8) * 1_000,
      retryLimit: random.int(0, 3),
      missingGraceMs: random.int(10, 90) * 1_000,
      isolationRunLimit: random.pick([2, 1, 64, 64]),
      machineryWindowMs: random.pick([0, 10_000, 60_000, 900_000]),
      ciStartMs: random.pick([20_000, 600_000]),
      ageingMsPerPoint: random.pick([0, 500, 5_000, 60_000]),
    },
  };
  const crowd = new Random(seed).fork('crowd');
  const world = crowd.chance(CROWDED) ? crowded(weather, crowd) : weather;
  return world.squalls.neverAtDeadline > 0 ? hurried(world) : world;
};

const HURRIED_MS = 180_000;

/** The storm lasts long enough for tests to reach their deadline. */
const hurried = (weather: Weather): Weather => ({
  ...weather,
  chaosMs: Math.max(weather.chaosMs, HURRIED_MS),
  settings: { ...weather.settings, testingTimeoutMinutes: 1 },
});

const quotaOf = (random: Random): Weather['quota'] =>
  random.chance(QUOTAS) ? { calls: random.int(10, 80), everyMs: random.int(5, 60) * 1_000 } : null;

/** Each from generators of its own, so that a class that is added or switched on shifts nothing of a seed. */
const squallsOf = (seed: number, wanted: readonly SquallClass[] | null): Weather['squalls'] =>
  Object.fromEntries(
    squallClasses.map((name) => {
      const isDrawn = new Random(seed).fork(`squall there ${name}`).chance(squallShares[name]);
      const rate = new Random(seed).fork(`squall ${name}`).pick([0.1, 0.3, 0.6]);
      return [name, (wanted?.includes(name) ?? isDrawn) ? rate : 0];
    }),
  ) as Record<SquallClass, number>;

const outagesOf = (random: Random): Weather['outages'] =>
  Object.fromEntries(
    outageClasses.map((name) => [name, random.chance(OUTAGES) ? 0.02 + 0.1 * random.next() : 0]),
  ) as Record<OutageClass, number>;

/** Many at once, tested in batches, and some of them bad: then several batches are looked into side by side. */
const crowded = (weather: Weather, random: Random): Weather => {
  const crowd = {
    ...weather,
    pulls: random.int(8, 14),
    badRate: random.pick([0.2, 0.4]),
    settings: {
      ...weather.settings,
      batch: true,
      batchingMinSize: random.int(2, 5),
      concurrency: random.int(2, 5),
      bisectionConcurrency: random.pick([null, 2, 4]),
      optimizationMode: random.pick(['off', 'bisection_skip_redundant_tests'] as const),
    },
  };
  return random.chance(WHIMSICAL) ? whimsical(crowd) : crowd;
};

/** Nobody is bad, and CI says so now and then: whoever looks for a culprit finds none. */
const whimsical = (weather: Weather): Weather => ({
  ...weather,
  badRate: 0,
  rates: { ...weather.rates, ciFlaky: 0.3 },
  settings: { ...weather.settings, optimizationMode: 'off', batchingMinSize: 2 },
});

/** The same conditions without anything that goes wrong: what comes after the storm. */
export const healed = (weather: Weather): Weather => ({
  ...weather,
  rates: Object.fromEntries(faultClasses.map((name) => [name, 0])) as Record<FaultClass, number>,
  outages: Object.fromEntries(outageClasses.map((name) => [name, 0])) as Record<OutageClass, number>,
  squalls: Object.fromEntries(squallClasses.map((name) => [name, 0])) as Record<SquallClass, number>,
  storeMs: [0, 3],
  hostMs: [1, 20],
  meddleRate: 0,
  demandRate: 0,
  staleRate: 0,
  partialRate: 0,
  lagRate: 0,
  quota: null,
  unbuiltRate: 0,
  keylessRate: 0,
});
