import { defaultSettings, type MergeMethod, type QueueSettings } from '@mq/core';
import type { Random } from '@mq/random';
import { VIRTUAL_START } from '@mq/testkit';

const methods: readonly MergeMethod[] = ['merge_commit', 'squash', 'rebase'];

/** Half of the queues use only basic settings, the others all. */
export const settingsOf = (random: Random, checks: readonly string[]): Partial<QueueSettings> => ({
  ...defaultSettings,
  mode: random.pick(['single', 'parallel']),
  concurrency: random.pick([1, 2, 3, 4, 5]),
  mergeMethod: random.pick(methods),
  testingTimeoutMinutes: random.pick([0, 1, 1, 2, 5]),
  requiredStatuses: random.chance(0.3) ? checks.slice(0, random.int(1, checks.length)) : null,
  notReadyTimeoutHours: random.pick([0, 1, 24]),
  ...(random.chance(0.5) ? richOf(random) : {}),
});

const richOf = (random: Random): Partial<QueueSettings> => ({
  batch: random.chance(0.85),
  batchingMinSize: random.int(2, 6),
  batchingMaxWaitTimeMinutes: 1,
  batchingRules: random.chance(0.3)
    ? [{ targetPattern: random.pick(['//a', '//a*']), policy: 'isolate' }]
    : [],
  optimizationMode: random.pick(['off', 'bisection_skip_redundant_tests']),
  bisectionConcurrency: random.pick([null, 1, 2, 4]),
  pendingFailureDepth: random.pick([0, 0, 1, 2]),
  canOptimisticallyMerge: random.chance(0.4),
  confirmBeforeFailing: random.chance(0.2),
  directMergeMode: random.pick(['off', 'always']),
  trustForkTargets: random.chance(0.3),
});

/** The share of worlds that have each of these: settings that no rule reads, and a freeze at the start. */
const BESIDES = 0.12;

/** Drawn from a separate generator, so that a new setting changes nothing else of a seed. */
export const besidesOf = (random: Random): Partial<QueueSettings> => {
  const drawn: Partial<QueueSettings> = {
    createPrsForTestingBranches: false,
    commentsEnabled: false,
    commandsEnabled: false,
    statusCheckEnabled: false,
    extensionEnabled: false,
    enqueueingLabel: 'land-it',
    labelCommandsEnabled: false,
    stateLabelsEnabled: true,
    testBranchConstructionMode: 'push_new_branch_from_temp',
    allowedBotSubmitters: ['robot'],
  };
  return {
    ...Object.fromEntries(Object.entries(drawn).filter(() => random.chance(BESIDES))),
    ...(random.chance(0.25) ? { canOptimisticallyMerge: true } : {}),
    ...freezeOf(random),
    ...(random.chance(ADAPTS) ? { autoConcurrency: true } : {}),
    ...(random.chance(ADAPTS) ? { autoBatching: true } : {}),
    ...(random.chance(BESIDES) ? { publicRead: true } : {}),
  };
};

/** How often a queue sets its test runs at once, or the size of its batches, by itself. */
const ADAPTS = 0.3;

const freezeOf = (random: Random): Partial<QueueSettings> => {
  if (!random.chance(BESIDES)) return {};
  const freezeUntil = VIRTUAL_START + random.int(1, 20) * 60_000;
  return { freezeUntil, freezeReason: 'a release', freezeAllowsUrgent: random.chance(0.5) };
};

/** A change of settings during a run. */
export const changeOf = (random: Random, checks: readonly string[]): Partial<QueueSettings> => {
  const rich = richOf(random);
  const name = random.pick(Object.keys(rich) as (keyof QueueSettings)[]);
  return random.pick<Partial<QueueSettings>>([
    { concurrency: random.int(1, 5) },
    { requiredStatuses: random.chance(0.5) ? null : checks.slice(0, random.int(1, checks.length)) },
    { requiredStatuses: checks.slice(-random.int(1, checks.length)) },
    { mergeMethod: random.pick(methods) },
    { testingTimeoutMinutes: random.pick([0, 1, 2]) },
    { mode: random.pick(['single', 'parallel']) },
    { mode: random.pick(['single', 'parallel']) },
    { [name]: rich[name] },
    { [name]: rich[name] },
  ]);
};
