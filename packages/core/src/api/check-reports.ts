import { z } from 'zod';
import { movedTestDeadline } from '../decide/moves/standstill.js';
import type { ExternalChecks } from '../engine/external-checks.js';
import { everyQueue } from '../engine/pages.js';
import type { ReportGrant, ReportTokens } from '../engine/report-tokens.js';
import type { StoreTime } from '../engine/store-time.js';
import { MergeQueueError } from '../errors.js';
import {
  type CheckReport,
  type ExpectedCheck,
  isAwaited,
  lastExecution,
  reportedState,
} from '../model/external-check.js';
import type { Instant, TestRunId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import { repoKey } from '../model/repo.js';
import { isOpenRun, type TestRun } from '../model/run.js';
import type { CheckStore } from '../ports/check-store.js';
import { PAGE_LIMIT, type Store } from '../ports/store.js';
import {
  type CheckReported,
  type ExpectedCheckView,
  type ListExpectedChecksRequest,
  type ReportCheckRequest,
  reportedConclusions,
  webAddress,
} from '../validation/check-requests.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { Hosts } from './hosts.js';

export const REPORTER_CHARS_LIMIT = 100;
export const REPORT_SUMMARY_CHARS_LIMIT = 1_000;
export const REPORT_URL_CHARS_LIMIT = 2_000;
const CHECKS_LIMIT = 1_000;
/** Max clock difference of a reporter; a larger one is refused as a fault of the reporter. */
const CLOCK_AHEAD_LIMIT_MS = 5 * 60_000;
/** Max open checks that one list reads. */
const OPEN_LIMIT = 10_000;

const reporter = fields.name.max(REPORTER_CHARS_LIMIT);

const list = z.strictObject({
  repo: fields.repo.optional(),
  repositories: fields.repositories,
  issuer: fields.name.optional(),
  reporter,
  checks: z.array(fields.name).max(CHECKS_LIMIT).optional(),
  silentMs: z.number().min(0).optional(),
  take: fields.paging.take,
});

const report = z
  .strictObject({
    repo: fields.repo,
    idempotency: fields.command.idempotency,
    reporter,
    check: fields.name,
    testRunId: fields.name.optional(),
    commit: fields.sha,
    status: z.enum(['queued', 'running', 'completed']),
    conclusion: z.enum(reportedConclusions).optional(),
    failing: z.boolean().optional(),
    sequence: z.int().min(1).optional(),
    startedAt: fields.instant.min(0).optional(),
    completedAt: fields.instant.min(0).optional(),
    url: z
      .string()
      .max(REPORT_URL_CHARS_LIMIT)
      .regex(webAddress, 'must be an http or https address without user and password')
      .optional(),
    summary: z.string().max(REPORT_SUMMARY_CHARS_LIMIT).optional(),
  })
  .refine(({ testRunId, commit }) => testRunId !== undefined || commit !== undefined, {
    path: ['testRunId'],
    message: 'is required if no commit is named',
  })
  .refine(({ status, conclusion }) => (status === 'completed') === (conclusion !== undefined), {
    path: ['conclusion'],
    message: 'is required with the status "completed", and must be left out otherwise',
  });

export interface CheckReportsParts {
  readonly store: Store;
  readonly hosts: Pick<Hosts, 'of'>;
  /** Null if no check has external reporters. */
  readonly checks: { readonly store: CheckStore; readonly external: ExternalChecks } | null;
  readonly tokens: ReportTokens;
  readonly time: StoreTime;
  readonly notice: (repo: RepoRef) => Promise<void>;
  readonly refuseWhenClosed: () => void;
}

/** The operations for reporters of external checks. */
export class CheckReports {
  constructor(private readonly parts: CheckReportsParts) {}

  readonly operations = {
    listExpectedChecks: takes(list, (request: ListExpectedChecksRequest) => this.#list(request)),
    reportCheck: takes(report, (request: ReportCheckRequest) => this.#report(request)),
  };

  readToken(token: string): ReportGrant | null {
    return this.parts.tokens.read(token);
  }

  async #list(request: ListExpectedChecksRequest): Promise<readonly ExpectedCheckView[]> {
    const { checks, hosts } = this.parts;
    const found = checks === null ? [] : await this.#expected(checks, request);
    if (found.length === 0 && request.repo !== undefined) hosts.of(request.repo);
    return found;
  }

  async #expected(
    checks: NonNullable<CheckReportsParts['checks']>,
    request: ListExpectedChecksRequest,
  ): Promise<readonly ExpectedCheckView[]> {
    const open = await openIn(checks.store, request);
    const found: ExpectedCheckView[] = [];
    const runs = new Runs(this.parts.store);
    for (const expected of open) {
      if (found.length >= (request.take ?? PAGE_LIMIT)) break;
      const source = checks.external.sourceOf(expected.repo, expected.name);
      const isAsked = request.checks === undefined || request.checks.includes(expected.name);
      if (!isAsked || source?.reporters.includes(request.reporter) !== true) continue;
      if (!isAwaited(expected, request.reporter) || this.#isUnderWay(expected, request)) continue;
      const openRun = await runs.open(expected);
      if (openRun === null) continue;
      const isBegun = expected.executions.length > 0;
      const { since, by: deadline } = checks.external.startDue(expected, source);
      const standing = { queue: openRun.queue, now: this.parts.time.now() };
      const startBy = isBegun ? null : movedTestDeadline(standing, { since, deadline });
      found.push(this.#view(expected, request, { ...openRun, startBy }));
    }
    return found;
  }

  /** True if another worker of this reporter has reported it recently. */
  #isUnderWay(expected: ExpectedCheck, { reporter, silentMs }: ListExpectedChecksRequest): boolean {
    const last = lastExecution(expected, reporter);
    if (silentMs === undefined || last === null) return false;
    return this.parts.time.now() < last.reportedAt + silentMs;
  }

  #view(
    expected: ExpectedCheck,
    { reporter, issuer }: Pick<ListExpectedChecksRequest, 'reporter' | 'issuer'>,
    { queue, run, startBy }: OpenRun & { readonly startBy: Instant | null },
  ): ExpectedCheckView {
    const last = lastExecution(expected, reporter);
    const { repo, runId: testRunId, commit, name: check, askedAt } = expected;
    return {
      ...{ repo, targetBranch: queue.branch, testRunId, commit, check, askedAt, startBy },
      ref: run.candidate?.ref ?? commit,
      status: last?.status === 'running' ? 'running' : 'queued',
      sequence: last?.sequence ?? 0,
      reportedAt: last?.reportedAt ?? null,
      deadlineAt: run.deadlineAt,
      reportToken: this.parts.tokens.make({ repo, testRunId, check, reporter, issuer: issuer ?? null }),
    };
  }

  async #report(request: ReportCheckRequest): Promise<CheckReported> {
    this.parts.refuseWhenClosed();
    const { checks } = this.parts;
    const { repo, reporter, check } = request;
    const source = checks?.external.sourceOf(repo, check) ?? null;
    if (checks === null || source?.reporters.includes(reporter) !== true) {
      this.parts.hosts.of(repo);
      throw new MergeQueueError(
        'CHECK_NOT_REPORTABLE',
        `The check ${check} of ${repo.owner}/${repo.name} accepts no reports from ${reporter}.`,
      );
    }
    this.#refuseFuture(request);
    const expected = await this.#expectedBy(checks.store, request);
    const ref = { repo, runId: expected.runId, name: check };
    const outcome = await checks.external.report(ref, reportOf(request));
    switch (outcome?.kind) {
      case undefined:
        throw notExpected(request);
      case 'closed':
        throw new MergeQueueError(
          'TEST_RUN_CLOSED',
          `Test run ${expected.runId} does not need ${check} any more.`,
        );
      case 'too_old':
        throw new MergeQueueError(
          'REPORT_REFUSED',
          `A failure that names only a commit needs a startedAt that is not before ${new Date(expected.askedAt).toISOString()}, when the tests of that commit were asked for.`,
        );
      case 'superseded': {
        const stored = (await checks.store.find(ref)) ?? expected;
        return reported(stored, reporter, false);
      }
      case 'key_reused':
        throw new MergeQueueError(
          'IDEMPOTENCY_KEY_REUSED',
          'This idempotency key was used for another request.',
        );
      case 'repeated': {
        await this.parts.notice(repo);
        const { status, conclusion, sequence } = outcome.answer;
        return { testRunId: expected.runId, check, reporter, applied: true, status, conclusion, sequence };
      }
      case 'applied':
        // Also for a repeated report: the process that stored the first one may have died before this.
        await this.parts.notice(repo);
        return reported(outcome.check, reporter, true);
    }
  }

  async #expectedBy(store: CheckStore, request: ReportCheckRequest): Promise<ExpectedCheck> {
    const { repo, check: name, testRunId, commit } = request;
    if (testRunId !== undefined) {
      const found = await store.find({ repo, runId: testRunId, name });
      if (found === null) throw notExpected(request);
      if (commit !== undefined && commit !== found.commit)
        throw new MergeQueueError(
          'REPORT_REFUSED',
          `Test run ${testRunId} tests ${found.commit}, not ${commit}.`,
        );
      return found;
    }
    const ofCommit = commit === undefined ? [] : await store.ofCommits(repo, [commit]);
    const named = ofCommit.filter((one) => one.name === name);
    const found = named.find(({ closedAt }) => closedAt === null) ?? named[0];
    if (found === undefined) throw notExpected(request);
    return found;
  }

  #refuseFuture({ startedAt, completedAt }: ReportCheckRequest): void {
    const latest = this.parts.time.now() + CLOCK_AHEAD_LIMIT_MS;
    const faults = Object.entries({ startedAt, completedAt }).flatMap(([field, at]) =>
      at !== undefined && at > latest
        ? [{ path: [field], message: 'must not be more than 5 min ahead of the clock of this service' }]
        : [],
    );
    const [first] = faults;
    if (first !== undefined)
      throw new MergeQueueError(
        'INVALID_REQUEST',
        `The report is not valid: ${first.path[0]} ${first.message}.`,
        faults,
      );
  }
}

