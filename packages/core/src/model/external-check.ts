import type { Check, Conclusion, StartDue } from './checks.js';
import type { Instant, Sha, TestRunId } from './ids.js';
import type { RepoRef } from './repo.js';
import { sha256 } from './sha256.js';

/**
 * The source of the results of one required check. `host`: what the code host shows. `external`: only reports of the
 * named reporters. A check that is not listed has the source `host`.
 */
export type CheckSource =
  | { readonly name: string; readonly source: 'host' }
  | {
      readonly name: string;
      readonly source: 'external';
      readonly reporters: readonly string[];
      /** Max time for a reporter to start; null uses `pace.ciStartMs`. */
      readonly startTimeoutMs: number | null;
    };
export type ExternalCheckSource = Extract<CheckSource, { source: 'external' }>;

/** One execution of a check by one reporter, as last reported. */
export interface ReportedExecution {
  readonly reporter: string;
  /** Counts from 1, over all reporters of the check. */
  readonly ordinal: number;
  readonly sequence: number;
  readonly status: Check['status'];
  readonly conclusion: Conclusion | null;
  /** True if the reporter has seen a failure and the check is still running. */
  readonly failing: boolean;
  readonly startedAt: Instant;
  readonly completedAt: Instant | null;
  readonly url: string | null;
  readonly summary: string | null;
  readonly reportedAt: Instant;
  /**
   * False if the report named only the commit and did not prove that it started after the test run. It counts for the
   * tree only.
   */
  readonly isOfRun: boolean;
}

/** The answer to a report that came with an idempotency key. */
export interface KeyedReport {
  readonly id: string;
  readonly digest: string;
  readonly status: Check['status'];
  readonly conclusion: Conclusion | null;
  readonly sequence: number;
}

/** One check of one test run that is requested from reporters, with their reports. */
export interface ExpectedCheck {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly commit: Sha;
  readonly name: string;
  readonly askedAt: Instant;
  /** When the test run stopped needing it; later reports do not count. Null before. */
  readonly closedAt: Instant | null;
  readonly executions: readonly ReportedExecution[];
  /** The newest `KEYED_REPORTS_LIMIT`, oldest first; left out if there are none. */
  readonly keyed?: readonly KeyedReport[];
  /** Starts at 1 and increases by 1 with every change. */
  readonly version: number;
}

/** A report. Times are those of the reporter; null if not given. */
export interface CheckReport {
  readonly reporter: string;
  readonly status: Check['status'];
  readonly conclusion: Conclusion | null;
  readonly failing: boolean;
  readonly sequence: number | null;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  readonly url: string | null;
  readonly summary: string | null;
  /** False if it named only a commit. */
  readonly namesRun: boolean;
  /** Identifies equal reports, for as long as the check is kept. */
  readonly key: Pick<KeyedReport, 'id' | 'digest'> | null;
}

export type ReportOutcome =
  /** `check` is the expected check after the report; the same object if nothing changed. */
  | { readonly kind: 'applied'; readonly check: ExpectedCheck }
  /** Nothing changed, because a report with this key was stored already. */
  | { readonly kind: 'repeated'; readonly answer: KeyedReport }
  /** The key was used for another report. */
  | { readonly kind: 'key_reused' }
  /** Nothing changed, because a later report of this reporter was stored already. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'closed' }
  /** A failure that names only a commit and does not prove that it started after the test run. */
  | { readonly kind: 'too_old' };

/** Max executions kept per check of a test run. Beyond that, the oldest ended one is dropped. */
export const EXECUTIONS_LIMIT = 50;

/** Keys of reports kept per check of a test run. */
export const KEYED_REPORTS_LIMIT = 50;

/** The last execution of a reporter; null if there is none. */
export const lastExecution = (check: ExpectedCheck, reporter: string): ReportedExecution | null =>
  check.executions.findLast((execution) => execution.reporter === reporter) ?? null;

