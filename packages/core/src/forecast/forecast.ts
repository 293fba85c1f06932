import type { Context } from '../decide/draft/context.js';
import { Draft } from '../decide/draft/draft.js';
import { countAhead } from '../decide/line/line.js';
import { positionIn } from '../decide/line/positions.js';
import { explain } from '../explain/explain.js';
import type { Estimate } from '../model/estimate.js';
import type { Instant, SubmissionId, TestRunId } from '../model/ids.js';
import { reasons } from '../model/reasons.js';
import type { TestRun } from '../model/run.js';
import type { QueueState, Writes } from '../model/state.js';
import { isLive, type Submission } from '../model/submission.js';
import type { Durations, Learnt } from './learn.js';
import { obstacleOf, unavailable } from './obstacles.js';
import { World } from './world.js';

// The limits of one forecast: virtual time, and decisions.
const HORIZON_HOURS = 168;
const FORECAST_DECISIONS_LIMIT = 2_000;

/** A request for estimates, with the current state. */
export interface Question {
  readonly state: QueueState;
  readonly context: Pick<Context, 'now' | 'pace' | 'recalled'>;
  readonly prs: readonly number[];
  readonly learnt: Learnt;
  /** Closed test runs that passed and whose content may be tested again. */
  readonly past: readonly TestRun[];
}

/**
 * Estimates when each pull request merges if every test passes. Runs the decisions forward on a copy, once with typical
 * durations and once with slow ones. Reads its arguments before the first yield and never changes them. Yields after
 * each decision, at most twice `FORECAST_DECISIONS_LIMIT` times. Pull requests that were never submitted are left out.
 */
export function* forecast(question: Question): Generator<void, ReadonlyMap<number, Estimate>> {
  const { state, prs, learnt } = question;
  const context = { ...question.context, seed: '' };
  const draft = new Draft(state, context);
  const answers = new Map<number, Estimate>();
  const waiting: Asked[] = [];
  for (const pr of new Set(prs)) {
    const submission = draft.lastSubmission(pr);
    if (submission === undefined) continue;
    const obstacle = obstacleOf(draft, submission, learnt);
    if (obstacle !== null) answers.set(pr, obstacle);
    else waiting.push({ submission, waitingBehind: waitingBehind(draft, submission) });
  }
  if (waiting.length === 0) return answers;
  const worlds = [learnt.typical, learnt.slow].map((durations) => worldOf(question, durations));
  const [usual, slow] = worlds.map((world) => new Foresight(world, waiting));
  if (usual === undefined || slow === undefined) return answers;
  yield* usual.look();
  yield* slow.look();
  for (const asked of waiting) answers.set(asked.submission.pr, estimateOf(asked, usual, slow, learnt));
  return answers;
}

interface Asked {
  readonly submission: Submission;
  readonly waitingBehind: number;
}

const worldOf = ({ state, past, context: { now, pace } }: Question, durations: Durations): World =>
  new World(state, past, Math.max(now, state.queue.decidedAt), pace, durations);

const waitingBehind = (draft: Draft, submission: Submission): number => {
  const position = positionIn(draft, submission.id);
  return position === undefined || position.isTooDeep ? countAhead(draft, submission) : position.stack.length;
};

/** How a requested submission ended. */
interface End {
  readonly submission: Submission;
  readonly at: Instant;
}

/** Advances a world until all requested submissions have ended. */
class Foresight {
  /** When the failure of each was confirmed or revoked. */
  readonly resolved = new Map<SubmissionId, Instant>();
  readonly ends = new Map<SubmissionId, End>();
  /** The reason of the last failure of each. */
  readonly failures = new Map<SubmissionId, Submission['reason']>();
  readonly runs = new Map<TestRunId, Pick<TestRun, 'testingSince' | 'endedAt'>>();
  isOutOfReach = false;
  readonly #open: Map<SubmissionId, Submission>;

