import type { Pace, QueueSettings } from '@mq/core';
import { Random } from '@mq/random';
import { besidesOf, settingsOf } from './settings.js';

/** Classes of faults, each with its own rate. */
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

/** Faults that strike on a certain occasion, with the share of worlds that have each, unless `--triggered` names others. */
export const triggeredFaultShares = {
  /** A check that passed is rerun, and fails, hangs, is cancelled or passes again. */
  rerunAfterPass: 0.25,
  /** Pull requests whose landing the host always answers with "wait". Each costs hours of virtual time. */
  endlessWait: 0.05,
  /** Shortly before the deadline of a test run the host starts to answer every call with "never". */
  neverAtDeadline: 0.25,
  /** Checks are skipped. */
  skippedChecks: 0.25,
  /** Pull requests whose checks are killed by a signal. */
  killedBySignal: 0.25,
  /** The host fails on a pull request that is under test, for a while or forever, and works for all others. */
  pullRequestFaults: 0.25,
} as const;
export type TriggeredFault = keyof typeof triggeredFaultShares;
export const triggeredFaults = Object.keys(triggeredFaultShares) as readonly TriggeredFault[];

/** A store or host that is unavailable for a while, or a store that loses its last commits. Most worlds have none of these. */
const outageClasses = ['storeDown', 'storeFull', 'hostDown', 'hostForbidden', 'storeLoses'] as const;
export type OutageClass = (typeof outageClasses)[number];
const OUTAGES = 0.08;
/** The share of worlds in which people read everything. */
const CURIOUS = 0.2;
/** The share of worlds in which the queue shows at pull requests what it does. */
const PRESENT = 0.3;
/** The share of worlds whose host limits the number of calls. */
const QUOTAS = 0.15;

/** The conditions of one run, all drawn from its seed. */
export interface Weather {
  readonly seed: number;
  readonly replicas: number;
  readonly chaosMs: number;
  /** Number of actions of people in that time. */
  readonly acts: number;
  /** Pull requests at the beginning; more are opened later. */
  readonly pulls: number;
  readonly rates: Readonly<Record<FaultClass, number>>;
  /** The probability of each triggered fault on its occasion. */
  readonly triggered: Readonly<Record<TriggeredFault, number>>;
  /** True if each process first drops candidates that no open test run has. */
  readonly sweeps: boolean;
  /** The probability of each outage per tick. */
  readonly outages: Readonly<Record<OutageClass, number>>;
  readonly storeMs: readonly [number, number];
  readonly hostMs: readonly [number, number];
  /** Time from the move of the branch to the answer of the landing. */
  readonly landingMs: readonly [number, number];
  readonly ciMs: readonly [number, number];
  readonly checks: readonly string[];
  /** The factor by which long timers of an idle process are delayed. */
  readonly drowsiness: number;
  /** The probability that a pull request is broken, or clashes or conflicts with another. */
  readonly badRate: number;
  /** The probability that CI has tested the head of a pull request, and the first tip of the target. */
  readonly headRate: number;
  /** True if the target fails its checks from the beginning. */
  readonly isRed: boolean;
  /** True if another branch of the repository has a queue too. */
  readonly hasOtherQueue: boolean;
  /** The probability that impacted targets are uploaded for a pull request. */
  readonly targetRate: number;
  readonly targets: readonly string[];
  /** The probability that a person interferes with a landing in progress. */
  readonly meddleRate: number;
  /** The probability that the settings change when a test run has just passed. */
  readonly demandRate: number;
  /** The probability that the host repeats an answer that is up to a minute old. */
  readonly staleRate: number;
  /** The probability that the host leaves pull requests out of an answer. */
  readonly partialRate: number;
  /** The probability that the host shows a state that is up to a minute old, also of items never read before. */
  readonly lagRate: number;
  /** The host's limit of calls per period, for all callers together; null for no limit. */
  readonly quota: { readonly calls: number; readonly everyMs: number } | null;
  /** The probability that the host refuses to build a candidate. */
  readonly unbuiltRate: number;
  /** The probability that a command is sent without an idempotency key, and therefore only once. */
  readonly keylessRate: number;
  /** True if people also read histories, receipts, metrics and explanations. */
  readonly isCurious: boolean;
  /** True if people also command the queue by comments and labels. */
  readonly hasCommanders: boolean;
  /** True if the processes show at pull requests what the queue does. */
  readonly isPresent: boolean;
  readonly settings: Partial<QueueSettings>;
  readonly pace: Partial<Pace>;
}

