import { actorName, type FoundView, failedChecksOf, restackDetail, type TestRun } from '@mq/core';
import type { z } from 'zod';
import type { LogLink } from '../operation.js';
import type { foundPullRequest } from '../schemas/pull-request.js';
import { presentActor } from './queue.js';
import { presentSubmitted } from './submission.js';

type Found = z.output<typeof foundPullRequest>;

/** A pull request with its position, the remedy, and the failure or the person that ended it. */
export const presentFoundView = (view: FoundView, logLink: LogLink): Found => {
  const { submission, queue, failedRun, endedBy, restack } = view;
  const shown: Found = {
    ...presentSubmitted(view),
    queueId: queue.id,
    position: view.position,
    aheadInLane: view.aheadInLane,
    remedy: view.remedy,
    failure: failedRun === null ? null : presentFailure(failedRun, submission.pr, logLink),
    endedBy: endedBy === null ? null : presentActor(endedBy),
    landedCommit: submission.state === 'merged' ? (submission.landed?.commit ?? null) : null,
  };
  if (restack !== null && shown.waitingFor !== undefined)
    shown.waitingFor.sentence += ` It is stacked: ${restackDetail(restack)}.`;
  if (shown.reason === undefined) return shown;
  if (submission.reason === 'USER_REQUESTED' && endedBy !== null)
    shown.reason.sentence = `Cancelled by ${actorName(endedBy)}.`;
  return shown;
};

const presentFailure = (run: TestRun, pr: number, logLink: LogLink): NonNullable<Found['failure']> => ({
  testRunId: run.id,
  failingChecks: failingOf(run).map(({ name, source, url, conclusion, summary }) => ({
    name,
    source,
    url: logLink(url),
    conclusion: (conclusion ?? 'unknown').toUpperCase(),
    summary,
  })),
  testedWith: run.batch.flatMap((member) => (member.pr === pr ? [] : [member.pr])),
  testedOnTopOf: run.stack.map((member) => member.pr),
});

/** One result for each failed check: the last one, or the one that decided the test run. */
const failingOf = (run: TestRun): TestRun['checks'] => {
  const names = failedChecksOf(run);
  const decisive = run.decidedBy === null ? [] : [run.decidedBy];
  const failed = run.checks.filter((check) => check.conclusion === 'failure' || names.includes(check.name));
  const byName = new Map([...failed, ...decisive].map((check) => [check.name, check]));
  return [...byName.values()];
};
