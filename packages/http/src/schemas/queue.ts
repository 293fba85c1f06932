import {
  NAME_PATTERN,
  queueModes,
  queueStatuses,
  requiredStatusesSources,
  STATUS_SENTENCE_LIMIT,
  wantedStatuses,
} from '@mq/core';
import { z } from 'zod';
import {
  alsoAccepts,
  anyCase,
  cursor,
  line,
  queueRef,
  repo,
  take,
  targetBranch,
  timestamp,
} from './common.js';
import { enqueuedPullRequest } from './pull-request.js';
import { answeredSettings, requestedSettings } from './settings.js';
import { actor } from './timeline.js';
import { warnings } from './warnings.js';

/** Also accepts the object of an answer, so that clients can write back what they read. Only its `sentence` counts. */
const sentence = line(STATUS_SENTENCE_LIMIT).nullable();
const reason = alsoAccepts(
  z.preprocess(
    (value) => (typeof value === 'object' && value !== null && 'sentence' in value ? value.sentence : value),
    sentence,
  ),
  {
    type: 'object',
    required: ['sentence'],
    properties: {
      sentence: {
        type: ['string', 'null'],
        minLength: 1,
        maxLength: STATUS_SENTENCE_LIMIT,
        pattern: NAME_PATTERN,
      },
    },
    description: 'The object of an answer; only its sentence is used.',
  },
);

export const wantedState = z.enum(wantedStatuses);

const change = {
  ...requestedSettings,
  deleteRequiredStatuses: z
    .boolean()
    .exactOptional()
    .describe('True removes the override of the required checks, like requiredStatuses: null.'),
  allowNoRequiredStatuses: z
    .boolean()
    .exactOptional()
    .describe('True, together with requiredStatuses: [], means that no check is needed.'),
  allowPublicForkTargets: z
    .boolean()
    .exactOptional()
    .describe('True confirms that trustForkTargets: true is meant for a public repository.'),
  requiredStatusesSource: anyCase(requiredStatusesSources, z.enum(requiredStatusesSources).nullable())
    .exactOptional()
    .describe(
      'queue stores the list in the same request as an override; host follows the branch rules; null is ignored.',
    ),
  cancelPending: z
    .boolean()
    .exactOptional()
    .describe(
      'True, with the state draining, cancels everything without a test run, now and until the state changes.',
    ),
  state: anyCase(wantedStatuses, wantedState)
    .exactOptional()
    .describe('The requested state; switching_modes cannot be requested.'),
  stateReason: reason
    .exactOptional()
    .describe(
      'The reason, shown with every wait. The object of an answer is accepted too; null means no reason.',
    ),
};

type Change = z.output<z.ZodObject<typeof change>>;

/** True if a request both sets a list of checks and deletes it. */
const isContradiction = ({ requiredStatuses, deleteRequiredStatuses }: Change): boolean =>
  deleteRequiredStatuses === true && (requiredStatuses ?? []).length > 0;

const contradiction = {
  path: ['deleteRequiredStatuses'],
  message: 'must not be true beside a list of requiredStatuses',
};

export const getQueueRequest = z.object(queueRef);
/** The JSON Schema that excludes `isContradiction`. */
export const noContradiction = {
  not: {
    required: ['requiredStatuses', 'deleteRequiredStatuses'],
    properties: {
      requiredStatuses: { type: 'array', items: {}, minItems: 1 },
      deleteRequiredStatuses: { const: true },
    },
  },
};
/** Rules of settings that depend on the queue and its target. */
export const settingsRules = {
  'x-mq-rules': [
    '`requiredStatuses` is empty only if no check is required, or with `allowNoRequiredStatuses: true`, and fits `requiredStatusesSource`.',
    '`cancelPending: true` comes with the state draining.',
    '`trustForkTargets: true` is switched on for a public repository only with `allowPublicForkTargets: true`.',
  ],
};
/** The request of createQueue and updateQueue. */
export const queueSettingsRequest = z
  .object({ ...queueRef, ...change })
  .refine((request) => !isContradiction(request), contradiction)
  .meta({ ...noContradiction, ...settingsRules });