/**
 * Applies a report. Reports of one reporter are ordered by sequence or, without one, by arrival. One with a known key gets its
 * first answer.
 */
export const withReport = (check: ExpectedCheck, report: CheckReport, now: Instant): ReportOutcome => {
  const { key } = report;
  if (key === null) return applied(check, report, now);
  const answer = check.keyed?.find(({ id }) => id === key.id);
  if (answer !== undefined)
    return answer.digest === key.digest ? { kind: 'repeated', answer } : { kind: 'key_reused' };
  const outcome = applied(check, report, now);
  return outcome.kind === 'applied'
    ? { kind: 'applied', check: withKey(outcome.check, report.reporter, key) }
    : outcome;
};

const withKey = (
  check: ExpectedCheck,
  reporter: string,
  key: Pick<KeyedReport, 'id' | 'digest'>,
): ExpectedCheck => {
  const { status, conclusion, sequence } = reportedState(check, reporter);
  const keyed = [...(check.keyed ?? []), { ...key, status, conclusion, sequence }];
  return { ...check, keyed: keyed.slice(-KEYED_REPORTS_LIMIT) };
};

/** What a reporter has reported last. */
export const reportedState = (
  check: ExpectedCheck,
  reporter: string,
): Pick<KeyedReport, 'status' | 'conclusion' | 'sequence'> => {
  const last = lastExecution(check, reporter);
  return {
    status: last?.status ?? 'queued',
    conclusion: last?.conclusion ?? null,
    sequence: last?.sequence ?? 0,
  };
};

const applied = (check: ExpectedCheck, report: CheckReport, now: Instant): ReportOutcome => {
  if (check.closedAt !== null) return { kind: 'closed' };
  const last = lastExecution(check, report.reporter);
  const sequence = report.sequence ?? (last?.sequence ?? 0) + 1;
  if (last !== null && report.sequence !== null && sequence <= last.sequence)
    return sequence === last.sequence && saysTheSame(last, report)
      ? { kind: 'applied', check }
      : { kind: 'superseded' };
  if (last !== null && report.sequence === null && saysTheSame(last, report))
    return { kind: 'applied', check };
  const current = last?.status === 'completed' ? null : last;
  const isOfRun = report.namesRun || isSinceAsked(check, current, report);
  if (!isOfRun && isBad(report)) return { kind: 'too_old' };
  const execution: ReportedExecution = {
    reporter: report.reporter,
    ordinal: current?.ordinal ?? nextOrdinal(check),
    sequence,
    status: report.status,
    conclusion: report.status === 'completed' ? (report.conclusion ?? 'unknown') : null,
    failing: report.failing && report.status !== 'completed',
    startedAt: startOf(check, current, report, now),
    completedAt: report.status === 'completed' ? (report.completedAt ?? now) : null,
    url: report.url ?? current?.url ?? null,
    summary: report.summary,
    reportedAt: now,
    isOfRun: current === null ? isOfRun : current.isOfRun && isOfRun,
  };
  const otherExecutions = check.executions.filter((one) => one !== current);
  return { kind: 'applied', check: { ...check, executions: bounded([...otherExecutions, execution]) } };
};

const saysTheSame = (last: ReportedExecution, report: CheckReport): boolean =>
  last.status === report.status &&
  last.conclusion === (report.status === 'completed' ? (report.conclusion ?? 'unknown') : null) &&
  last.failing === (report.failing && report.status !== 'completed') &&
  last.summary === report.summary &&
  (report.url === null || last.url === report.url);

const isSinceAsked = (
  { askedAt }: ExpectedCheck,
  current: ReportedExecution | null,
  { status, startedAt }: CheckReport,
): boolean => {
  if (startedAt !== null) return startedAt >= askedAt;
  return current === null ? status !== 'completed' : current.isOfRun;
};

const isBad = ({ status, conclusion }: CheckReport): boolean =>
  status === 'completed' && !['success', 'neutral', 'skipped'].includes(conclusion ?? 'unknown');

