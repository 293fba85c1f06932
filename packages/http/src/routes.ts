import type { QueueId } from '@mq/core';
import { requireSubmitRights } from './auth.js';
import { listExpectedChecks, reportCheck } from './checks.js';
import { diagnose } from './diagnose.js';
import { unauthorized } from './errors.js';
import { type Operation, operation } from './operation.js';
import { presentReceipts } from './present/receipts.js';
import { presentEnqueued, presentSubmitted } from './present/submission.js';
import { presentStored } from './present/targets.js';
import { presentResult } from './present/testing-details.js';
import { presentAttempts, presentTimeline } from './present/timeline.js';
import { preview } from './preview.js';
import { queueOperations } from './queue-routes.js';
import { findPullRequest, findPullRequests, findTestingDetails } from './reads.js';
import { queueOf, submissionOf } from './request-model.js';
import * as checks from './schemas/checks.js';
import { PAGE_TAKE_DEFAULT } from './schemas/common.js';
import * as diagnoses from './schemas/diagnose.js';
import * as previews from './schemas/preview.js';
import * as pullRequest from './schemas/pull-request.js';
import { readOnlyFields } from './schemas/queue.js';
import * as receipts from './schemas/receipts.js';
import * as targets from './schemas/targets.js';
import * as testing from './schemas/testing-details.js';
import { tokenOperations } from './token-routes.js';
import { waitForPullRequest } from './wait.js';
import { webhookOperations } from './webhook-routes.js';

const pullRequestOperations: readonly Operation[] = [
  operation({
    name: 'submitPullRequest',
    scope: 'submit',
    writes: true,
    tag: 'Pull requests',
    summary: 'Submit a pull request to the queue for testing and merging.',
    body: pullRequest.submitPullRequestRequest,
    answer: pullRequest.submittedPullRequest,
    run: async ({ mq, body, principal, origin }) => {
      const submission = submissionOf(body, origin);
      requireSubmitRights(principal, submission);
      return presentSubmitted(await mq.submit(submission));
    },
  }),
  operation({
    name: 'cancelPullRequest',
    scope: 'cancel',
    writes: true,
    tag: 'Pull requests',
    summary: 'Remove a pull request from the queue.',
    body: pullRequest.pullRequestRequest,
    answer: pullRequest.submittedPullRequest,
    run: async ({ mq, body, origin }) =>
      presentSubmitted(await mq.cancel({ ...queueOf(body), ...origin, pr: body.pr.number })),
  }),
  operation({
    name: 'restartTestsOnPullRequest',
    scope: 'submit',
    writes: true,
    tag: 'Pull requests',
    summary: 'Re-run tests on a pull request currently in the queue.',
    body: pullRequest.pullRequestRequest,
    answer: pullRequest.submittedPullRequest,
    run: async ({ mq, body, origin }) =>
      presentSubmitted(await mq.restartTests({ ...queueOf(body), ...origin, pr: body.pr.number })),
  }),
  operation({
    name: 'getSubmittedPullRequest',
    scope: 'read',
    writes: false,
    tag: 'Pull requests',
    summary: 'Get a pull request that was submitted to the queue, by its number or its head branch.',
    body: pullRequest.getSubmittedPullRequestRequest,
    answer: pullRequest.foundPullRequest,
    run: findPullRequest,
  }),
  operation({
    name: 'getSubmittedPullRequests',
    scope: 'read',
    writes: false,
    tag: 'Pull requests',
    summary: 'Get several pull requests that were submitted to the queue.',
    body: pullRequest.getSubmittedPullRequestsRequest,
    answer: pullRequest.foundPullRequests,
    run: findPullRequests,
  }),
  operation({
    name: 'waitForPullRequest',
    scope: 'read',
    writes: false,
    tag: 'Pull requests',
    summary: 'Wait until a pull request is merged, has failed or was cancelled, or is in another state.',
    body: pullRequest.waitForPullRequestRequest,
    answer: pullRequest.waitedForPullRequest,
    run: waitForPullRequest,
  }),
  operation({
    name: 'getPullRequestTimeline',
    scope: 'read',
    writes: false,
    opensPublicly: true,
    tag: 'Pull requests',
    summary: 'Get what happened to a pull request, also in a queue that was deleted.',
    body: pullRequest.timelineRequest,
    answer: pullRequest.timelinePage,
    run: async ({ mq, principal, body: { queueId, pr, take = PAGE_TAKE_DEFAULT, ...rest } }) => {
      // A deleted queue of the same branch may not have been public.
      if (principal.isAnonymous === true && queueId !== undefined) throw unauthorized();
      const former = queueId === undefined ? {} : { queueId: queueId as QueueId };
      const page = await mq.timeline({ ...rest, ...former, pr: pr.number, take });
      return {
        timeline: presentTimeline(page.items),
        attempts: presentAttempts(page.items, pr.number),
        ...(page.next === null ? {} : { nextCursor: page.next }),
      };
    },
  }),
  operation({
    name: 'listPullRequests',
    scope: 'read',
    writes: false,
    tag: 'Pull requests',
    summary: 'List the pull requests of the queue, by state and time, newest first.',
    body: pullRequest.listPullRequestsRequest,
    answer: pullRequest.pullRequestPage,
    run: async ({ mq, body: { state, take = PAGE_TAKE_DEFAULT, ...rest } }) => {
      const page = await mq.listSubmissions({
        ...rest,
        ...(state === undefined ? {} : { states: [state] }),
        take,
      });
      return {
        pullRequests: page.items.map(presentEnqueued),
        ...(page.next === null ? {} : { nextCursor: page.next }),
      };
    },
  }),
  operation({
    name: 'setImpactedTargets',
    scope: 'targets',
    writes: true,
    takesForkBuilds: true,
    tag: 'Pull requests',
    summary: 'Set the impacted targets of a pull request, for one head of it.',
    body: targets.setImpactedTargetsRequest,
    answer: targets.impactedTargetsAnswer,
    run: async ({ mq, body, principal, origin }) => {
      const stored = await mq.setImpactedTargets({
        ...queueOf(body),
        ...origin,
        pr: body.pr.number,
        ...(body.pr.sha === undefined ? {} : { sha: body.pr.sha }),
        impactedTargets: body.impactedTargets,
        source: principal.forkBuild === undefined ? 'trusted' : 'fork',
      });
      return presentStored(body, stored);
    },
  }),
];

