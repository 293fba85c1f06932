import type { Instant } from '../../model/ids.js';
import { heldByTrouble, type Queue } from '../../model/queue.js';
import { STANDSTILLS_LIMIT, type Standstill } from '../../model/standstill.js';
import type { Draft } from '../draft/draft.js';
import { unstamped } from '../draft/history-rows.js';

/** A shorter gap between two decisions is not a clock jump. */
const SHORTEST_JUMP_MS = 300_000;

/** Starts or ends the hold of the queue when its host stops or starts to answer. */
export const noteHold = (draft: Draft): void => {
  const { standstills } = draft.queue;
  const open = standstills.find(({ until }) => until === null);
  const isHeld = heldByTrouble(draft.queue) !== null;
  if (isHeld === (open !== undefined)) return;
  if (open === undefined) return addStandstill(draft, { cause: 'held', since: draft.now, until: null });
  const closed = standstills.map((one) => (one === open ? { ...one, until: draft.now } : one));
  draft.changeQueue({ standstills: closed });
};

/**
 * Tests go on while the clock jumps or no process decides, so that time is not charged to their deadlines. A queue with
 * running tests decides at least as often as it reads their checks.
 */
export const noteClockJump = (draft: Draft): void => {
  const { decidedAt } = draft.queue;
  const gapMs = draft.now - decidedAt;
  if (gapMs <= Math.max(10 * draft.context.pace.pollChecksMs, SHORTEST_JUMP_MS)) return;
  const underTest = draft.openRuns().filter(({ state }) => state === 'testing');
  if (underTest.length === 0 || heldByTrouble(draft.queue) !== null) return;
  addStandstill(draft, { cause: 'clock_jump', since: decidedAt, until: draft.now });
  const sentence = `The clock jumped by ${Math.round(gapMs / 60_000)} min between two decisions. The deadlines of open test runs (${underTest.length}) are extended by as much, by at most the testing timeout in total.`;
  draft.record({ ...unstamped, type: 'alarm', code: 'CLOCK_JUMPED', sentence });
};

const addStandstill = (draft: Draft, standstill: Standstill): void =>
  draft.changeQueue({ standstills: [...draft.queue.standstills, standstill].slice(-STANDSTILLS_LIMIT) });

/** A deadline of a test run or of one of its checks. Clock jumps extend it by at most the testing timeout in total. */
export const movedTestDeadline = (
  { queue, now }: { readonly queue: Pick<Queue, 'standstills' | 'settings'>; readonly now: Instant },
  { since, deadline }: Pick<Deadline, 'since' | 'deadline'>,
): Instant => {
  const { testingTimeoutMinutes } = queue.settings;
  const jumpLimitMs = testingTimeoutMinutes === 0 ? Number.POSITIVE_INFINITY : testingTimeoutMinutes * 60_000;
  return movedDeadline({ queue, now }, { since, deadline, jumpLimitMs });
};

/**
 * A deadline that runs since `since`, extended by each standstill on the way. Clock jumps extend it by at most
 * `jumpLimitMs` in total.
 */
export const movedDeadline = (
  { queue, now }: { readonly queue: Pick<Queue, 'standstills'>; readonly now: Instant },
  { since, deadline, jumpLimitMs, countsFreezes = false }: Deadline,
): Instant => {
  let [at, jumpMs, coveredUntil] = [deadline, jumpLimitMs, since];
  for (const { cause, since: from, until } of queue.standstills) {
    if (cause === 'freeze' && !countsFreezes) continue;
    const end = until ?? now;
    // A hold during a freeze is not counted twice.
    const ms = end - Math.max(from, coveredUntil);
    if (ms <= 0 || from >= at) continue;
    if (cause !== 'clock_jump') {
      at += ms;
      coveredUntil = end;
    } else {
      const counted = Math.min(ms, jumpMs);
      at += counted;
      jumpMs -= counted;
    }
  }
  return at;
};

interface Deadline {
  readonly since: Instant;
  readonly deadline: Instant;
  readonly jumpLimitMs: number;
  /** True if the deadline is extended by freezes as well. */
  readonly countsFreezes?: boolean;
}