const notExpected = ({ check, testRunId, commit }: ReportCheckRequest): MergeQueueError =>
  new MergeQueueError(
    'RUN_NOT_FOUND',
    `No test run ${testRunId === undefined ? `of the commit ${commit}` : testRunId} expects the check ${check}.`,
  );

const reportOf = (request: ReportCheckRequest): CheckReport => ({
  reporter: request.reporter,
  status: request.status,
  conclusion: request.conclusion ?? null,
  failing: request.failing ?? false,
  sequence: request.sequence ?? null,
  startedAt: request.startedAt ?? null,
  completedAt: request.completedAt ?? null,
  url: request.url ?? null,
  summary: request.summary ?? null,
  namesRun: request.testRunId !== undefined,
  key: request.idempotency ?? null,
});

const reported = (expected: ExpectedCheck, reporter: string, applied: boolean): CheckReported => ({
  testRunId: expected.runId,
  check: expected.name,
  reporter,
  applied,
  ...reportedState(expected, reporter),
});

/** Those asked for first come first. */
const openIn = async (
  store: CheckStore,
  { repo, repositories }: ListExpectedChecksRequest,
): Promise<readonly ExpectedCheck[]> => {
  if (repo !== undefined) return store.open({ repo, limit: OPEN_LIMIT });
  if (repositories === undefined) return store.open({ limit: OPEN_LIMIT });
  const open = await Promise.all(repositories.map((one) => store.open({ repo: one, limit: OPEN_LIMIT })));
  return open.flat().sort((one, other) => one.askedAt - other.askedAt);
};

