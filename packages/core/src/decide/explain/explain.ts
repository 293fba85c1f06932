import { mayLand, mayStart } from '../../model/gates.js';
import type { Instant } from '../../model/ids.js';
import { targetsAt } from '../../model/impacted-targets.js';
import { type QueueStatus, statusOf } from '../../model/queue.js';
import { readinessOf } from '../../model/readiness.js';
import { remainingStack, takesSlot } from '../../model/run.js';
import { isLive, type Submission } from '../../model/submission.js';
import type { SubmissionView, Waiting } from '../../model/view.js';
import { type WaitCode, waits } from '../../model/waits.js';
import type { Draft } from '../draft.js';
import { readyByOf } from '../expire.js';
import { lineOf, placeInLine } from '../line.js';
import { STACK_LIMIT } from '../positions.js';
import { ownWait } from './own-wait.js';

/** A submission with everything that depends on its neighbours and on the hour. */
export const viewOf = (draft: Draft, submission: Submission): SubmissionView => ({
  submission,
  readiness: readinessOf(draft.queue, submission, targetsAt(draft.targets(submission.pr), submission.head)),
  runId: isLive(submission) ? (draft.runsOf(submission).at(-1)?.id ?? null) : null,
  waiting: explain(draft, submission),
});

/** Why it is not further on: the nearest cause first. Null in terminal states. */
export const explain = (draft: Draft, submission: Submission): Waiting | null => {
  if (!isLive(submission)) return null;
  const code = nearestCause(draft, submission);
  const { sentence, behindPr } = detail(draft, submission, code);
  const about = waits[code];
  return {
    code,
    sentence: [about, sentence, troubleOf(draft)].filter((part) => part !== null).join(' '),
    behindPr,
    untilAt: latest(draft, submission),
  };
};

/** What keeps the host from answering: nobody gets further without it, unless the queue itself stands. */
const troubleOf = (draft: Draft): string | null => {
  const { hostTrouble, wanted } = draft.queue;
  return hostTrouble === null || wanted === 'paused'
    ? null
    : `The code host does not answer: ${hostTrouble.message}`;
};

const heldByStatus: Record<QueueStatus, WaitCode | null> = {
  running: null,
  paused: 'queue_paused',
  draining: 'queue_draining',
  switching_modes: 'queue_switching_modes',
};

/** Where the state of the queue holds somebody up, that is the nearest cause. */
const nearestCause = (draft: Draft, submission: Submission): WaitCode => {
  const own = ownWait(draft, submission);
  if (own === 'turn' && isBeyondStack(draft, submission)) return 'stack_limit';
  const status = statusOf(draft.queue);
  const held = heldByStatus[status];
  if (held === null) return own;
  const waitsToStart = own === 'turn' || own === 'retry';
  const isHeldUp = waitsToStart
    ? !mayStart(status, submission.place !== null)
    : own === 'landing_turn' && !mayLand(status);
  return isHeldUp ? held : own;
};

interface Detail {
  readonly sentence: string | null;
  readonly behindPr: number | null;
}

const nothingMore: Detail = { sentence: null, behindPr: null };

const detail = (draft: Draft, submission: Submission, code: WaitCode): Detail => {
  switch (code) {
    case 'base_branch':
      return {
        ...nothingMore,
        sentence: `It wants to be merged into ${submission.pull.base}, this queue lands on ${draft.queue.branch}.`,
      };
    case 'mergeable':
    case 'retry':
    case 'host':
      return {
        ...nothingMore,
        sentence: code === 'mergeable' ? submission.pull.mergeabilityReason : submission.reasonDetail,
      };
    case 'turn':
      return turn(draft, submission);
    case 'change_ahead':
    case 'conflict_ahead': {
      const holder = submission.heldBy === null ? undefined : draft.submission(submission.heldBy);
      return holder === undefined
        ? nothingMore
        : { sentence: `It is tried again once #${holder.pr} is decided.`, behindPr: holder.pr };
    }
    case 'queued_checks':
    case 'checks':
      return { ...nothingMore, sentence: running(draft, submission) };
    case 'verdicts_ahead':
    case 'landing_turn':
      return ahead(draft, submission);
    case 'queue_paused':
    case 'queue_draining':
      return { ...nothingMore, sentence: draft.queue.statusReason?.sentence ?? null };
    default:
      return nothingMore;
  }
};

const turn = (draft: Draft, submission: Submission): Detail => {
  const index = placeInLine(draft, submission.id) ?? 0;
  const before = index > 0 ? lineOf(draft)[index - 1] : undefined;
  const slots = `${usedSlots(draft)} of ${draft.queue.settings.concurrency} slots are taken`;
  if (before === undefined) return { sentence: `${slots}; it is first in line.`, behindPr: null };
  return { sentence: `${slots}; ${index} ahead of it, #${before.pr} right before it.`, behindPr: before.pr };
};

const usedSlots = (draft: Draft): number =>
  draft.derived('slots', () => draft.liveRuns().filter(takesSlot).length);

/** With slots to spare, only the length of what it would be built on holds it up. */
const isBeyondStack = (draft: Draft, submission: Submission): boolean =>
  (placeInLine(draft, submission.id) ?? 0) >= STACK_LIMIT &&
  usedSlots(draft) < draft.queue.settings.concurrency;

const running = (draft: Draft, submission: Submission): string | null => {
  const run = draft.runsOf(submission).at(-1);
  if (run === undefined) return null;
  const open = run.requiredChecks.filter(
    (name) => !run.checks.some((check) => check.name === name && check.status === 'completed'),
  );
  const minutes = Math.floor((draft.now - (run.testingSince ?? run.createdAt)) / 60_000);
  const about =
    open.length === 0
      ? `They have been running for ${minutes} min.`
      : `Not done after ${minutes} min: ${open.join(', ')}.`;
  return run.deadlineAt === null ? `${about} There is no deadline, by setting.` : about;
};

/** The undecided ones that its run was built on; for a passed one also those that simply land before it. */
const ahead = (draft: Draft, submission: Submission): Detail => {
  const run = draft.runsOf(submission).at(-1);
  const below = run === undefined ? [] : remainingStack(run);
  const numbers = below.map((member) => `#${member.pr}`);
  if (numbers.length === 0) return nothingMore;
  return { sentence: `Undecided ahead of it: ${numbers.join(', ')}.`, behindPr: below.at(-1)?.pr ?? null };
};

const latest = (draft: Draft, submission: Submission): Instant | null => {
  if (submission.state === 'not_ready' || submission.asideSince !== null) return readyByOf(draft, submission);
  if (submission.state !== 'testing') return null;
  return draft.runsOf(submission).at(-1)?.deadlineAt ?? submission.retryAt;
};

/** The line as people are shown it: under test first, then waiting; and those that have not entered it. */
export const queueOrder = (
  draft: Draft,
): { enqueued: readonly Submission[]; notReady: readonly Submission[] } => ({
  enqueued: lineOf(draft),
  notReady: draft
    .liveSubmissions()
    .filter((submission) => submission.state === 'not_ready')
    .sort((one, other) => one.submittedAt - other.submittedAt || one.pr - other.pr),
});
