import type { LandOutcome, LandRequest, Sha, Step, TestRun, TestRunId } from '@mq/core';
import type { BranchMove, FakeCheck } from '@mq/testkit';
import { attemptKey, type Book } from './ledger.js';
import { isPassing, type Truth } from './truth.js';

/** A call that moved the target, as the host saw it. */
export interface SeenLanding {
  readonly request: LandRequest;
  readonly outcome: LandOutcome;
  readonly move: BranchMove;
  /** True where the host makes something else of what it is asked to land. */
  readonly isRewritten: boolean;
  /** What the host showed right before. */
  readonly pulls: ReadonlyMap<
    number,
    { readonly head: Sha; readonly state: string; readonly base: string; readonly draft: boolean }
  >;
}

/** Everything about one move of the target by the queue, judged at the moment at which it happened. */
export const landingFaults = (truth: Truth, book: Book, seen: SeenLanding): readonly string[] => {
  const { request, move } = seen;
  const run = book.landing(request);
  if (run === undefined) return [`The target was moved by ${request.runId}, which is no run.`];
  return [
    ...forwardFaults(truth, seen),
    ...memberFaults(truth, book, run, seen),
    ...gateFaults(book, request.runId),
    ...staleFaults(truth, book, seen),
    ...(move.to === run.candidate?.commit || seen.isRewritten
      ? []
      : [`${request.runId} landed ${move.to}, not its candidate.`]),
  ];
};

/** I3: from the tip that was expected, and onwards only. */
const forwardFaults = (truth: Truth, { request, move }: SeenLanding): readonly string[] => {
  const { git } = truth.repository;
  if (move.from !== request.onto)
    return [`${request.runId} moved the target from ${move.from}; it expected ${request.onto}.`];
  if (move.from === null || move.to === null || !git.isAncestor(move.from, move.to))
    return [`${request.runId} forced the target from ${move.from} to ${move.to}.`];
  return [];
};

/** I4, I8, I11, I14, I15: each member once, at its head, ready, not cancelled, and on top of what it was built on. */
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
      faults.push(`#${step.pr} is ${isThere ? 'landed again' : 'left out'} by ${run.id}.`);
  }
  for (const [index, step] of steps.entries()) {
    if (!landing.has(step.pr)) continue;
    const member = [...run.stack, ...run.batch].find(({ pr }) => pr === step.pr);
    if (member === undefined) {
      faults.push(`#${step.pr} is landed by ${run.id} and is no member of it.`);
      continue;
    }
    const key = attemptKey(member);
    const pull = pulls.get(step.pr);
    if (pull === undefined || pull.state !== 'open' || pull.draft || pull.base !== request.branch)
      faults.push(`${key} is landed while it is ${pull?.state ?? 'gone'}, draft or for another branch.`);
    if (pull?.head !== member.head || step.head !== member.head)
      faults.push(`${key} is landed at ${pull?.head}; ${member.head} was submitted.`);
    if (book.landed.has(key)) faults.push(`${key} lands twice.`);
    if (book.cancelled.has(key) && !book.isLostLanding(run.id))
      faults.push(`${key} lands although it was cancelled.`);
    const below = steps[index - 1]?.commit ?? run.base;
    faults.push(...contentFaults(truth, run, step, below));
  }
  return faults;
};

/** The commit that lands brings the change of the pull request to what lies below it, and nothing else. */
const contentFaults = (truth: Truth, run: TestRun, step: Step, below: Sha): readonly string[] => {
  const { git } = truth.repository;
  if (git.get(step.commit).tree !== step.tree)
    return [`#${step.pr} lands with another tree than was tested.`];
  if (!git.isAncestor(below, step.commit)) return [`#${step.pr} lands beside what it was built on.`];
  if (run.method === 'rebase') return [];
  const merged = git.merge(below, step.head);
  const isSame =
    merged.kind === 'merged' && JSON.stringify(merged.files) === JSON.stringify(git.get(step.commit).files);
  return isSame ? [] : [`#${step.pr} lands with a content that is not its own.`];
};

/**
 * No landing rests on a pass that is stale. What was run again before the landing was asked for, and could be seen by then, has
 * to have passed when the target is moved.
 */
const staleFaults = (truth: Truth, book: Book, { request, move }: SeenLanding): readonly string[] => {
  const asked = book.landingsAsked.get(request.runId);
  if (asked === undefined) return [];
  const seenBy = asked.at - truth.staleMs;
  return [...new Set(asked.proofs)].flatMap((id) => {
    const run = book.runs.get(id);
    return (run?.requiredChecks ?? []).flatMap((name) => {
      const own = truth
        .ofRun(id)
        .filter((check) => check.name === name && check.commit === run?.candidate?.commit)
        .filter(({ startedAt }) => startedAt < seenBy);
      const newest = own.reduce<FakeCheck | undefined>(
        (last, check) => (last === undefined || check.startedAt >= last.startedAt ? check : last),
        undefined,
      );
      const hasPassed = newest === undefined || (isPassing(newest) && (newest.completedAt ?? 0) <= move.at);
      return hasPassed ? [] : [`${request.runId} lands on a stale pass of ${id}: ${name} was run again.`];
    });
  });
};

/** I16: paused, nothing lands but what was told to be under way. */
const gateFaults = (book: Book, runId: TestRunId): readonly string[] =>
  book.mirror.queue.wanted === 'paused' && book.toldUnderWay !== runId && !book.isLostLanding(runId)
    ? [`${runId} lands while the queue is paused, and nobody was told.`]
    : [];
