import { z } from 'zod';
import type { Instant } from './ids.js';
import { NO_NAME_CHARACTERS, trimmedNameOf } from './text.js';

export const queueModes = ['single', 'parallel'] as const;
export const mergeMethods = ['merge_commit', 'squash', 'rebase'] as const;
const directMergeModes = ['off', 'always'] as const;
const optimizationModes = ['off', 'bisection_skip_redundant_tests'] as const;
const testBranchConstructionModes = ['rename_temp_branch', 'push_new_branch_from_temp'] as const;

export type QueueMode = (typeof queueModes)[number];
export type MergeMethod = (typeof mergeMethods)[number];

const CONCURRENCY_LIMIT = 1000;
const REQUIRED_STATUSES_LIMIT = 100;
const BOT_SUBMITTERS_LIMIT = 100;
const BATCHING_RULES_LIMIT = 100;
const FREEZE_REASON_LIMIT = 250;
/** 9999-12-31T23:59:59.999Z, the last instant with a four-digit year in ISO 8601. */
const LAST_INSTANT = 253_402_300_799_999;

const NAME_LIMIT = 250;
const name = trimmedNameOf(NAME_LIMIT);

const TARGET = `[^${NO_NAME_CHARACTERS}*]`;
const TARGET_EDGE = `[^${NO_NAME_CHARACTERS}*\\s]`;
const targetPatternPattern = (around: string): string =>
  `^${around}(?:${TARGET_EDGE}${TARGET}{0,${NAME_LIMIT - 2}})?(?:${TARGET_EDGE}|\\*)${around}$`;

const targetPattern = name
  .refine(
    (text) => /^[^*]*\*?$/.test(text),
    'must be a target or a prefix followed by *; * alone matches every target',
  )
  .meta({
    pattern: targetPatternPattern(''),
    'x-mq-also-accepts': [
      {
        type: 'string',
        pattern: targetPatternPattern('\\s*'),
        description: 'White space around it, which is dropped.',
      },
    ],
  });

/** The settings of a queue that an owner can change, with bounds and descriptions. Each is described only here. */
export const queueSettings = z.object({
  mode: z
    .enum(queueModes)
    .describe('`single`: one line of pull requests. `parallel`: lanes by impacted targets.'),
  concurrency: z.int().min(1).max(CONCURRENCY_LIMIT).describe('Test runs at once.'),
  bisectionConcurrency: z
    .int()
    .min(1)
    .max(CONCURRENCY_LIMIT)
    .nullable()
    .describe(
      'Test runs at once while a failed batch is bisected. Default in createQueue: the value of `concurrency`. null: follows `concurrency` from now on.',
    ),
  autoConcurrency: z
    .boolean()
    .describe(
      'Whether the queue sets how many test runs are made at once, by how often they fail: at most `concurrency`, answered as `activeConcurrency`.',
    ),
  testingTimeoutMinutes: z
    .int()
    .min(0)
    .max(10_080)
    .describe('Minutes that a test run may take, also one that has started already. 0: no timeout.'),
  pendingFailureDepth: z
    .int()
    .min(0)
    .max(1000)
    .describe(
      'After a failure, how many pull requests behind it may still prove it wrong: their test runs end before it is judged.',
    ),
  canOptimisticallyMerge: z
    .boolean()
    .describe('Whether a test run that passes counts for every pull request that it was stacked on.'),
  batch: z.boolean().describe('Whether pull requests are tested in batches.'),
  batchingMaxWaitTimeMinutes: z
    .int()
    .min(1)
    .max(10_080)
    .describe('Minutes after which a batch starts that is not full.'),
  batchingMinSize: z
    .int()
    .min(1)
    .max(1000)
    .describe('Size at which a batch starts at once, and the largest it can have.'),
  autoBatching: z
    .boolean()
    .describe(
      'Whether the queue sets the size of its batches, by how many pull requests fail: at most `batchingMinSize`, answered as `activeBatchSize`.',
    ),
  createPrsForTestingBranches: z
    .boolean()
    .describe('Whether test branches get a draft pull request, where the code host can have one.'),
  commentsEnabled: z.boolean().describe('Whether the queue comments on pull requests.'),
  commandsEnabled: z.boolean().describe('Whether the queue takes commands from comments.'),
  statusCheckEnabled: z.boolean().describe('Whether the queue reports a check of its own on pull requests.'),
  extensionEnabled: z.boolean().describe('Whether browser extensions may offer the queue.'),
  enqueueingLabel: name.describe('The label that submits a pull request.'),
  labelCommandsEnabled: z.boolean().describe('Whether that label submits pull requests.'),
  stateLabelsEnabled: z.boolean().describe('Whether the queue labels pull requests with their state.'),
  notReadyTimeoutHours: z
    .int()
    .min(0)
    .max(720)
    .describe(
      'Hours after which a pull request is cancelled that never became ready, or is not ready any more. 0: never.',
    ),
  testBranchConstructionMode: z
    .enum(testBranchConstructionModes)
    .describe('How a test branch gets its name, where the code host builds it on a branch.'),
  allowedBotSubmitters: z
    .array(name)
    .max(BOT_SUBMITTERS_LIMIT)
    .describe('Bots that may submit pull requests.'),
  batchingRules: z
    .array(z.object({ targetPattern, policy: z.literal('isolate') }))
    .max(BATCHING_RULES_LIMIT)
    .describe(
      'Pull requests whose targets match a pattern (exact, or with one * at its end) are tested alone: `{targetPattern, policy: "isolate"}`.',
    ),
  directMergeMode: z
    .enum(directMergeModes)
    .describe(
      '`always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run.',
    ),
  optimizationMode: z
    .enum(optimizationModes)
    .describe('`bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others.'),
  confirmBeforeFailing: z.boolean().describe('Whether a culprit is tested once more before it is failed.'),
  trustForkTargets: z
    .boolean()
    .describe('Whether impacted targets that a fork computed count like trusted ones.'),
  mergeMethod: z.enum(mergeMethods).describe('How a pull request becomes a commit of the target branch.'),
  freezeUntil: z
    .int()
    .min(0)
    .max(LAST_INSTANT)
    .nullable()
    .describe(
      'Instant before which no pull request starts or merges. Test runs that have begun finish, a merge under way settles, `state` stays as it is, and `notReadyTimeoutHours` stands still. null or an instant in the past: no freeze.',
    ),
  freezeReason: trimmedNameOf(FREEZE_REASON_LIMIT)
    .nullable()
    .describe('Reason for the freeze, shown with every wait for its end.'),
  freezeAllowsUrgent: z
    .boolean()
    .describe(
      'Whether urgent pull requests start and merge during a freeze: on the target branch and other urgent ones only.',
    ),
  publicRead: z
    .boolean()
    .describe(
      'Whether anyone can read the queue without a token: what its page shows, its statistics, its past, its events and its badge.',
    ),
  requiredStatuses: z
    .array(name)
    .max(REQUIRED_STATUSES_LIMIT)
    .overwrite((names) => [...new Set(names)])
    .nullable()
    .describe(
      'Checks that must pass. null: those that the branch rules of the code host require. `[]`: no check is needed; it must come with `allowNoRequiredStatuses: true`. A list equal to the one in force changes nothing.',
    ),
});