const CALM = 0.5;
const CROWDED = 0.15;
/** The share of worlds in which people command the queue at pull requests. */
const COMMANDED = 0.25;
/** The share of crowded worlds that are whimsical. */
const WHIMSICAL = 0.25;

/** Draws the conditions of a world from its seed. `triggered` sets exactly these; null draws them too. */
export const weatherOf = (seed: number, triggered: readonly TriggeredFault[] | null = null): Weather => {
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
    triggered: triggeredOf(seed, triggered),
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
    hasCommanders: new Random(seed).fork('commanders').chance(COMMANDED),
    isPresent: new Random(seed).fork('presence').chance(PRESENT),
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
      bisectionRunLimit: random.pick([2, 1, 64, 64]),
      infrastructureWindowMs: random.pick([0, 10_000, 60_000, 900_000]),
      ciStartMs: random.pick([20_000, 600_000]),
      ageingMsPerPoint: random.pick([0, 500, 5_000, 60_000]),
    },
  };
  const crowd = new Random(seed).fork('crowd');
  const world = crowd.chance(CROWDED) ? crowded(weather, crowd) : weather;
  return world.triggered.neverAtDeadline > 0 ? hurried(world) : world;
};

const HURRIED_MS = 180_000;

/** Faults last long enough for test runs to reach their deadline. */
const hurried = (weather: Weather): Weather => ({
  ...weather,
  chaosMs: Math.max(weather.chaosMs, HURRIED_MS),
  settings: { ...weather.settings, testingTimeoutMinutes: 1 },
});

const quotaOf = (random: Random): Weather['quota'] =>
  random.chance(QUOTAS) ? { calls: random.int(10, 80), everyMs: random.int(5, 60) * 1_000 } : null;

/** Each class has its own generators, so that a new or enabled class changes nothing else of a seed. */
const triggeredOf = (seed: number, wanted: readonly TriggeredFault[] | null): Weather['triggered'] =>
  Object.fromEntries(
    triggeredFaults.map((name) => {
      // The names of the streams determine what each seed draws: with other names the corpus would show nothing.
      const isDrawn = new Random(seed).fork(`squall there ${name}`).chance(triggeredFaultShares[name]);
      const rate = new Random(seed).fork(`squall ${name}`).pick([0.1, 0.3, 0.6]);
      return [name, (wanted?.includes(name) ?? isDrawn) ? rate : 0];
    }),
  ) as Record<TriggeredFault, number>;

const outagesOf = (random: Random): Weather['outages'] =>
  Object.fromEntries(
    outageClasses.map((name) => [name, random.chance(OUTAGES) ? 0.02 + 0.1 * random.next() : 0]),
  ) as Record<OutageClass, number>;

/** Many pull requests in batches, some of them bad, so that several batches are bisected at the same time. */
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

/** No pull request is bad, but CI is flaky, so that bisections find no culprit. */
const whimsical = (weather: Weather): Weather => ({
  ...weather,
  badRate: 0,
  rates: { ...weather.rates, ciFlaky: 0.3 },
  settings: { ...weather.settings, optimizationMode: 'off', batchingMinSize: 2 },
});

/** The same conditions without faults, for the time after them. */
export const healed = (weather: Weather): Weather => ({
  ...weather,
  rates: Object.fromEntries(faultClasses.map((name) => [name, 0])) as Record<FaultClass, number>,
  outages: Object.fromEntries(outageClasses.map((name) => [name, 0])) as Record<OutageClass, number>,
  triggered: Object.fromEntries(triggeredFaults.map((name) => [name, 0])) as Record<TriggeredFault, number>,
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
