import type { Instant } from '../../model/ids.js';
import { type MovingBase, TEST_DURATIONS_LIMIT } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { unstamped } from '../draft/history-rows.js';
import { askSoon } from './polls.js';

/**
 * After this many test runs in a row that lost their base, the next one waits until the target has not moved for a
 * while.
 */
export const REBUILDS_LIMIT = 3;
const FIRST_STILL_MS = 30_000;
/** The longest wait while no test run has passed yet. */
const LONGEST_STILL_MS = 600_000;
/** Raises an alarm once the target has moved faster than test runs end for this long. */
const ALARM_AFTER_MS = 3_600_000;

/** Counts a push to the target from outside the queue, and the test runs that lost their base by it. */
export const noteForeignMove = (draft: Draft): void => {
  const { now } = draft;
  const previous: MovingBase = draft.queue.movingBase ?? neverMoved(now);
  const isRebuild = draft
    .openRuns()
    .some(({ purpose, state }) => purpose.kind === 'test' && state !== 'ended');
  const rebuilds = previous.rebuilds + Number(isRebuild);
  const counted = {
    ...previous,
    rebuilds,
    rebuildsSince: previous.rebuilds === 0 ? now : previous.rebuildsSince,
    movedAt: now,
    pushes: previous.pushes + 1,
  };
  const isTooFast = previous.pushes > 0 && isFasterThanTests(draft, counted);
  const movingBase = isTooFast ? counted : { ...counted, pushes: 1, pushesSince: now, isAlarmed: false };
  const isAlarmDue = isTooFast && !previous.isAlarmed && now - previous.pushesSince >= ALARM_AFTER_MS;
  draft.changeQueue({ movingBase: isAlarmDue ? { ...movingBase, isAlarmed: true } : movingBase });
  if (isAlarmDue) raiseAlarm(draft, movingBase);
};

const neverMoved = (now: Instant): MovingBase => ({
  rebuilds: 0,
  rebuildsSince: now,
  movedAt: now,
  pushes: 0,
  pushesSince: now,
  isAlarmed: false,
});

const meanGapOf = ({ pushes, pushesSince, movedAt }: MovingBase): number =>
  (movedAt - pushesSince) / Math.max(1, pushes - 1);

/**
 * True if the target moves faster than the median test run takes. Before the first pass there is no median: then it
 * is true once `REBUILDS_LIMIT` test runs in a row have lost their base, if at least that many pushes come per hour.
 */
const isFasterThanTests = (draft: Draft, movingBase: MovingBase): boolean => {
  const median = medianTestMs(draft);
  if (median === null && movingBase.rebuilds < REBUILDS_LIMIT) return false;
  return meanGapOf(movingBase) < (median ?? ALARM_AFTER_MS / REBUILDS_LIMIT);
};

const raiseAlarm = (draft: Draft, movingBase: MovingBase): void => {
  const { branch } = draft.queue;
  const median = medianTestMs(draft);
  const tests = median === null ? 'no test run has passed yet' : `a test run takes ${durationPhrase(median)}`;
  draft.record({
    ...unstamped,
    type: 'alarm',
    code: 'BASE_KEEPS_MOVING',
    sentence: `Nothing can land while \`${branch}\` is pushed to every ${durationPhrase(meanGapOf(movingBase))} (${tests}). Send these changes through the queue, or push them together and less often.`,
  });
};

const durationPhrase = (ms: number): string =>
  ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;

/** The median duration of the last passed test runs; null without any. */
const medianTestMs = ({ queue: { testDurations } }: Draft): number | null => {
  const sorted = testDurations.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
};

/** Notes that a test run ended while its base was still the tip. */
export const noteTestEnded = (
  draft: Draft,
  { purpose, outcome, testingSince, startedChecks }: TestRun,
): void => {
  const { movingBase, testDurations } = draft.queue;
  if (purpose.kind !== 'test') return;
  if (movingBase !== null && movingBase.rebuilds > 0)
    draft.changeQueue({ movingBase: { ...movingBase, rebuilds: 0 } });
  if (outcome !== 'passed' || testingSince === null || startedChecks.length === 0) return;
  const durations = [...testDurations, draft.now - testingSince].slice(-TEST_DURATIONS_LIMIT);
  draft.changeQueue({ testDurations: durations });
};

/** No candidate is started before this time, because the target keeps moving; null if it does not. */
export const targetStillAt = (draft: Draft): Instant | null => {
  const { movingBase } = draft.queue;
  if (movingBase === null || movingBase.rebuilds < REBUILDS_LIMIT) return null;
  const median = medianTestMs(draft);
  const longest = median === null ? LONGEST_STILL_MS : Math.floor(median / 4);
  return movingBase.movedAt + Math.min(FIRST_STILL_MS * 2 ** (movingBase.rebuilds - REBUILDS_LIMIT), longest);
};

/**
 * True if a candidate may start: the target does not keep moving, or a read shows that it has been still for long
 * enough.
 */
export const isTargetStill = (draft: Draft): boolean => {
  const startAt = targetStillAt(draft);
  if (startAt === null) return true;
  if (draft.now < startAt) {
    draft.wakeAt(startAt);
    return false;
  }
  const { target, polls } = draft.queue;
  if (target.readAt !== null && target.readAt >= startAt) return true;
  if (polls.branch.askedAt < startAt) askSoon(draft, 'branch');
  return false;
};