export type QueueSettings = Readonly<z.infer<typeof queueSettings>>;

/** The settings that are instants. Requests, answers and sentences write them as times. */
const instantSettings = ['freezeUntil'] as const satisfies readonly (keyof QueueSettings)[];
type InstantSetting = (typeof instantSettings)[number];

export const isInstantSetting = (name: string): name is InstantSetting =>
  (instantSettings as readonly string[]).includes(name);

/** Settings with each instant in another form. */
export type WithInstantsAs<Form, Settings> = {
  [Name in keyof Settings]: Name extends InstantSetting ? Form | null : Settings[Name];
};

/** Writes each instant of the settings in another form; null stays null. */
export const withInstantsAs = <Form>(
  formOf: (at: Instant) => Form,
  settings: QueueSettings,
): WithInstantsAs<Form, QueueSettings> => {
  const forms = instantSettings.map((name) => {
    const at = settings[name];
    return [name, at === null ? null : formOf(at)] as const;
  });
  return { ...settings, ...(Object.fromEntries(forms) as Record<InstantSetting, Form | null>) };
};

export const defaultSettings: QueueSettings = {
  mode: 'single',
  concurrency: 1,
  bisectionConcurrency: null,
  autoConcurrency: false,
  testingTimeoutMinutes: 300,
  pendingFailureDepth: 0,
  canOptimisticallyMerge: false,
  batch: false,
  batchingMaxWaitTimeMinutes: 5,
  batchingMinSize: 4,
  autoBatching: false,
  createPrsForTestingBranches: true,
  commentsEnabled: true,
  commandsEnabled: true,
  statusCheckEnabled: true,
  extensionEnabled: true,
  enqueueingLabel: 'merge-queue-submit',
  labelCommandsEnabled: true,
  stateLabelsEnabled: false,
  notReadyTimeoutHours: 24,
  testBranchConstructionMode: 'rename_temp_branch',
  allowedBotSubmitters: [],
  batchingRules: [],
  directMergeMode: 'off',
  optimizationMode: 'off',
  confirmBeforeFailing: false,
  trustForkTargets: false,
  mergeMethod: 'squash',
  freezeUntil: null,
  freezeReason: null,
  freezeAllowsUrgent: false,
  publicRead: false,
  requiredStatuses: null,
};
