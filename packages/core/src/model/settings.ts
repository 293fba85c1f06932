import { z } from 'zod';
import { hasNameCharacters, NAME_CHARACTERS_FAULT } from './text.js';

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

const name = z.string().trim().min(1).max(250).refine(hasNameCharacters, NAME_CHARACTERS_FAULT);
const targetPattern = name.regex(
  /^[^*]*\*?$/,
  'must be a target, or the beginning of targets with one * at its end; * alone stands for every target',
);

/**
 * The settings of a queue that an owner may write, with their bounds. Times are in the unit that the name says.
 * `requiredStatuses`: null means that the host's branch rules decide; `[]` means that none is needed.
 * `bisectionConcurrency`: null means that it follows `concurrency`; a queue that is created without it keeps the number of then.
 */
export const queueSettings = z.object({
  mode: z.enum(queueModes),
  concurrency: z.int().min(1).max(CONCURRENCY_LIMIT),
  bisectionConcurrency: z.int().min(1).max(CONCURRENCY_LIMIT).nullable(),
  testingTimeoutMinutes: z.int().min(0).max(10_080),
  pendingFailureDepth: z.int().min(0).max(1000),
  canOptimisticallyMerge: z.boolean(),
  batch: z.boolean(),
  batchingMaxWaitTimeMinutes: z.int().min(1).max(10_080),
  batchingMinSize: z.int().min(1).max(1000),
  createPrsForTestingBranches: z.boolean(),
  commentsEnabled: z.boolean(),
  commandsEnabled: z.boolean(),
  statusCheckEnabled: z.boolean(),
  extensionEnabled: z.boolean(),
  enqueueingLabel: name,
  labelCommandsEnabled: z.boolean(),
  stateLabelsEnabled: z.boolean(),
  notReadyTimeoutHours: z.int().min(0).max(720),
  testBranchConstructionMode: z.enum(testBranchConstructionModes),
  allowedBotSubmitters: z.array(name).max(BOT_SUBMITTERS_LIMIT),
  batchingRules: z.array(z.object({ targetPattern, policy: z.literal('isolate') })).max(BATCHING_RULES_LIMIT),
  directMergeMode: z.enum(directMergeModes),
  optimizationMode: z.enum(optimizationModes),
  confirmBeforeFailing: z.boolean(),
  trustForkTargets: z.boolean(),
  mergeMethod: z.enum(mergeMethods),
  requiredStatuses: z
    .array(name)
    .max(REQUIRED_STATUSES_LIMIT)
    .overwrite((names) => [...new Set(names)])
    .nullable(),
});

export type QueueSettings = Readonly<z.infer<typeof queueSettings>>;

export const defaultSettings: QueueSettings = {
  mode: 'single',
  concurrency: 1,
  bisectionConcurrency: null,
  testingTimeoutMinutes: 300,
  pendingFailureDepth: 0,
  canOptimisticallyMerge: false,
  batch: false,
  batchingMaxWaitTimeMinutes: 5,
  batchingMinSize: 4,
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
  requiredStatuses: null,
};