export const deleteQueueRequest = z.object(queueRef);
export const listQueuesRequest = z.object({
  repo: repo.exactOptional().describe('Only the queues of this repository.'),
  deleted: z
    .boolean()
    .exactOptional()
    .describe('True lists deleted queues, whose history and receipts can still be read.'),
  take,
  cursor,
});

export const stateReason = z.object({ code: z.string(), sentence: z.string(), actor, at: timestamp });

const stateReasonAnswer = stateReason
  .nullable()
  .describe('Actor, reason and time of the present state; null if it was not requested.');

export const stateAskedFor = z.object({ state: z.enum(['paused', 'draining']), reason: stateReasonAnswer });

export const queueAnswer = z.object({
  state: z.enum(queueStatuses),
  stateReason: stateReasonAnswer,
  stateAskedFor: stateAskedFor
    .optional()
    .describe(
      'The state that the owner requested, if the queue has stopped by itself; absent if that is running.',
    ),
  repo,
  branch: targetBranch,
  ...answeredSettings,
  mode: z.enum(queueModes).describe('The requested mode.'),
  activeMode: z
    .enum(queueModes)
    .describe('The mode in force. It differs from mode while the queue is switching modes.'),
  activeConcurrency: z
    .int()
    .describe('Number of simultaneous test runs in force: `concurrency`, or fewer with `autoConcurrency`.'),
  activeBatchSize: z
    .int()
    .describe('Size of a full batch in force: `batchingMinSize`, or less with `autoBatching`.'),
  cancelPending: z.boolean().describe('True if the queue drains and cancels everything without a test run.'),
  bisectionConcurrency: z.int().describe('Number of simultaneous test runs of bisection.'),
  requiredStatuses: z
    .array(z.string())
    .describe('The checks in force: the override of the queue, or else those of the branch rules.'),
  requiredStatusesSource: z
    .enum(requiredStatusesSources)
    .nullable()
    .describe(
      'The source of the list: the queue (an override) or the host (the branch rules). Null if there is no list; then nothing is merged.',
    ),
  settingsVersion: z
    .int()
    .describe('The number of changes of the settings. Together with queueId it forms the ETag.'),
  queueId: z.uuid().describe('The permanent id of the queue, also after it is deleted.'),
  createdAt: timestamp,
  deletedAt: timestamp.optional().describe('When it was deleted; absent while it exists.'),
  warnings,
});

export const queueWithPullRequests = queueAnswer.extend({
  enqueuedPullRequests: z
    .array(enqueuedPullRequest)
    .describe('Admitted pull requests in queue order: under test first, then waiting.'),
  notReadyPullRequests: z.array(enqueuedPullRequest).describe('Pull requests that are not ready.'),
});

export const updatedQueue = queueAnswer.extend({
  landingUnderWay: z.boolean().describe('True if a landing had begun and could not be stopped.'),
});

const setInstead: Readonly<Record<string, string>> = {
  branch: 'targetBranch',
  activeMode: 'mode',
  activeConcurrency: 'concurrency',
  activeBatchSize: 'batchingMinSize',
};

/** The fields that answers about a queue have and requests do not, with the field to set instead, if there is one. */
export const readOnlyFields: ReadonlyMap<string, string | null> = new Map(
  Object.keys({ ...queueWithPullRequests.shape, ...updatedQueue.shape })
    .filter((name) => !Object.hasOwn(queueSettingsRequest.shape, name))
    .map((name) => [name, setInstead[name] ?? null]),
);

export const queuePage = z.object({
  queues: z.array(queueAnswer),
  nextCursor: z.string().optional().describe('The cursor of the next page; absent on the last page.'),
});

export const nothing = z.object({});
