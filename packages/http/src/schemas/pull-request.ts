import { CAUSES_LIMIT, queueStatuses, SUBMISSIONS_PER_READ, submissionStates } from '@mq/core';
import { z } from 'zod';
import {
  anyCase,
  boundedList,
  cursor,
  documentAs,
  instant,
  line,
  NAME_CHARS_LIMIT,
  pr,
  priority,
  priorityName,
  prNumber,
  prWithHead,
  queueRef,
  submissionState,
  take,
  timestamp,
} from './common.js';
import { estimatedTimeToMerge, includeEstimatedTimeToMerge } from './estimate.js';
import { actor, timelineEntry } from './timeline.js';
import { warnings } from './warnings.js';

const includeTimeline = z.boolean().exactOptional().describe('True adds the timeline, newest first.');

export const pullRequestRequest = z.object({ ...queueRef, pr });

/** `optional` skips absent fields, and accepts no more than `exactOptional` because JSON has no `undefined`. */
export const submitPullRequestRequest = z.object({
  ...queueRef,
  pr: prWithHead,
  priority: priority.optional(),
  noBatch: z.boolean().optional().describe('True: test it alone, never in a batch.'),
  skipTheLine: z
    .boolean()
    .optional()
    .describe('True: urgent, whatever `priority` says. A later priority without it replaces it.'),
  forceEnqueued: z
    .boolean()
    .optional()
    .describe('True ignores the mergeability at the host, and nothing else. Needs the scope force.'),
});

const headBranch = line(NAME_CHARS_LIMIT).describe(
  'The head branch of a pull request that was submitted to this queue.',
);

export const prByBranch = z.object({ branch: headBranch });

export const identifiedPr = z
  .object({ number: prNumber.exactOptional(), branch: headBranch.exactOptional() })
  .refine(({ number, branch }) => (number === undefined) !== (branch === undefined), {
    message: 'must have either number or branch',
  })
  .describe('Pull request, by number or by head branch.');
documentAs(identifiedPr, z.xor([pr, prByBranch]));

export const getSubmittedPullRequestRequest = z.object({
  ...queueRef,
  pr: identifiedPr,
  includeTimeline,
  includeEstimatedTimeToMerge,
});

export const getSubmittedPullRequestsRequest = z.object({
  ...queueRef,
  prs: boundedList(z.object({ number: prNumber }), SUBMISSIONS_PER_READ).describe('Pull requests.'),
  includeTimeline,
  includeEstimatedTimeToMerge,
});

export const timelineRequest = z.object({
  ...queueRef,
  queueId: line(NAME_CHARS_LIMIT)
    .exactOptional()
    .describe('A queue of this branch, also a deleted one. Default: the present one.'),
  pr,
  cursor,
  take,
});

export const listPullRequestsRequest = z.object({
  ...queueRef,
  state: anyCase(submissionState.options, submissionState)
    .exactOptional()
    .describe('Only pull requests in this state.'),
  since: instant
    .exactOptional()
    .describe('Only pull requests whose state began at this time or later (ISO 8601).'),
  until: instant
    .exactOptional()
    .describe('Only pull requests whose state began at this time or earlier (ISO 8601).'),
  cursor,
  take,
});

export const cause = z.object({
  code: z.string(),
  sentence: z.string(),
  pr: z.int().nullable().describe('The pull request concerned; null if there is none.'),
  testRunId: z
    .string()
    .nullable()
    .describe('The test run that is awaited or that failed; null if there is none.'),
  checks: z.array(z.string()).describe('The checks that are awaited or that failed.'),
  until: timestamp
    .nullable()
    .describe('The latest time at which the queue continues by itself; null if unknown.'),
});

export const waitingFor = z
  .object({
    code: z.string(),
    sentence: z.string(),
    behindPr: z.int().nullable().describe('The pull request that it waits behind; null if there is none.'),
    until: timestamp.nullable().describe('The latest time of the next step; null if unknown.'),
    causes: z
      .array(cause)
      .optional()
      .describe(
        `The chain, nearest first, at most ${CAUSES_LIMIT}; absent in lists. The codes are in the page of reasons.`,
      ),
    remedy: z
      .string()
      .optional()
      .describe('What would end the wait, and by when if that is known; absent in lists.'),
  })
  .describe('What it waits for; absent once it has left the queue.');

export const reason = z
  .object({ code: z.string(), sentence: z.string(), detail: z.string().nullable() })
  .describe('Why it entered its state; absent if no reason is recorded.');

const place = {
  id: z.uuid().describe('Never changes for a pull request in a queue.'),
  state: submissionState,
  stateChangedAt: timestamp,
  attempt: z.int().describe('The number of its stays in the queue, from 1.'),
  priorityValue: z.int(),
  priorityName,
  usedDefaultPriorityName: priorityName.describe('The priority that applies without an explicit one.'),
  skipTheLine: z.boolean().describe('True if it is urgent, by `skipTheLine` or by priority 0.'),
  noBatch: z.boolean(),
  forceEnqueued: z.boolean(),
  prNumber: z.int(),
  prTitle: z.string(),
  prSha: z.string(),
  prBaseBranch: z.string(),
  prAuthor: z.string(),
  prUrl: z.string(),
  testRunId: z
    .string()
    .optional()
    .describe('Its newest test run that still counts; absent if there is none.'),
  reason: reason.optional(),
  waitingFor: waitingFor.optional(),
};

