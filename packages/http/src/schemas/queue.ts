import {
  queueModes,
  queueSettings,
  queueStatuses,
  requiredStatusesSources,
  STATUS_SENTENCE_LIMIT,
  wantedStatuses,
} from '@mq/core';
import { z } from 'zod';
import { anyCase, atMost, cursor, line, queueRef, repo, take, targetBranch, timestamp } from './common.js';
import { enqueuedPullRequest } from './pull-request.js';

/** No setting is a longer list; each has its own, lower limit. */
const SETTING_LIST_LIMIT = 1000;

const { shape } = queueSettings;
const rule = shape.batchingRules.element.shape;

/** Every setting, each optional. The bounds are the engine's; enumerations are taken in any letter case. */
const settings = {
  mode: anyCase(shape.mode).exactOptional().describe('One line, or lanes by impacted targets.'),
  concurrency: shape.concurrency.exactOptional().describe('Test runs at once.'),
  bisectionConcurrency: shape.bisectionConcurrency
    .exactOptional()
    .describe(
      'Test runs at once while a failing batch is isolated. Left out in createQueue: as many as concurrency then. null: follows concurrency from now on.',
    ),
  testingTimeoutMinutes: shape.testingTimeoutMinutes
    .exactOptional()
    .describe('Minutes that a test run may take, also one that is under way; 0: no timeout.'),
  pendingFailureDepth: shape.pendingFailureDepth
    .exactOptional()
    .describe('Runs behind a failed one that it waits for before it is judged.'),
  canOptimisticallyMerge: shape.canOptimisticallyMerge
    .exactOptional()
    .describe('Whether a passing run vouches for everything stacked under it.'),
  batch: shape.batch.exactOptional().describe('Batching on or off.'),
  batchingMaxWaitTimeMinutes: shape.batchingMaxWaitTimeMinutes
    .exactOptional()
    .describe('Minutes after which a batch starts that is not full.'),
  batchingMinSize: shape.batchingMinSize
    .exactOptional()
    .describe('Size at which a batch starts at once, and the largest it can have.'),
  createPrsForTestingBranches: shape.createPrsForTestingBranches
    .exactOptional()
    .describe('Whether test branches get a draft pull request, where the code host can have one.'),
  commentsEnabled: shape.commentsEnabled
    .exactOptional()
    .describe('Whether the queue comments on pull requests.'),
  commandsEnabled: shape.commandsEnabled.exactOptional().describe('Whether it takes commands from comments.'),
  statusCheckEnabled: shape.statusCheckEnabled
    .exactOptional()
    .describe('Whether it reports a check of its own on pull requests.'),
  extensionEnabled: shape.extensionEnabled
    .exactOptional()
    .describe('Whether browser extensions may offer the queue.'),
  enqueueingLabel: shape.enqueueingLabel.exactOptional().describe('The label that submits a pull request.'),
  labelCommandsEnabled: shape.labelCommandsEnabled
    .exactOptional()
    .describe('Whether that label is looked at.'),
  stateLabelsEnabled: shape.stateLabelsEnabled
    .exactOptional()
    .describe('Whether the queue labels pull requests with their state.'),
  notReadyTimeoutHours: shape.notReadyTimeoutHours
    .exactOptional()
    .describe('Hours after which one that never became ready is cancelled; 0: never.'),
  testBranchConstructionMode: anyCase(shape.testBranchConstructionMode)
    .exactOptional()
    .describe('How a test branch comes to its name, where the code host builds it on a branch.'),
  allowedBotSubmitters: atMost(SETTING_LIST_LIMIT, shape.allowedBotSubmitters)
    .exactOptional()
    .describe('Bots that may submit.'),
  batchingRules: atMost(
    SETTING_LIST_LIMIT,
    z.array(z.object({ targetPattern: rule.targetPattern, policy: anyCase(rule.policy) })),
  )
    .pipe(shape.batchingRules)
    .exactOptional()
    .describe(
      'Pull requests whose targets match a pattern (exact, or with one * at the end) are tested alone.',
    ),
  directMergeMode: anyCase(shape.directMergeMode)
    .exactOptional()
    .describe('Whether one that is up to date with its branch may skip the test run.'),
  optimizationMode: anyCase(shape.optimizationMode)
    .exactOptional()
    .describe('Whether tests are skipped, while a batch is isolated, whose result is known.'),
  confirmBeforeFailing: shape.confirmBeforeFailing
    .exactOptional()
    .describe('Whether one that is to blame is tested once more before it is failed.'),
  trustForkTargets: shape.trustForkTargets
    .exactOptional()
    .describe('Whether impacted targets that a fork computed count like trusted ones.'),
  mergeMethod: anyCase(shape.mergeMethod)
    .exactOptional()
    .describe('How pull requests become commits of the target branch.'),
  requiredStatuses: atMost(SETTING_LIST_LIMIT, shape.requiredStatuses)
    .exactOptional()
    .describe(
      'Checks that must pass. null drops the override, so that the rules of the branch decide. A list equal to the one in force changes nothing. An empty list means that no check is needed, and must come with allowNoRequiredStatuses: true.',
    ),
};

/** A client may write back what it read: of the object that we answer, the sentence counts. */
const reason = z.preprocess(
  (value) => (typeof value === 'object' && value !== null && 'sentence' in value ? value.sentence : value),
  line(STATUS_SENTENCE_LIMIT).nullable(),
);

