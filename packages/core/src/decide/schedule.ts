import { commitMessage } from '../model/commit-message.js';
import type { TrialPart } from '../model/effect.js';
import { mayStart } from '../model/gates.js';
import type { RunId, Sha } from '../model/ids.js';
import { statusOf } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import { type Member, takesSlot } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { leave } from './leave.js';
import { memberOf, type Position, positions } from './positions.js';

/** A trial holds at most this many undecided submissions below its batch. */
export const STACK_LIMIT = 100;
/** Those left out that a run writes down; more of them are left out as well. */
const WITHOUT_LIMIT = 100;
/** A run is not begun on a tip that was read longer ago than this, or than two intervals. */
const FRESH_MS = 60_000;

/**
 * What to test next: from the front of the line on, as long as slots are free. Nothing starts before everybody stands in
 * the right place; where somebody has to leave instead, the others' places have to be seen to first.
 */
export const schedule = (draft: Draft): 'done' | 'somebody_left' => {
  const { head } = draft.queue.target;
  if (head === null || !isFresh(draft)) return 'done';
  let free = draft.queue.settings.concurrency - draft.liveRuns().filter(takesSlot).length;
  for (const position of positions(draft)) {
    if (free <= 0 || position.stack.length >= STACK_LIMIT) return 'done';
    if (!isWaiting(draft, position) || !mayBegin(draft, position.submission)) continue;
    const required = requiredChecksOf(draft.queue);
    if (required === null) {
      leave(draft, position.submission, 'failed', { reason: 'START_TEST_RUN_NO_REQUIRED_STATUSES' });
      return 'somebody_left';
    }
    start(draft, position, head, required.names);
    free -= 1;
  }
  return 'done';
};

/** After a time in which nobody was in the queue, nobody has looked where the target is. */
export const isFresh = (draft: Draft): boolean => {
  const { readAt } = draft.queue.target;
  return readAt !== null && draft.now - readAt <= Math.max(FRESH_MS, 2 * draft.context.pace.pollBranchMs);
};

/** In play, without a run, and not holding back after an outcome that was none. */
const isWaiting = (draft: Draft, { submission, isInPlay }: Position): boolean => {
  if (!isInPlay || (submission.state !== 'pending' && submission.state !== 'testing')) return false;
  if (draft.runsOf(submission).length > 0) return false;
  if (submission.retryAt === null || submission.retryAt <= draft.now) return true;
  draft.wakeAt(submission.retryAt);
  return false;
};

/** A test that was begun is brought to its end also while the queue drains; nothing at all starts while it is paused. */
const mayBegin = (draft: Draft, submission: Submission): boolean =>
  mayStart(statusOf(draft.queue), submission.place !== null);

const start = (draft: Draft, position: Position, base: Sha, required: readonly string[]): void => {
  const { submission, stack, without } = position;
  const runId = draft.newId<RunId>();
  const placed = draft.change(submission, {
    retryAt: null,
    place: submission.place ?? nextPlace(draft),
    message: submission.message ?? commitMessage(submission.pull, draft.queue.settings.mergeMethod),
  });
  if (placed.state === 'pending') draft.move(placed, 'testing', { reason: 'CAPACITY_AVAILABLE', runId });
  const batch = [memberOf(placed)];
  const method = draft.queue.settings.mergeMethod;
  const parts = [...stack, ...batch].map((member) => partOf(draft, member));
  const { branch } = draft.queue;
  draft.openRun({
    id: runId,
    batch,
    stack: [...stack],
    without: without.slice(0, WITHOUT_LIMIT),
    base,
    method,
    landedCount: 0,
    onto: base,
    state: 'building',
    outcome: null,
    decidedBy: null,
    failure: null,
    trial: null,
    checks: [],
    known: [],
    requiredChecks: required,
    startedChecks: [],
    createdAt: draft.now,
    testingSince: null,
    checksReadAt: null,
    deadlineAt: null,
    expired: null,
    endedAt: null,
    closedAt: null,
    closedBecause: null,
    building: draft.wish({ type: 'build_trial', runId, branch, base, parts, method }),
    starting: null,
  });
};

const nextPlace = (draft: Draft): number => {
  const lastPlace = draft.queue.lastPlace + 1;
  draft.changeQueue({ lastPlace });
  return lastPlace;
};

const partOf = (draft: Draft, { submissionId, pr, head }: Member): TrialPart => {
  const submission = draft.submission(submissionId);
  if (submission === undefined) throw new Error(`#${pr} is in a stack but not in the queue`);
  const message = submission.message ?? commitMessage(submission.pull, draft.queue.settings.mergeMethod);
  return { pr, head, message };
};
