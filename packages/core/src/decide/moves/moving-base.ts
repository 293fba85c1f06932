import type { Instant } from '../../model/ids.js';
import { type MovingBase, TEST_DURATIONS_LIMIT } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { unplaced } from '../draft/history-rows.js';
import { askSoon } from './polls.js';

/** After so many test runs in a row that lost their base, the next one waits until the target has been still. */
export const REBUILDS_LIMIT = 3;
const FIRST_STILL_MS = 30_000;
/** Where no test run has passed yet. */
const LONGEST_STILL_MS = 600_000;
/** An alarm tells of moves that come faster than test runs end once they have done so for this long. */
const ALARM_AFTER_MS = 3_600_000;

/** Counts a move of the target by others than the queue, and the test runs that it costs. */
export const noteForeignMove = (draft: Draft): void => {
  const { now } = draft;
  const before: MovingBase = draft.queue.movingBase ?? neverMoved(now);
  const isRebuild = draft
    .openRuns()
    .some(({ purpose, state }) => purpose.kind === 'test' && state !== 'ended');
  const rebuilds = before.rebuilds + Number(isRebuild);
  const counted = {
    ...before,
    rebuilds,
    rebuildsSince: before.rebuilds === 0 ? now : before.rebuildsSince,
    movedAt: now,
    pushes: before.pushes + 1,
  };
  const isTooFast = before.pushes > 0 && isFasterThanTests(draft, counted);
  const movingBase = isTooFast ? counted : { ...counted, pushes: 1, pushesSince: now, isAlarmed: false };
  const isToTell = isTooFast && !before.isAlarmed && now - before.pushesSince >= ALARM_AFTER_MS;
  draft.changeQueue({ movingBase: isToTell ? { ...movingBase, isAlarmed: true } : movingBase });
  if (isToTell) raiseAlarm(draft, movingBase);
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

/** Without a test run that has passed, what counts is that several in a row have lost their base within the hour. */
const isFasterThanTests = (draft: Draft, movingBase: MovingBase): boolean => {
  const median = medianTestMs(draft);
  if (median === null && movingBase.rebuilds < REBUILDS_LIMIT) return false;
  return meanGapOf(movingBase) < (median ?? ALARM_AFTER_MS / REBUILDS_LIMIT);
};

const raiseAlarm = (draft: Draft, movingBase: MovingBase): void => {
  const { branch } = draft.queue;
  const median = medianTestMs(draft);
  const tests = median === null ? 'no test run has passed yet' : `a test run takes ${spanOf(median)}`;
  draft.record({
    ...unplaced,
    type: 'alarm',
    code: 'BASE_KEEPS_MOVING',
    sentence: `Nothing can land while \`${branch}\` is pushed to every ${spanOf(meanGapOf(movingBase))} (${tests}). Send these changes through the queue, or push them together and less often.`,
  });
};

const spanOf = (ms: number): string =>
  ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;

/** The middle of how long the last test runs took that passed; null without any. */
const medianTestMs = ({ queue: { testDurations } }: Draft): number | null => {
  const sorted = testDurations.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
};

/** A test run has come to its end while its base was the tip. */
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

/** Before this no candidate is started on a target that keeps moving; null where that is no reason to wait. */
export const stillAt = (draft: Draft): Instant | null => {
  const { movingBase } = draft.queue;
  if (movingBase === null || movingBase.rebuilds < REBUILDS_LIMIT) return null;
  const median = medianTestMs(draft);
  const longest = median === null ? LONGEST_STILL_MS : Math.floor(median / 4);
  return movingBase.movedAt + Math.min(FIRST_STILL_MS * 2 ** (movingBase.rebuilds - REBUILDS_LIMIT), longest);
};

/** True where a candidate on the tip may start: it does not keep moving, or was read after it had been still for long enough. */
export const isStill = (draft: Draft): boolean => {
  const at = stillAt(draft);
  if (at === null) return true;
  if (draft.now < at) {
    draft.wakeAt(at);
    return false;
  }
  const { target, polls } = draft.queue;
  if (target.readAt !== null && target.readAt >= at) return true;
  if (polls.branch.askedAt < at) askSoon(draft, 'branch');
  return false;
};
