import type { LandOutcome, LandRequest, Sha, Step, TestRun, TestRunId } from '@mq/core';
import type { BranchMove } from '@mq/testkit';
import { attemptKey, type Book } from './ledger.js';
import { isPassing, type Truth } from './truth.js';

/** A landing that moved the target, as the host recorded it. */
export interface SeenLanding {
  readonly request: LandRequest;
  readonly outcome: LandOutcome;
  readonly move: BranchMove;
  /** True if the host lands another commit than requested. */
  readonly isRewritten: boolean;
  /** The pull requests just before the landing. */
  readonly pulls: ReadonlyMap<
    number,
    { readonly head: Sha; readonly state: string; readonly base: string; readonly draft: boolean }
  >;
}

/** Checks one move of the target by the queue, at the moment at which it happens. */
export const landingFaults = (truth: Truth, book: Book, landing: SeenLanding): readonly string[] => {
  const { request, move } = landing;
  const run = book.landing(request);
  if (run === undefined) return [`The target was moved by ${request.runId}, which is not a test run.`];
  return [
    ...forwardFaults(truth, landing),
    ...memberFaults(truth, book, run, landing),
    ...gateFaults(book, request.runId),
    ...staleFaults(truth, book, landing),
    ...(move.to === run.candidate?.commit || landing.isRewritten
      ? []
      : [`Test run ${request.runId} landed ${move.to}, which is not its candidate.`]),
  ];
};

/** I3: the target moves from the expected tip, and only forwards. */
const forwardFaults = (truth: Truth, { request, move }: SeenLanding): readonly string[] => {
  const { git } = truth.repository;
  if (move.from !== request.onto)
    return [`Test run ${request.runId} moved the target from ${move.from}; it expected ${request.onto}.`];
  if (move.from === null || move.to === null || !git.isAncestor(move.from, move.to))
    return [`Test run ${request.runId} force-moved the target from ${move.from} to ${move.to}.`];
  return [];
};

/** I4, I8, I11, I14, I15: each member lands once, at its head, ready, not cancelled, and on top of its base. */
const memberFaults = (
  truth: Truth,
  book: Book,
  run: TestRun,
  { request, pulls, move }: SeenLanding,
): readonly string[] => {
  const faults: string[] = [];
  const { git } = truth.repository;
  const steps = run.candidate?.steps ?? [];
  const landing = new Set(request.members.map(({ pr }) => pr));
  for (const step of steps) {
    const isThere = move.from !== null && git.isAncestor(step.commit, move.from);
    if (isThere === landing.has(step.pr))
      faults.push(`#${step.pr} is ${isThere ? 'landed again' : 'left out'} by test run ${run.id}.`);
  }
  for (const [index, step] of steps.entries()) {
    if (!landing.has(step.pr)) continue;
    const member = [...run.stack, ...run.batch].find(({ pr }) => pr === step.pr);
    if (member === undefined) {
      faults.push(`#${step.pr} lands by test run ${run.id}, which does not have it as a member.`);
      continue;
    }
    const key = attemptKey(member);
    const pull = pulls.get(step.pr);
    if (pull === undefined || pull.state !== 'open' || pull.draft || pull.base !== request.branch)
      faults.push(`${key} lands while it is ${pull?.state ?? 'gone'}, a draft or based on another branch.`);
    if (pull?.head !== member.head || step.head !== member.head)
      faults.push(`${key} lands with head ${pull?.head}, but ${member.head} was tested.`);
    if (book.landed.has(key)) faults.push(`${key} lands twice.`);
    if (book.cancelled.has(key) && !book.isLostLanding(run.id))
      faults.push(`${key} lands although it was cancelled.`);
    const below = steps[index - 1]?.commit ?? run.base;
    faults.push(...contentFaults(truth, run, step, below));
  }
  return faults;
};

/** The commit that lands applies the change of the pull request to what is below it, and nothing else. */
const contentFaults = (truth: Truth, run: TestRun, step: Step, below: Sha): readonly string[] => {
  const { git } = truth.repository;
  if (git.get(step.commit).tree !== step.tree)
    return [`#${step.pr} lands with another tree than the tested one.`];
  if (!git.isAncestor(below, step.commit)) return [`#${step.pr} does not land on top of its base.`];
  if (run.method === 'rebase') return [];
  const merged = git.merge(below, step.head);
  const isSame =
    merged.kind === 'merged' && JSON.stringify(merged.files) === JSON.stringify(git.get(step.commit).files);
  return isSame ? [] : [`#${step.pr} lands with other changes than its own.`];
};

/**
 * No landing relies on a stale pass. A required check that was rerun before the landing was requested, and could be seen by then,
 * must have passed when the target moves, for any test run of the same commit.
 */
const staleFaults = (truth: Truth, book: Book, { request, move }: SeenLanding): readonly string[] => {
  const requested = book.landingsAsked.get(request.runId);
  if (requested === undefined) return [];
  const shownBy = requested.at - truth.staleMs;
  return [...new Set(requested.proofs)].flatMap((id) => {
    const run = book.runs.get(id);
    const names = run?.requiredChecks.filter((name) => requested.required?.includes(name) !== false) ?? [];
    return names.flatMap((name) => {
      const commit = run?.candidate?.commit;
      const own = truth.ofRun(id).filter((check) => check.name === name && check.commit === commit);
      const passes = [...own.filter(isPassing), ...(commit == null ? [] : truth.successesOn(commit, name))];
      const seenSince = Math.max(
        ...own.filter(({ startedAt }) => startedAt < shownBy).map(({ startedAt }) => startedAt),
      );
      // A later run of the check, which need not have been visible by then, counts as well.
      const hasPassed =
        seenSince === Number.NEGATIVE_INFINITY ||
        passes.some((check) => check.startedAt >= seenSince && (check.completedAt ?? 0) <= move.at);
      return hasPassed
        ? []
        : [`Test run ${request.runId} lands on a stale pass of ${id}: ${name} was rerun.`];
    });
  });
};

/** I16: while the queue is paused nothing lands, except the landing that was in progress when the pause was confirmed. */
const gateFaults = (book: Book, runId: TestRunId): readonly string[] =>
  book.mirror.queue.wanted === 'paused' && book.landingAtPause !== runId && !book.isLostLanding(runId)
    ? [`Test run ${runId} lands while the queue is paused.`]
    : [];
