import type { Estimate, FoundView, QueueRef, TestRunId } from '@mq/core';
import type { z } from 'zod';
import type { Ask } from './operation.js';
import { presentEstimate } from './present/estimate.js';
import { presentFoundView } from './present/found-pull-request.js';
import { presentRun } from './present/testing-details.js';
import { presentAttempts, presentTimeline } from './present/timeline.js';
import { queueOf } from './request-model.js';
import type * as pullRequest from './schemas/pull-request.js';
import type * as testing from './schemas/testing-details.js';

/** Max entries of a timeline in an answer: the newest ones. */
export const TIMELINE_LIMIT = 200;

type Found = z.output<typeof pullRequest.foundPullRequest>;

export const findPullRequest = async (
  ask: Ask<z.output<typeof pullRequest.getSubmittedPullRequestRequest>>,
): Promise<Found> => {
  const { mq, body } = ask;
  const { number, branch } = body.pr;
  const view = await mq.getSubmission({
    ...queueOf(body),
    ...(number === undefined ? { headBranch: branch ?? '' } : { pr: number }),
  });
  const found = await presentFound(ask, view, body.includeTimeline === true);
  if (body.includeEstimatedTimeToMerge !== true) return found;
  const estimate = await mq.estimate({ ...queueOf(body), pr: view.submission.pr });
  return { ...found, estimatedTimeToMerge: presentEstimate(estimate) };
};

export const findPullRequests = async (
  ask: Ask<z.output<typeof pullRequest.getSubmittedPullRequestsRequest>>,
): Promise<z.output<typeof pullRequest.foundPullRequests>> => {
  const { mq, body } = ask;
  const request = { ...queueOf(body), prs: [...new Set(body.prs.map(({ number }) => number))] };
  const { found, notFound } = await mq.getSubmissions(request);
  const estimates =
    body.includeEstimatedTimeToMerge === true ? await mq.estimates(request) : new Map<number, Estimate>();
  const pullRequests = found.map(async (view) => {
    const estimate = estimates.get(view.submission.pr);
    return {
      ...(await presentFound(ask, view, body.includeTimeline === true)),
      ...(estimate === undefined ? {} : { estimatedTimeToMerge: presentEstimate(estimate) }),
    };
  });
  return { pullRequests: await Promise.all(pullRequests), notFound: [...notFound] };
};

const presentFound = async (
  { mq, logLink }: Ask<unknown>,
  view: FoundView,
  includesTimeline: boolean,
): Promise<Found> => {
  const presented = presentFoundView(view, logLink);
  if (!includesTimeline) return presented;
  const { repo, branch: targetBranch } = view.queue;
  const page = await mq.timeline({ repo, targetBranch, pr: view.submission.pr, take: TIMELINE_LIMIT });
  return {
    ...presented,
    timeline: presentTimeline(page.items),
    attempts: presentAttempts(page.items, view.submission.pr),
    timelineIsComplete: page.next === null,
  };
};

export const findTestingDetails = async (
  ask: Ask<z.output<typeof testing.testingDetailsRequest>>,
): Promise<z.output<typeof testing.testingDetailsAnswer>> => {
  const { mq, body, logLink } = ask;
  const queue = queueOf(body);
  if (body.testRunId !== undefined) {
    const run = presentRun(await mq.getRun({ ...queue, testRunId: body.testRunId as TestRunId }), logLink);
    return { ...run, runs: [run] };
  }
  if (body.pr !== undefined) return detailsOf(ask, { ...queue, pr: body.pr.number });
  return { runs: (await mq.listRuns(queue)).map((view) => presentRun(view, logLink)) };
};

/** The newest open test run of a pull request; if there is none, the one that failed or landed it. */
const detailsOf = async (
  { mq, logLink }: Ask<unknown>,
  ref: QueueRef & { readonly pr: number },
): Promise<z.output<typeof testing.testingDetailsAnswer>> => {
  const views = await mq.listRuns(ref);
  const newest = views.toSorted((one, other) => other.run.createdAt - one.run.createdAt)[0];
  if (newest !== undefined)
    return { ...presentRun(newest, logLink), runs: views.map((view) => presentRun(view, logLink)) };
  const { submission } = await mq.getSubmission(ref);
  const runId = submission.failedRunId ?? submission.verifiedBy;
  if (runId === null) return { runs: [] };
  const { repo, targetBranch } = ref;
  const view = await mq.getRun({ repo, targetBranch, testRunId: runId });
  return { ...presentRun(view, logLink), runs: [] };
};
