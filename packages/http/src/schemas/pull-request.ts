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

const includeTimeline = z.boolean().exactOptional().describe('True adds what happened so far, newest first.');

export const pullRequestRequest = z.object({ ...queueRef, pr });

/** What is left out is not looked at: JSON has no `undefined`, so that `optional` lets in no more than `exactOptional`. */
export const submitPullRequestRequest = z.object({
  ...queueRef,
  pr: prWithHead,
  priority: priority.optional(),
  noBatch: z.boolean().optional().describe('True: tested alone, never in a batch.'),
  skipTheLine: z
    .boolean()
    .optional()
    .describe(
      'True: urgent, whatever the priority given with it; a priority given later without it takes its place.',
    ),
  forceEnqueued: z
    .boolean()
    .optional()
    .describe('True skips the mergeability at the host, nothing else; needs the scope force.'),
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
  .describe('Pull request, by its number or by its head branch.');
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
    .describe('A queue of this branch, also one that was deleted; left out, the one that is there now.'),
  pr,
  cursor,
  take,
});

export const listPullRequestsRequest = z.object({
  ...queueRef,
  state: anyCase(submissionState.options, submissionState)
    .exactOptional()
    .describe('Only those in this state.'),
  since: instant.exactOptional().describe('Only those whose state began then or later (ISO 8601).'),
  until: instant.exactOptional().describe('Only those whose state began then or earlier (ISO 8601).'),
  cursor,
  take,
});

export const cause = z.object({
  code: z.string(),
  sentence: z.string(),
  pr: z.int().nullable().describe('The pull request that is pointed at; null where it is about none.'),
  testRunId: z.string().nullable().describe('The run that is awaited, or that failed; null without one.'),
  checks: z.array(z.string()).describe('The checks that are awaited, or that failed.'),
  until: timestamp
    .nullable()
    .describe('When the queue goes on by itself, at the latest; null where no time is set.'),
});

export const waitingFor = z
  .object({
    code: z.string(),
    sentence: z.string(),
    behindPr: z.int().nullable().describe('The pull request that it waits behind; null without one.'),
    until: timestamp
      .nullable()
      .describe('When the next step comes, at the latest; null where no time is set for it.'),
    causes: z
      .array(cause)
      .optional()
      .describe(
        `The chain, nearest first, at most ${CAUSES_LIMIT}; absent in lists. The codes are in the page of reasons.`,
      ),
    remedy: z
      .string()
      .optional()
      .describe('What would change it, and by when at the latest where that is known; absent in lists.'),
  })
  .describe('What it waits for; absent once it has left the queue.');

export const reason = z
  .object({ code: z.string(), sentence: z.string(), detail: z.string().nullable() })
  .describe('Why it came into its state; absent where no reason is on record.');

const place = {
  id: z.uuid().describe('The same for ever for a pull request in a queue.'),
  state: submissionState,
  stateChangedAt: timestamp,
  attempt: z.int().describe('Counts its stays in the queue, from 1.'),
  priorityValue: z.int(),
  priorityName,
  usedDefaultPriorityName: priorityName.describe('The priority that applies to it without an explicit one.'),
  skipTheLine: z.boolean().describe('Whether it is urgent, be it asked for so or by the priority 0.'),
  noBatch: z.boolean(),
  forceEnqueued: z.boolean(),
  prNumber: z.int(),
  prTitle: z.string(),
  prSha: z.string(),
  prBaseBranch: z.string(),
  prAuthor: z.string(),
  prUrl: z.string(),
  testRunId: z.string().optional().describe('Its newest test run that is still of use; absent without one.'),
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
  gitHubMergeability: mergeability.describe('The same value, under the name that older clients read.'),
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
      'The test run that proved what was landed for it; null where its own checks did (a direct merge), and where the queue did not land it.',
    ),
  failedTestRun: z
    .string()
    .nullable()
    .describe('The test run whose failure ended or holds it; null without one.'),
  queueState: z.enum(queueStatuses).describe('The state of the queue that it is in.'),
  warnings,
});

const timeline = z
  .array(timelineEntry)
  .optional()
  .describe('What happened, newest first; present where it was asked for.');