const change = {
  ...settings,
  deleteRequiredStatuses: z
    .boolean()
    .exactOptional()
    .describe('True drops the override of the required checks, as requiredStatuses: null does.'),
  allowNoRequiredStatuses: z
    .boolean()
    .exactOptional()
    .describe('True, together with requiredStatuses: [], means that no check is needed.'),
  requiredStatusesSource: anyCase(z.enum(requiredStatusesSources).nullable())
    .exactOptional()
    .describe(
      'queue pins the list that comes with it as an override; host follows the rules of the branch; null says nothing.',
    ),
  cancelPending: z
    .boolean()
    .exactOptional()
    .describe(
      'True, with the state draining, cancels at once, and until the state changes, everything that has no test run.',
    ),
  state: anyCase(z.enum(wantedStatuses))
    .exactOptional()
    .describe('What the queue shall do; switching_modes cannot be asked for.'),
  stateReason: reason
    .exactOptional()
    .describe(
      'Why; everybody who waits is told. The object of an answer is accepted as well; null says nothing.',
    ),
};

type Change = z.output<z.ZodObject<typeof change>>;

/** A list of checks beside the wish to drop the list: one of the two is not meant. */
const isContradiction = ({ requiredStatuses, deleteRequiredStatuses }: Change): boolean =>
  deleteRequiredStatuses === true && (requiredStatuses ?? []).length > 0;

const contradiction = {
  path: ['deleteRequiredStatuses'],
  message: 'must not be true beside a list of requiredStatuses',
};

export const getQueueRequest = z.object(queueRef);
export const createQueueRequest = z
  .object({ ...queueRef, ...change })
  .refine((request) => !isContradiction(request), contradiction);
export const updateQueueRequest = z
  .object({ ...queueRef, ...change })
  .refine((request) => !isContradiction(request), contradiction);
export const deleteQueueRequest = z.object(queueRef);
export const listQueuesRequest = z.object({
  repo: repo.exactOptional().describe('Only the queues of this repository.'),
  deleted: z
    .boolean()
    .exactOptional()
    .describe('True lists the queues that were deleted: their history and receipts can still be read.'),
  take,
  cursor,
});

const stateReasonAnswer = z
  .object({
    code: z.string(),
    sentence: z.string(),
    actor: z.object({ kind: z.string(), name: z.string() }),
    at: timestamp,
  })
  .nullable()
  .describe('Who brought the queue into its state, why and when; null where nobody asked for it.');

export const queueAnswer = z.object({
  state: z.enum(queueStatuses),
  stateReason: stateReasonAnswer,
  stateAskedFor: z
    .object({ state: z.enum(['paused', 'draining']), reason: stateReasonAnswer })
    .optional()
    .describe(
      'Of a queue that has stopped by itself: the state that its owner had asked for, or has asked for since; absent where that is to run.',
    ),
  repo,
  branch: targetBranch,
  concurrency: z.int(),
  testingTimeoutMinutes: z.int(),
  mode: z.enum(queueModes).describe('The mode that was asked for.'),
  activeMode: z
    .enum(queueModes)
    .describe('The mode in force; differs from mode while the queue is switching modes.'),
  cancelPending: z
    .boolean()
    .describe('Whether the queue drains and cancels everything that has no test run.'),
  canOptimisticallyMerge: z.boolean(),
  pendingFailureDepth: z.int(),
  batch: z.boolean(),
  batchingMaxWaitTimeMinutes: z.int(),
  batchingMinSize: z.int(),
  createPrsForTestingBranches: z.boolean(),
  commentsEnabled: z.boolean(),
  commandsEnabled: z.boolean(),
  statusCheckEnabled: z.boolean(),
  extensionEnabled: z.boolean(),
  enqueueingLabel: z.string(),
  labelCommandsEnabled: z.boolean(),
  stateLabelsEnabled: z.boolean(),
  notReadyTimeoutHours: z.int(),
  testBranchConstructionMode: shape.testBranchConstructionMode,
  allowedBotSubmitters: z.array(z.string()),
  batchingRules: z.array(z.object({ targetPattern: z.string(), policy: rule.policy })),
  bisectionConcurrency: z.int().describe('Concurrency of the tests run to isolate a failing batch.'),
  requiredStatuses: z
    .array(z.string())
    .describe('The checks in force: the override of the queue, else those of the rules of the branch.'),
  requiredStatusesSource: z
    .enum(requiredStatusesSources)
    .nullable()
    .describe(
      'Who names the checks: the queue (an override) or the host (the rules of the branch); null where neither does, and then nothing is merged.',
    ),
  directMergeMode: shape.directMergeMode,
  optimizationMode: shape.optimizationMode,
  confirmBeforeFailing: shape.confirmBeforeFailing,
  trustForkTargets: shape.trustForkTargets,
  mergeMethod: shape.mergeMethod,
  queueId: z.uuid().describe('Names the queue for ever, also once it is deleted.'),
  createdAt: timestamp,
  deletedAt: timestamp.optional().describe('When it was deleted; absent while it is there.'),
});

export const queueWithPullRequests = queueAnswer.extend({
  enqueuedPullRequests: z
    .array(enqueuedPullRequest)
    .describe('What is admitted, in queue order: under test first, then waiting.'),
  notReadyPullRequests: z.array(enqueuedPullRequest).describe('What waits to be admitted.'),
});

export const updatedQueue = queueAnswer.extend({
  landingUnderWay: z.boolean().describe('True where a landing could no longer be held back.'),
});

export const queuePage = z.object({
  queues: z.array(queueAnswer),
  nextCursor: z.string().optional().describe('Where the next page begins; absent at the end.'),
});

export const nothing = z.object({});