interface OpenRun {
  readonly queue: Queue;
  readonly run: TestRun;
}

/** The test runs of expected checks, each read once. */
class Runs {
  readonly #queues = new Map<string, Promise<readonly Queue[]>>();
  readonly #runs = new Map<TestRunId, Promise<OpenRun | null>>();

  constructor(private readonly store: Store) {}

  /** Null if it is not open, or no queue has it. */
  open({ repo, runId }: ExpectedCheck): Promise<OpenRun | null> {
    const openRun = this.#runs.get(runId) ?? this.#find(repo, runId);
    this.#runs.set(runId, openRun);
    return openRun;
  }

  async #find(repo: RepoRef, runId: TestRunId): Promise<OpenRun | null> {
    const queues = this.#queues.get(repoKey(repo)) ?? this.#queuesOf(repo);
    this.#queues.set(repoKey(repo), queues);
    for (const queue of await queues) {
      const run = await this.store.run(queue.id, runId);
      if (run !== null) return isOpenRun(run) ? { queue, run } : null;
    }
    return null;
  }

  async #queuesOf(repo: RepoRef): Promise<readonly Queue[]> {
    const queues: Queue[] = [];
    for await (const queue of everyQueue(this.store, { repo })) queues.push(queue);
    return queues;
  }
}