export const storyEntry = z.object({
  timestamp,
  state: submissionState.nullable().describe('The state that was entered, if one was.'),
  reason: z.string().nullable(),
  testRunId: z.string().nullable(),
  sentence: z.string(),
});

export const attempt = z.object({
  attempt: z.int(),
  state: submissionState.describe('The last one that is on record.'),
  startedAt: timestamp,
  endedAt: timestamp.nullable().describe('Null while it is live.'),
  sentence: z.string().describe('What it came to and why, and how long it waited for what.'),
  remedy: z.string().optional().describe('What can be done now that it has ended; absent while it is live.'),
  spentMs: z.partialRecord(submissionState, z.int()).describe('How long it was in each state.'),
  story: z.array(storyEntry).describe('Oldest first.'),
});

export const failingCheck = z.object({
  name: z.string(),
  source: z.string(),
  url: z.string().nullable().describe('Its log; null where the CI gives none.'),
  conclusion: z.string(),
  summary: z.string().nullable(),
});

export const failure = z.object({
  testRunId: z.string(),
  failingChecks: z
    .array(failingCheck)
    .describe('The checks that decided; empty where the time was up before any had ended.'),
  testedWith: z.array(z.int()).describe('The other pull requests of its batch.'),
  testedOnTopOf: z.array(z.int()).describe('The pull requests under them, in order.'),
});

export const foundPullRequest = submittedPullRequest.extend({
  queueId: z.uuid().describe('The queue that it was submitted to; its history is read by it for ever.'),
  position: z
    .int()
    .nullable()
    .describe('Its rank in the order of getQueue, from 1; null where it is not admitted.'),
  aheadInLane: z
    .int()
    .nullable()
    .describe('How many have to land before it; 0: it is next. Null where it is not admitted.'),
  remedy: z.string().describe('What can be done now, or what happens by itself.'),
  failure: failure.nullable().describe('The test run whose failure ended or holds it; null without one.'),
  endedBy: actor.nullable().describe('Who brought it into its terminal state; null while it is live.'),
  landedCommit: z
    .string()
    .nullable()
    .describe('The commit that the queue landed it as; null where it is not merged, or not by the queue.'),
  timeline,
  attempts: z
    .array(attempt)
    .optional()
    .describe('Each stay in the queue as the timeline tells it, newest first; present with it.'),
  timelineIsComplete: z.boolean().optional().describe('False where older entries were left out.'),
  estimatedTimeToMerge: estimatedTimeToMerge.optional(),
});

/** Seconds that one request may wait. Clients, proxies and load balancers often give up after a minute. */
export const WAIT_SECONDS_MAX = 55;
const WAIT_SECONDS_DEFAULT = 30;

export const waitForPullRequestRequest = z.object({
  ...queueRef,
  pr,
  until: boundedList(submissionState, submissionStates.length)
    .default(['merged', 'failed', 'cancelled'])
    .describe('The states to wait for; left out, the terminal ones. A terminal state ends every wait.'),
  waitSeconds: z
    .int()
    .min(0)
    .max(WAIT_SECONDS_MAX)
    .default(WAIT_SECONDS_DEFAULT)
    .describe('How long to wait at most; ask again where `reached` is false.'),
});

export const waitedForPullRequest = foundPullRequest.extend({
  reached: z
    .boolean()
    .describe(
      'True where it is in one of the states asked for; false when the time is over, or in another terminal state.',
    ),
});

export const timelinePage = z.object({
  timeline: z.array(timelineEntry).describe('What happened, newest first.'),
  attempts: z.array(attempt).describe('Each stay in the queue as these entries tell it, newest first.'),
  nextCursor: z.string().optional().describe('Where the next page begins; absent at the end.'),
});

export const foundPullRequests = z.object({
  pullRequests: z.array(foundPullRequest),
  notFound: z.array(z.int()).describe('Numbers that were never submitted to this queue.'),
});

export const pullRequestPage = z.object({
  pullRequests: z.array(enqueuedPullRequest),
  nextCursor: z.string().optional().describe('Where the next page begins; absent at the end.'),
});
