import type { Draft } from '../decide/draft/draft.js';
import { deadlineOf, isDueToBegin, isQueuedOnly } from '../decide/entry/expire.js';
import { detailOf } from '../decide/verdicts/culprit.js';
import { type Check, tells } from '../model/checks.js';
import { neverReported, requiredChecksOf } from '../model/required-checks.js';
import {
  checksThatCount,
  evidenceOf,
  hasFailed,
  type Member,
  remainingBatch,
  remainingStack,
  type TestRun,
} from '../model/run.js';
import { causeOf, type ExplainedCause } from './chain-step.js';
import { leftOutOf } from './left-out.js';
import {
  be,
  checksOf,
  cutName,
  durationOf,
  listed,
  prOf,
  prsOf,
  quoted,
  runOf,
  shortOf,
  timeOf,
} from './phrases.js';

/** What a test run waits for, in the name of one member of its batch; null for a baseline run, which is named by the branch. */
export const waitForTestRun = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
): readonly ExplainedCause[] => {
  if (run.state === 'building') return [building(draft, run, member)];
  if (run.state === 'ended' && isAwaitingStack(run)) return [awaitingStack(draft, run, member)];
  if (run.state === 'ended')
    return [causeOf('decision', { it: nameOf(draft, member) }, { pr: member?.pr ?? null })];
  const open = openChecks(draft, run);
  if (run.rerunSince !== null) return [runAgain(draft, run, member, open)];
  const cause = isQueuedOnly(run) ? queued(draft, run, member, open) : running(draft, run, member, open);
  return [cause, ...unreported(draft, run, member)];
};

const isAwaitingStack = (run: TestRun): boolean =>
  run.outcome !== 'passed' && !hasFailed(run) && remainingStack(run).length > 0;

const awaitingStack = (draft: Draft, run: TestRun, member: Pick<Member, 'pr'> | null): ExplainedCause => {
  const below = remainingStack(run);
  const values = {
    it: nameOf(draft, member),
    ahead: prsOf(below),
    have: below.length === 1 ? 'has' : 'have',
    run: runOf(run.id),
    words: quoted(detailOf(run), 'no details are known'),
  };
  return causeOf('stack', values, { pr: below[0]?.pr ?? null, runId: run.id });
};

/** Required checks that no test run has ever shown, once half of the time of this one is over: they may never be reported. */
export const neverShown = (draft: Draft, run: TestRun): readonly string[] => {
  const since = run.testingSince;
  if (since === null || run.state !== 'testing' || run.purpose.kind === 'control') return [];
  const until = run.deadlineAt ?? since + 2 * draft.context.pace.ciStartMs;
  if (draft.now < since + (until - since) / 2) return [];
  const shown = new Set([...run.known, ...run.checks].map(({ name }) => name));
  return neverReported(draft.queue).filter((name) => !shown.has(name));
};

const unreported = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
): readonly ExplainedCause[] => {
  const checks = neverShown(draft, run);
  if (checks.length === 0) return [];
  const values = { names: checksOf(checks), are: be(checks.length), run: runOf(run.id) };
  return [causeOf('unreported_check', values, { pr: member?.pr ?? null, runId: run.id, checks })];
};

/** `waitForTestRun` in the name of the first member of the batch. */
export const waitForTestRunOfBatch = (draft: Draft, run: TestRun): readonly ExplainedCause[] =>
  waitForTestRun(draft, run, remainingBatch(run)[0] ?? run.batch[0] ?? null);

const nameOf = (draft: Draft, member: Pick<Member, 'pr'> | null): string =>
  member === null ? draft.queue.branch : prOf(member.pr);

const building = (draft: Draft, run: TestRun, member: Pick<Member, 'pr'> | null): ExplainedCause =>
  causeOf(
    'trial',
    {
      it: nameOf(draft, member),
      run: runOf(run.id),
      branch: draft.queue.branch,
      base: shortOf(run.base),
      below: withOthers(draft, run, member),
      age: durationOf(draft.now - run.createdAt),
    },
    { pr: member?.pr ?? null, runId: run.id },
  );

const queued = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  open: readonly Open[],
): ExplainedCause => {
  const checks = open.map(({ name }) => name);
  const values = {
    it: nameOf(draft, member),
    run: runOf(run.id),
    age: durationOf(draft.now - (run.testingSince ?? run.createdAt)),
    names: checksOf(checks.length === 0 ? run.checks.map(({ name }) => name) : checks),
    end: endOf(draft, run),
  };
  return causeOf('queued_checks', values, aboutRun(draft, run, member, checks));
};

const running = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  open: readonly Open[],
): ExplainedCause => {
  const values = {
    it: nameOf(draft, member),
    run: runOf(run.id),
    below: withOthers(draft, run, member),
    progress: progressOf(draft, run, open),
    end: endOf(draft, run),
  };
  const checks = open.map(({ name }) => name);
  return causeOf('checks', values, aboutRun(draft, run, member, checks));
};

