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
import { type Explained, explained } from './explained.js';
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
} from './words.js';

/** What a run that has not ended waits for, told of one of its batch, or of the target where it tests that. */
export const waitForTestRun = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
): readonly Explained[] => {
  if (run.state === 'building') return [building(draft, run, member)];
  if (run.state === 'ended' && isAwaitingStack(run)) return [awaitingStack(draft, run, member)];
  if (run.state === 'ended')
    return [explained('decision', { it: nameOf(draft, member) }, { pr: member?.pr ?? null })];
  const open = openChecks(draft, run);
  if (run.rerunSince !== null) return [runAgain(draft, run, member, open)];
  const told = isQueuedOnly(run) ? queued(draft, run, member, open) : running(draft, run, member, open);
  return [told, ...unreported(draft, run, member)];
};

const isAwaitingStack = (run: TestRun): boolean =>
  run.outcome !== 'passed' && !hasFailed(run) && remainingStack(run).length > 0;

const awaitingStack = (draft: Draft, run: TestRun, member: Pick<Member, 'pr'> | null): Explained => {
  const below = remainingStack(run);
  const values = {
    it: nameOf(draft, member),
    ahead: prsOf(below),
    have: below.length === 1 ? 'has' : 'have',
    run: runOf(run.id),
    words: quoted(detailOf(run), 'nothing more is known of it'),
  };
  return explained('stack', values, { pr: below[0]?.pr ?? null, runId: run.id });
};

/** Where half of the time of a run is over, the required checks that no run has ever shown: nobody may ever report them. */
export const neverShown = (draft: Draft, run: TestRun): readonly string[] => {
  const since = run.testingSince;
  if (since === null || run.state !== 'testing' || run.purpose.kind === 'control') return [];
  const until = run.deadlineAt ?? since + 2 * draft.context.pace.ciStartMs;
  if (draft.now < since + (until - since) / 2) return [];
  const shown = new Set([...run.known, ...run.checks].map(({ name }) => name));
  return neverReported(draft.queue).filter((name) => !shown.has(name));
};

const unreported = (draft: Draft, run: TestRun, member: Pick<Member, 'pr'> | null): readonly Explained[] => {
  const checks = neverShown(draft, run);
  if (checks.length === 0) return [];
  const values = { names: checksOf(checks), are: be(checks.length), run: runOf(run.id) };
  return [explained('unreported_check', values, { pr: member?.pr ?? null, runId: run.id, checks })];
};

/** Of one of its batch; of the first, where nobody in particular is meant. */
export const waitForTestRunOfBatch = (draft: Draft, run: TestRun): readonly Explained[] =>
  waitForTestRun(draft, run, remainingBatch(run)[0] ?? run.batch[0] ?? null);

const nameOf = (draft: Draft, member: Pick<Member, 'pr'> | null): string =>
  member === null ? draft.queue.branch : prOf(member.pr);

const building = (draft: Draft, run: TestRun, member: Pick<Member, 'pr'> | null): Explained =>
  explained(
    'trial',
    {
      it: nameOf(draft, member),
      run: runOf(run.id),
      branch: draft.queue.branch,
      base: shortOf(run.base),
      below: withOthers(run, member),
      age: durationOf(draft.now - run.createdAt),
    },
    { pr: member?.pr ?? null, runId: run.id },
  );

const queued = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  open: readonly Open[],
): Explained => {
  const checks = open.map(({ name }) => name);
  const values = {
    it: nameOf(draft, member),
    run: runOf(run.id),
    age: durationOf(draft.now - (run.testingSince ?? run.createdAt)),
    names: checksOf(checks.length === 0 ? run.checks.map(({ name }) => name) : checks),
    end: endOf(draft, run),
  };
  return explained('queued_checks', values, aboutRun(draft, run, member, checks));
};

const running = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  open: readonly Open[],
): Explained => {
  const values = {
    it: nameOf(draft, member),
    run: runOf(run.id),
    below: withOthers(run, member),
    progress: progressOf(draft, run, open),
    end: endOf(draft, run),
  };
  const checks = open.map(({ name }) => name);
  return explained('checks', values, aboutRun(draft, run, member, checks));
};