  constructor(
    readonly world: World,
    asked: readonly Asked[],
  ) {
    this.#open = new Map(asked.map(({ submission }) => [submission.id, submission]));
    for (const run of world.state.runs.values()) this.runs.set(run.id, run);
  }

  *look(): Generator<void, void> {
    const until = this.world.now + HORIZON_HOURS * 3_600_000;
    while (this.#open.size > 0) {
      const writes = this.world.next();
      if (writes === null) return;
      this.isOutOfReach = this.world.now > until || this.world.decisions > FORECAST_DECISIONS_LIMIT;
      if (this.isOutOfReach) return;
      this.#record(writes);
      yield;
    }
  }

  #record({ submissions, runs }: Writes): void {
    const at = this.world.now;
    for (const { id, testingSince, endedAt } of runs) this.runs.set(id, { testingSince, endedAt });
    for (const submission of submissions) {
      const before = this.#open.get(submission.id);
      if (before === undefined) continue;
      this.#open.set(submission.id, submission);
      if (submission.state === 'pending_failure') this.failures.set(submission.id, submission.reason);
      const isResolved = before.state === 'pending_failure' && submission.state !== 'pending_failure';
      if (isResolved) this.resolved.set(submission.id, at);
      // A confirmed failure may lead to a bisection, whose outcome is not predicted.
      const isRescued = submission.state === 'tests_passed' || submission.state === 'merged';
      if (isLive(submission) && (!isResolved || isRescued)) continue;
      this.ends.set(submission.id, { submission, at });
      this.#open.delete(submission.id);
    }
  }
}

const estimateOf = (
  { submission: { id, state }, waitingBehind }: Asked,
  usual: Foresight,
  slow: Foresight,
  { basedOnRuns }: Learnt,
): Estimate => {
  const isFailing = state === 'pending_failure';
  const end = usual.ends.get(id);
  if (end === undefined) return notReached(usual, id);
  const mergedAt = mergeAt(usual, id);
  if (mergedAt === null && !isFailing) return notMerged(end.submission, usual);
  const verifiedBy = mergedAt === null ? null : end.submission.verifiedBy;
  const run = verifiedBy === null ? undefined : usual.runs.get(verifiedBy);
  const slowest = mergeAt(slow, id);
  return {
    status: 'available',
    kind: isFailing ? 'pendingFailureResolution' : 'merge',
    expectedMergeAt: mergedAt,
    pessimisticMergeAt: mergedAt === null || slowest === null ? null : Math.max(mergedAt, slowest),
    expectedResolutionAt: isFailing ? (usual.resolved.get(id) ?? end.at) : null,
    expectedTestStartAt: run?.testingSince ?? null,
    expectedTestEndAt: run?.endedAt ?? null,
    waitingBehind,
    basedOnRuns,
  };
};

const mergeAt = ({ ends }: Foresight, id: SubmissionId): Instant | null => {
  const end = ends.get(id);
  return end?.submission.state === 'merged' ? end.at : null;
};

/**
 * The reason for a submission that does not merge. While its failure is bisected, that is the reason of the failure.
 */
const notMerged = (submission: Submission, { failures }: Foresight): Estimate => {
  const isEnded = !isLive(submission);
  const reason = isEnded ? submission.reason : (failures.get(submission.id) ?? submission.reason);
  return unavailable(isEnded ? 'would_leave' : 'stuck', { why: reason === null ? '' : reasons[reason] });
};

const notReached = ({ world, isOutOfReach }: Foresight, id: SubmissionId): Estimate => {
  if (isOutOfReach)
    return unavailable('beyond_horizon', { hours: HORIZON_HOURS, decisions: FORECAST_DECISIONS_LIMIT });
  const { state, now } = world;
  const recalled = { submissions: [], targets: [] };
  const draft = new Draft(state, { now, seed: '', pace: world.pace, recalled });
  const submission = draft.submission(id);
  const waiting = submission === undefined ? null : explain(draft, submission);
  return unavailable('stuck', { why: waiting?.sentence ?? '' });
};
