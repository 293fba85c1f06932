import { mayLand, mayStart } from '../model/gates.js';
import type { Instant } from '../model/ids.js';
import { targetsAt } from '../model/impacted-targets.js';
import { type QueueStatus, statusOf } from '../model/queue.js';
import { readinessOf } from '../model/readiness.js';
import { takesSlot } from '../model/run.js';
import { isLive, type Submission } from '../model/submission.js';
import type { SubmissionView, Waiting } from '../model/view.js';
import { type WaitCode, waits } from '../model/waits.js';
import type { Draft } from './draft.js';
import { lineOf } from './line.js';

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
    sentence: sentence === null ? about : `${about} ${sentence}`,
    behindPr,
    untilAt: latest(draft, submission),
  };
};

const heldByStatus: Record<QueueStatus, WaitCode | null> = {
  running: null,
  paused: 'queue_paused',
  draining: 'queue_draining',
  switching_modes: 'queue_switching_modes',
};

/** Where the state of the queue holds somebody up, that is the nearest cause. */
const nearestCause = (draft: Draft, submission: Submission): WaitCode => {
  const own = submission.waitingFor ?? 'turn';
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
      return {
        ...nothingMore,
        sentence: code === 'mergeable' ? submission.pull.mergeabilityReason : submission.reasonDetail,
      };
    case 'turn':
      return turn(draft, submission);
    case 'conflict_ahead': {
      const holder = submission.heldBy === null ? undefined : draft.submission(submission.heldBy);
      return holder === undefined
        ? nothingMore
        : { sentence: `It is tried again once #${holder.pr} is decided.`, behindPr: holder.pr };
    }
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
  const line = lineOf(draft);
  const index = line.findIndex((one) => one.id === submission.id);
  const before = index > 0 ? line[index - 1] : undefined;
  const used = draft.liveRuns().filter(takesSlot).length;
  const slots = `${used} of ${draft.queue.settings.concurrency} slots are taken`;
  if (before === undefined) return { sentence: `${slots}; it is first in line.`, behindPr: null };
  return { sentence: `${slots}; ${index} ahead of it, #${before.pr} right before it.`, behindPr: before.pr };
};

const running = (draft: Draft, submission: Submission): string | null => {
  const run = draft.runsOf(submission).at(-1);
  if (run === undefined) return null;
  const open = run.requiredChecks.filter(
    (name) => !run.checks.some((check) => check.name === name && check.status === 'completed'),
  );
  const minutes = Math.floor((draft.now - (run.testingSince ?? run.createdAt)) / 60_000);
  return open.length === 0
    ? `They have been running for ${minutes} min.`
    : `Not done after ${minutes} min: ${open.join(', ')}.`;
};

/** The undecided ones that its run was built on; for a passed one also those that simply land before it. */
const ahead = (draft: Draft, submission: Submission): Detail => {
  const run = draft.runsOf(submission).at(-1);
  const below = run === undefined ? [] : run.stack.slice(run.landedCount);
  const numbers = below.map((member) => `#${member.pr}`);
  if (numbers.length === 0) return nothingMore;
  return { sentence: `Undecided ahead of it: ${numbers.join(', ')}.`, behindPr: below.at(-1)?.pr ?? null };
};

const latest = (draft: Draft, submission: Submission): Instant | null => {
  const { notReadyTimeoutHours } = draft.queue.settings;
  const since = submission.state === 'not_ready' ? submission.stateSince : submission.asideSince;
  if (since !== null) return notReadyTimeoutHours === 0 ? null : since + notReadyTimeoutHours * 3_600_000;
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
