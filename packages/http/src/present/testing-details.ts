import type { Check, Outcome, RunView, TestingResult, TestRun } from '@mq/core';
import type { z } from 'zod';
import type { LogLink } from '../operation.js';
import type { testingDetails, testingResultPage } from '../schemas/testing-details.js';
import { presentWholeWaiting } from './submission.js';
import { presentTargets } from './targets.js';
import { isoTime, isoTimeOrNull } from './time.js';

export type TestingDetails = z.output<typeof testingDetails>;

export const presentRun = (view: RunView, logLink: LogLink): TestingDetails => {
  const { run, requiredChecks } = view;
  const linked = (check: Check): Check => ({ ...check, url: logLink(check.url) });
  return {
    testRunId: run.id,
    purpose: run.purpose.kind,
    status: statusOfRun(run),
    outcome: run.outcome,
    requiredStatuses: [...run.requiredChecks],
    requiredStatusesSource: requiredChecks?.source ?? null,
    testBranch: run.candidate?.ref ?? null,
    testBranchSha: run.candidate?.commit ?? null,
    baseSha: run.base,
    createdAt: isoTime(run.createdAt),
    testingSince: isoTimeOrNull(run.testingSince),
    deadlineAt: isoTimeOrNull(run.deadlineAt),
    endedAt: isoTimeOrNull(run.endedAt),
    closedBecause: run.closedBecause,
    checkSuites: presentSuites(view.checks.map(linked)),
    statusChecks: [],
    failureCausingStatuses: run.decidedBy === null ? [] : [presentCause(linked(run.decidedBy))],
    testedPullRequests: presentTested(view),
    dependentPrs: run.stack.map(({ pr }) => pr),
    waitsOnPrs: [...view.waitsOn],
    explanation: view.explanation,
    ...(view.impactedTargetsOfStack === null
      ? {}
      : { impactedTargets: presentTargets(view.impactedTargetsOfStack) }),
    ...(view.impactedTargets === null
      ? {}
      : { impactedTargetsForTestedPrs: presentTargets(view.impactedTargets) }),
  };
};

const statusWords = {
  passed: 'succeeded',
  failed: 'failed',
  timed_out: 'failed',
  infrastructure: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<Outcome, TestingDetails['status']>;

/** The status of a test run on the wire. A test run that was closed before its end has no outcome. */
const statusOfRun = (run: TestRun): TestingDetails['status'] => {
  if (run.outcome !== null) return statusWords[run.outcome];
  return run.closedAt === null ? 'in_progress' : 'cancelled';
};

const presentTested = ({ run, tested }: RunView): TestingDetails['testedPullRequests'] => {
  const views = new Map(tested.map((view) => [view.submission.pr, view]));
  return run.batch.map(({ pr }) => {
    const view = views.get(pr);
    if (view === undefined) return { prNumber: pr };
    const { pull } = view.submission;
    const waiting = view.waiting === null ? {} : { waitingFor: presentWholeWaiting(view.waiting) };
    return { prNumber: pr, prUrl: pull.url, title: pull.title, ...waiting };
  });
};

const presentSuites = (checks: readonly Check[]): TestingDetails['checkSuites'] => {
  const bySource = new Map<string, TestingDetails['checkSuites'][number]>();
  for (const check of checks) {
    const suite = bySource.get(check.source) ?? { source: check.source, checkRuns: [] };
    suite.checkRuns.push(presentCheck(check));
    bySource.set(check.source, suite);
  }
  return [...bySource.values()];
};

export const statusWordsOfChecks = {
  queued: 'QUEUED',
  running: 'IN_PROGRESS',
  completed: 'COMPLETED',
} as const satisfies Record<Check['status'], string>;

const presentCheck = (check: Check): TestingDetails['checkSuites'][number]['checkRuns'][number] => ({
  name: check.name,
  url: check.url,
  status: statusWordsOfChecks[check.status],
  ...(check.conclusion === null ? {} : { conclusion: check.conclusion.toUpperCase() }),
  startedAt: isoTime(check.startedAt),
  completedAt: isoTimeOrNull(check.completedAt),
  summary: check.summary,
});

const presentCause = (check: Check): TestingDetails['failureCausingStatuses'][number] => ({
  name: check.name,
  source: check.source,
  url: check.url,
  conclusion: (check.conclusion ?? 'unknown').toUpperCase(),
});

const cycleWords = {
  passed: 'passed',
  failed: 'failed',
  timed_out: 'failed',
  infrastructure: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
} as const satisfies Record<TestingResult['outcome'], string>;

export const presentResult = (
  result: TestingResult,
): z.output<typeof testingResultPage>['testingResults'][number] => ({
  testRunId: result.runId,
  isBisection: result.isBisection,
  prNumber: result.pr,
  attempt: result.attempt,
  outcome: result.outcome,
  cycleConclusion: cycleWords[result.outcome],
  startedAt: isoTimeOrNull(result.testingSince),
  endedAt: isoTime(result.endedAt),
  testingDurationMs: result.testingSince === null ? null : Math.max(0, result.endedAt - result.testingSince),
});