/** A run that had passed, and waits for what was run again of it. */
const runAgain = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  open: readonly Open[],
): Explained => {
  const names = open.map(({ name }) => name);
  const values = {
    it: nameOf(draft, member),
    run: runOf(run.id),
    names: names.length === 0 ? 'a check' : `check${names.length === 1 ? '' : 's'} ${checksOf(names)}`,
    have: names.length > 1 ? 'have' : 'has',
    age: durationOf(draft.now - (run.rerunSince ?? draft.now)),
    progress: progressOf(draft, run, open),
    end: endOf(draft, run),
  };
  return explained('check_run_again', values, aboutRun(draft, run, member, names));
};

/** Once its time is up, when it ends hangs on when the code host answers. */
const aboutRun = (
  draft: Draft,
  run: TestRun,
  member: Pick<Member, 'pr'> | null,
  checks: readonly string[],
): Partial<Explained> => {
  const deadlineAt = deadlineOf(draft, run);
  const untilAt = deadlineAt !== null && deadlineAt > draft.now ? deadlineAt : null;
  return { pr: member?.pr ?? null, runId: run.id, checks, untilAt };
};

/** A required check of a run that has not passed yet, as far as the CI shows it. */
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
    const known = newest.get(check.name);
    if (known === undefined || check.startedAt >= known.startedAt) newest.set(check.name, check);
  }
  return (inForce?.names ?? run.requiredChecks).flatMap((name) => {
    const last = newest.get(name) ?? null;
    return last?.status === 'completed' ? [] : [{ name, shown: last }];
  });
};

/** E.g. `check unit is running for 6 min, and lint waits for a free place in the CI`. */
const progressOf = (draft: Draft, run: TestRun, open: readonly Open[]): string => {
  const age = durationOf(draft.now - (run.testingSince ?? run.createdAt));
  if (open.length === 0) return `its checks have ended after ${age}, and the verdict is being drawn`;
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
      : [`${named(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for a free place in the CI`]),
    ...(unseen.length === 0 || isAsking ? [] : [`the CI shows nothing of ${named(unseen)} after ${age}`]),
    ...(unseen.length === 0 || !isAsking ? [] : [`the CI is being asked for ${named(unseen)}`]),
  ];
  return parts.join(', and ');
};

const begunPhrase = (draft: Draft, begun: readonly Open[]): string => {
  const since = (shown: Check | null): string => durationOf(draft.now - (shown?.startedAt ?? draft.now));
  const [first] = begun;
  if (first !== undefined && begun.length === 1)
    return `check ${cutName(first.name)} is running for ${since(first.shown)}`;
  const names = begun.map(({ name, shown }) => `${cutName(name)} (for ${since(shown)})`);
  return `checks ${listed(names)} are running`;
};

/** The verdict waits for their end: what fails early may still be cancelled, or end otherwise. */
const failingPhrase = (begun: readonly Open[]): readonly string[] => {
  const names = begun.filter(({ shown }) => shown?.failing === true).map(({ name }) => name);
  return names.length === 0 ? [] : [`${checksOf(names)} ${be(names.length)} failing already`];
};

/** What else is in the candidate: those tested together with it, and those below. */
const withOthers = (run: TestRun, member: Pick<Member, 'pr'> | null): string => {
  const mates = remainingBatch(run).filter(({ pr }) => pr !== member?.pr);
  const below = remainingStack(run);
  return [
    ...(mates.length === 0 ? [] : [` together with ${prsOf(mates)}`]),
    ...(below.length === 0 ? [] : [` on top of ${prsOf(below)}`]),
  ].join('');
};

/** Of a run that is given up at no time: then nobody who waits for it is told one. */
export const NO_DEADLINE = 'has no deadline, by setting of the queue';

const endOf = (draft: Draft, run: TestRun): string => {
  const untilAt = deadlineOf(draft, run);
  if (untilAt === null) return NO_DEADLINE;
  if (untilAt <= draft.now)
    return `had time until ${timeOf(untilAt)} and is given up unless the code host shows its end when it is read next`;
  const isUnbegun = isDueToBegin(draft, run);
  return `is given up at ${timeOf(untilAt)}${isUnbegun ? ' unless a check shows by then: see that the CI tests what the queue builds' : ''}`;
};