/** Orders executions by start, regardless of the clock of the reporter. */
const startOf = (
  check: ExpectedCheck,
  current: ReportedExecution | null,
  report: CheckReport,
  now: Instant,
): Instant => {
  const unnamed = report.status === 'completed' ? UNKNOWN_START : now;
  const said = report.startedAt ?? current?.startedAt ?? (report.namesRun ? now : unnamed);
  const before = check.executions.filter(
    (one) => one !== current && one.reporter === report.reporter && one.ordinal !== current?.ordinal,
  );
  return Math.max(said, ...before.map(({ startedAt }) => startedAt + 1));
};

/** A success that names only a commit and no start counts as started before every test run. */
const UNKNOWN_START: Instant = 0;

const nextOrdinal = ({ executions }: ExpectedCheck): number =>
  executions.reduce((most, { ordinal }) => Math.max(most, ordinal), 0) + 1;

const bounded = (executions: readonly ReportedExecution[]): readonly ReportedExecution[] => {
  if (executions.length <= EXECUTIONS_LIMIT) return executions;
  const oldest = executions.findIndex(({ status }) => status === 'completed');
  return executions.filter((_, index) => index !== Math.max(0, oldest));
};

export interface ShowOptions {
  readonly source: ExternalCheckSource;
  /** The time by which a reporter must start, if nothing extends it. */
  readonly startDue: Omit<StartDue, 'lateSummary'>;
}

/**
 * The checks that represent an expected check. It is queued until a reporter starts. Reports of reporters that the
 * source no longer names are ignored.
 */
export const shownChecks = (check: ExpectedCheck, { source, startDue }: ShowOptions): readonly Check[] => {
  const digest = sourceDigest(source);
  const executions = check.executions.filter(({ reporter }) => source.reporters.includes(reporter));
  if (executions.length > 0)
    return executions
      .filter(({ status }) => check.closedAt === null || status === 'completed')
      .map((execution) => shownExecution(check, execution, digest));
  if (check.closedAt !== null) return [];
  const lateSummary = `CI did not start: none of ${shownNames(source.reporters)} has taken up this check.`;
  return [
    {
      id: `${check.runId}/${check.name}/0`,
      runId: check.runId,
      name: check.name,
      source: 'external',
      digest,
      status: 'queued',
      conclusion: null,
      startedAt: check.askedAt,
      completedAt: null,
      url: null,
      summary: null,
      startDue: { ...startDue, lateSummary },
    },
  ];
};

const shownNames = (names: readonly string[]): string =>
  names.length <= NAMES_SHOWN_LIMIT
    ? names.join(', ')
    : `${names.slice(0, NAMES_SHOWN_LIMIT).join(', ')} and ${names.length - NAMES_SHOWN_LIMIT} more`;
const NAMES_SHOWN_LIMIT = 5;

const shownExecution = (
  { runId, name }: ExpectedCheck,
  execution: ReportedExecution,
  digest: string,
): Check => {
  const { reporter, ordinal, status, conclusion, startedAt, completedAt, url, summary } = execution;
  return {
    id: `${runId}/${name}/${String(ordinal).padStart(6, '0')}`,
    runId: execution.isOfRun ? runId : null,
    name,
    source: reporter,
    digest,
    status,
    conclusion,
    startedAt,
    completedAt,
    url,
    summary,
    ...(execution.failing ? { failing: true as const } : {}),
  };
};

/** Another set of reporters counts as another definition of the check, so that earlier passes do not count. */
export const sourceDigest = ({ reporters }: ExternalCheckSource): string =>
  sha256(JSON.stringify(['external', ...[...new Set(reporters)].sort()]));

/** True while this reporter may still end it. */
export const isAwaited = (check: ExpectedCheck, reporter: string): boolean =>
  check.closedAt === null && lastExecution(check, reporter)?.status !== 'completed';