const previewOperations: readonly Operation[] = [
  operation({
    name: 'preview',
    scope: 'read',
    writes: false,
    mayConflict: true,
    tag: 'Queues',
    summary: 'Preview what a command would do now, without carrying it out.',
    body: previews.previewRequest,
    readOnly: readOnlyFields,
    answer: previews.preview,
    run: preview,
  }),
];

const serviceOperations: readonly Operation[] = [
  operation({
    name: 'diagnose',
    scope: null,
    writes: false,
    tag: 'Service',
    summary: 'Find present and coming problems of the service and its queues.',
    namesNoRepository: true,
    body: diagnoses.diagnoseRequest,
    answer: diagnoses.diagnosis,
    run: diagnose,
  }),
];

const testingOperations: readonly Operation[] = [
  operation({
    name: 'getMergeQueueTestingDetails',
    scope: 'read',
    writes: false,
    tag: 'Testing',
    summary: 'Get details of test runs: of one, of those of a pull request, or of all that are open.',
    body: testing.testingDetailsRequest,
    answer: testing.testingDetailsAnswer,
    run: findTestingDetails,
  }),
  operation({
    name: 'listMergeQueueTestingResults',
    scope: 'read',
    writes: false,
    tag: 'Testing',
    summary: 'List ended test runs, newest first, one entry per pull request and run.',
    body: testing.listTestingResultsRequest,
    answer: testing.testingResultPage,
    run: async ({ mq, body: { take = PAGE_TAKE_DEFAULT, ...rest } }) => {
      const page = await mq.listTestingResults({ ...rest, take });
      return { testingResults: page.items.map(presentResult), totalItems: page.total };
    },
  }),
];

const checkOperations: readonly Operation[] = [
  operation({
    name: 'listExpectedChecks',
    scope: 'checks',
    writes: false,
    tag: 'Checks',
    summary: 'List the checks that your CI is to run, or wait until there is one.',
    namesNoRepository: true,
    body: checks.listExpectedChecksRequest,
    answer: checks.expectedChecks,
    run: listExpectedChecks,
  }),
  operation({
    name: 'reportCheck',
    scope: 'checks',
    writes: true,
    takesReportTokens: true,
    tag: 'Checks',
    summary: 'Report how a check of a test run goes, or how it ended.',
    body: checks.reportCheckRequest,
    answer: checks.checkReport,
    run: reportCheck,
  }),
];

const receiptOperations: readonly Operation[] = [
  operation({
    name: 'listReceipts',
    scope: 'read',
    writes: false,
    tag: 'Receipts',
    summary: 'List the receipts of the landings of a queue, in the order of their chain.',
    body: receipts.listReceiptsRequest,
    answer: receipts.receiptPage,
    run: async ({ mq, body: { queueId, pr, take = PAGE_TAKE_DEFAULT, ...rest } }) =>
      presentReceipts(
        await mq.receipts({
          ...rest,
          ...(queueId === undefined ? {} : { queueId: queueId as QueueId }),
          ...(pr === undefined ? {} : { pr: pr.number }),
          take,
        }),
      ),
  }),
];

/** All operations that take a JSON body: path, schemas, and one call of the engine. */
export const operations: readonly Operation[] = [
  ...pullRequestOperations,
  ...queueOperations,
  ...previewOperations,
  ...testingOperations,
  ...checkOperations,
  ...receiptOperations,
  ...tokenOperations,
  ...webhookOperations,
  ...serviceOperations,
];
