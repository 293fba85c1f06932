import { PREVIEW_ROWS_LIMIT, PREVIEWED_MERGES_LIMIT } from '@mq/core';
import { z } from 'zod';
import { submissionState } from './common.js';
import { estimatedTimeToMerge, includeEstimatedTimeToMerge } from './estimate.js';
import { pullRequestRequest, submitPullRequestRequest } from './pull-request.js';
import { noContradiction, queueSettingsRequest, settingsRules } from './queue.js';
import { testingDetails } from './testing-details.js';

const estimateField = { includeEstimatedTimeToMerge };

export const previewed = {
  // `safeExtend` keeps the refinement but drops the metadata.
  update: queueSettingsRequest
    .safeExtend({ operation: z.literal('updateQueue'), ...estimateField })
    .meta({ ...noContradiction, ...settingsRules }),
  submit: submitPullRequestRequest.extend({ operation: z.literal('submitPullRequest'), ...estimateField }),
  cancel: pullRequestRequest.extend({ operation: z.literal('cancelPullRequest'), ...estimateField }),
  restart: pullRequestRequest.extend({ operation: z.literal('restartTestsOnPullRequest'), ...estimateField }),
};

/** The request of the previewed operation, plus `operation` with its name. */
export const previewRequest = z.discriminatedUnion('operation', [
  previewed.update,
  previewed.submit,
  previewed.cancel,
  previewed.restart,
]);

const count = z.int().min(0);
const rank = z.int().min(1).nullable();
const prNumbers = z.array(z.int());

export const previewedRun = z.object({
  purpose: testingDetails.shape.purpose,
  prNumbers,
  testedOnTopOf: prNumbers.describe('The pull requests below it, in order.'),
});
export const previewedCancellation = previewedRun.extend({
  testRunId: z.string(),
  cause: z.string().describe('As in the history of the test run.'),
  hadPassed: z.boolean().describe('True: its pass would be given up.'),
  ciMinutes: z.number().min(0).describe('The CI time spent on it so far.'),
});
export const previewedMove = z.object({
  prNumber: z.int(),
  from: submissionState.nullable(),
  to: submissionState,
  reason: z.string().nullable().describe('The codes are in the page of reasons.'),
});
export const previewedPosition = z.object({
  prNumber: z.int(),
  from: rank,
  to: rank.describe('Null: not in line.'),
});
export const previewedMerge = z.object({
  prNumber: z.int(),
  before: estimatedTimeToMerge.nullable(),
  after: estimatedTimeToMerge.nullable(),
});
export const previewedRefusal = z.object({ code: z.string(), detail: z.string() });

export const preview = z.object({
  refusal: previewedRefusal
    .nullable()
    .describe('Why the command would be refused; null if it would be applied.'),
  started: z.array(previewedRun).describe(`Test runs that would start, at most ${PREVIEW_ROWS_LIMIT}.`),
  startedCount: count,
  cancelled: z
    .array(previewedCancellation)
    .describe(
      `Test runs that would be stopped or whose pass would be given up, at most ${PREVIEW_ROWS_LIMIT}.`,
    ),
  cancelledCount: count,
  ciMinutesLost: z.number().min(0).describe('The CI time of all of them.'),
  moves: z
    .array(previewedMove)
    .describe(`Pull requests whose state would change, at most ${PREVIEW_ROWS_LIMIT}.`),
  movesCount: count,
  positions: z
    .array(previewedPosition)
    .describe(`Pull requests whose position would change, by the new one, at most ${PREVIEW_ROWS_LIMIT}.`),
  positionsCount: count,
  merges: z
    .array(previewedMerge)
    .describe(
      `Present if requested: expected merges of the pull requests concerned (of all, by a change of settings), of at most ${PREVIEWED_MERGES_LIMIT} at the front.`,
    ),
});