/** A test run that had passed, until the checks that were started again have ended. */
const runAgain = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  open: readonly Open[],
): ExplainedCause => {
  const names = open.map(({ name }) => name);
  const values = {
    it: nameOf(draft, member),
    run: runOf(run.id),
    names: names.length === 0 ? 'a check' : `check${names.length === 1 ? '' : 's'} ${checksOf(names)}`,
    were: names.length > 1 ? 'were' : 'was',
    age: durationOf(draft.now - (run.rerunSince ?? draft.now)),
    progress: progressOf(draft, run, open),
    end: endOf(draft, run),
  };
  return causeOf('check_run_again', values, aboutRun(draft, run, member, names));
};

/** Without a time after the deadline: then the run ends when the code host answers. */
const aboutRun = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  checks: readonly string[],
): Partial<ExplainedCause> => {
  const deadlineAt = deadlineOf(draft, run);
  const untilAt = deadlineAt !== null && deadlineAt > draft.now ? deadlineAt : null;
  return { pr: member?.pr ?? null, runId: run.id, checks, untilAt };
};

/** A required check that has not ended; `shown` is null until the CI reports it. */
interface Open {
  readonly name: string;
  readonly shown: Check | null;
}

const openChecks = (draft: Draft, run: TestRun): readonly Open[] => {
  const inForce = run.purpose.kind === 'control' ? null : requiredChecksOf(draft.queue);
  const newest = new Map<string, Check>();
  const shown = checksThatCount(run);
  const evidence = evidenceOf(run, draft.queue.target.digests);
  for (const check of shown) {
    if (check.status === 'completed' && !tells(check, evidence, shown)) continue;
    const last = newest.get(check.name);
    if (last === undefined || check.startedAt >= last.startedAt) newest.set(check.name, check);
  }
  return (inForce?.names ?? run.requiredChecks).flatMap((name) => {
    const last = newest.get(name) ?? null;
    return last?.status === 'completed' ? [] : [{ name, shown: last }];
  });
};

/** E.g. `check unit has been running for 6 min, and lint waits for a free CI runner`. */
const progressOf = (draft: Draft, run: TestRun, open: readonly Open[]): string => {
  const age = durationOf(draft.now - (run.testingSince ?? run.createdAt));
  if (open.length === 0) return `its checks ended after ${age}, and the verdict comes next`;
  const named = (checks: readonly Open[]) => checksOf(checks.map(({ name }) => name));
  const of = (status: Check['status'] | null) =>
    open.filter(({ shown }) => (shown?.status ?? null) === status);
  const [begun, waiting, unseen] = [of('running'), of('queued'), of(null)];
  const isAsking = run.starting !== null;
  const parts = [
    ...(begun.length === 0 ? [] : [begunPhrase(draft, begun)]),
    ...failingPhrase(begun),
    ...(waiting.length === 0
      ? []
      : [`${named(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for a free CI runner`]),
    ...(unseen.length === 0 || isAsking ? [] : [`the CI has not reported ${named(unseen)} after ${age}`]),
    ...(unseen.length === 0 || !isAsking ? [] : [`the CI is being asked to start ${named(unseen)}`]),
  ];
  return parts.join(', and ');
};

const begunPhrase = (draft: Draft, begun: readonly Open[]): string => {
  const since = (shown: Check | null): string => durationOf(draft.now - (shown?.startedAt ?? draft.now));
  const [first] = begun;
  if (first !== undefined && begun.length === 1)
    return `check ${cutName(first.name)} has been running for ${since(first.shown)}`;
  const names = begun.map(({ name, shown }) => `${cutName(name)} (for ${since(shown)})`);
  return `checks ${listed(names)} are running`;
};

/** Checks that already show a failure. The verdict waits for their end: they may still be cancelled, or end otherwise. */
const failingPhrase = (begun: readonly Open[]): readonly string[] => {
  const names = begun.filter(({ shown }) => shown?.failing === true).map(({ name }) => name);
  return names.length === 0 ? [] : [`${checksOf(names)} ${be(names.length)} failing already`];
};

/** The other pull requests in the candidate: those of the batch, and those below it. */
const withOthers = (draft: Draft, run: TestRun, member: Pick<Member, 'pr'> | null): string => {
  const mates = remainingBatch(run).filter(({ pr }) => pr !== member?.pr);
  const below = remainingStack(run);
  return [
    ...(mates.length === 0 ? [] : [` together with ${prsOf(mates)}`]),
    ...(below.length === 0 ? [] : [` on top of ${prsOf(below)}`]),
    leftOutOf(draft, run),
  ].join('');
};

/** Part of a sentence about a test run without a timeout. The wait for it has no `until`. */
export const NO_DEADLINE = 'has no timeout (testingTimeoutMinutes is 0)';

const endOf = (draft: Draft, run: TestRun): string => {
  const untilAt = deadlineOf(draft, run);
  if (untilAt === null) return NO_DEADLINE;
  if (untilAt <= draft.now)
    return `was due by ${timeOf(untilAt)} and times out unless its checks have ended at the next read`;
  const isUnbegun = isDueToBegin(draft, run);
  return `times out at ${timeOf(untilAt)}${isUnbegun ? ' unless a check has started by then: make sure that the CI tests what the queue builds' : ''}`;
};