export const enqueuedPullRequest = z.object(place);

export const mergeability = z.enum(['unspecified', 'in_progress', 'mergeable', 'not_mergeable']);

export const readiness = z.object({
  requiresImpactedTargets: z.boolean(),
  hasImpactedTargets: z.boolean(),
  doesBaseBranchMatch: z.boolean(),
  hostMergeability: mergeability,
  gitHubMergeability: mergeability.describe('The same value under the name that older clients read.'),
});

export const submittedPullRequest = z.object({
  ...place,
  isCurrentlySubmittedToQueue: z.boolean(),
  submittedAt: timestamp,
  readiness,
  verifiedByTestRun: z
    .string()
    .nullable()
    .describe(
      'The test run that proved the landed commit; null after a direct merge, where its own checks did, and if the queue did not land it.',
    ),
  failedTestRun: z
    .string()
    .nullable()
    .describe('The test run whose failure ended it or holds it; null if there is none.'),
  queueState: z.enum(queueStatuses).describe('The state of its queue.'),
  warnings,
});

const timeline = z
  .array(timelineEntry)
  .optional()
  .describe('The timeline, newest first; present if requested.');

export const storyEntry = z.object({
  timestamp,
  state: submissionState.nullable().describe('The state that was entered; null if none was.'),
  reason: z.string().nullable(),
  testRunId: z.string().nullable(),
  sentence: z.string(),
});

export const attempt = z.object({
  attempt: z.int(),
  state: submissionState.describe('The last recorded state.'),
  startedAt: timestamp,
  endedAt: timestamp.nullable().describe('Null while it is live.'),
  sentence: z.string().describe('How it ended and why, and how long it waited for what.'),
  remedy: z.string().optional().describe('What to do now that it has ended; absent while it is live.'),
  spentMs: z.partialRecord(submissionState, z.int()).describe('The time spent in each state.'),
  story: z.array(storyEntry).describe('Oldest first.'),
});

export const failingCheck = z.object({
  name: z.string(),
  source: z.string(),
  url: z.string().nullable().describe('The link to its log; null if the CI has none.'),
  conclusion: z.string(),
  summary: z.string().nullable(),
});

export const failure = z.object({
  testRunId: z.string(),
  failingChecks: z
    .array(failingCheck)
    .describe('The checks that decided; empty if the test run timed out before any had ended.'),
  testedWith: z.array(z.int()).describe('The other pull requests of its batch.'),
  testedOnTopOf: z.array(z.int()).describe('The pull requests that they were tested on top of, in order.'),
});

export const foundPullRequest = submittedPullRequest.extend({
  queueId: z.uuid().describe('The id of its queue, which also reads the history of a deleted queue.'),
  position: z
    .int()
    .nullable()
    .describe('Its rank in the order of getQueue, from 1; null if it is not admitted.'),
  aheadInLane: z
    .int()
    .nullable()
    .describe('How many pull requests must land before it; 0 if it is next, null if it is not admitted.'),
  remedy: z.string().describe('What to do now, or what the queue does by itself.'),
  failure: failure
    .nullable()
    .describe('The test run whose failure ended it or holds it; null if there is none.'),
  endedBy: actor.nullable().describe('Who caused its terminal state; null while it is live.'),
  landedCommit: z
    .string()
    .nullable()
    .describe('The commit as which the queue landed it; null if it is not merged, or not by the queue.'),
  timeline,
  attempts: z
    .array(attempt)
    .optional()
    .describe('Each stay in the queue, newest first; present together with the timeline.'),
  timelineIsComplete: z.boolean().optional().describe('False if older entries were omitted.'),
  estimatedTimeToMerge: estimatedTimeToMerge.optional(),
});

/** Max seconds that a request may wait. Many clients, proxies and load balancers time out after a minute. */
export const WAIT_SECONDS_MAX = 55;
const WAIT_SECONDS_DEFAULT = 30;

export const waitForPullRequestRequest = z.object({
  ...queueRef,
  pr,
  until: boundedList(submissionState, submissionStates.length)
    .default(['merged', 'failed', 'cancelled'])
    .describe('The states to wait for. Default: the terminal states. A terminal state ends every wait.'),
  waitSeconds: z
    .int()
    .min(0)
    .max(WAIT_SECONDS_MAX)
    .default(WAIT_SECONDS_DEFAULT)
    .describe('Maximum wait; ask again if `reached` is false.'),
});

export const waitedForPullRequest = foundPullRequest.extend({
  reached: z
    .boolean()
    .describe(
      'True if it is in one of the requested states; false after the maximum wait, or in another terminal state.',
    ),
});

export const timelinePage = z.object({
  timeline: z.array(timelineEntry).describe('The timeline, newest first.'),
  attempts: z.array(attempt).describe('Each stay in the queue according to these entries, newest first.'),
  nextCursor: z.string().optional().describe('The cursor of the next page; absent on the last page.'),
});

export const foundPullRequests = z.object({
  pullRequests: z.array(foundPullRequest),
  notFound: z.array(z.int()).describe('Numbers that were never submitted to this queue.'),
});

export const pullRequestPage = z.object({
  pullRequests: z.array(enqueuedPullRequest),
  nextCursor: z.string().optional().describe('The cursor of the next page; absent on the last page.'),
});
