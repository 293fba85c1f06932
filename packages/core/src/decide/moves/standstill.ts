import type { Instant } from '../../model/ids.js';
import { heldByTrouble, type Queue } from '../../model/queue.js';
import { STANDSTILLS_LIMIT, type Standstill } from '../../model/standstill.js';
import type { Draft } from '../draft/draft.js';
import { unplaced } from '../draft/history-rows.js';

/** A gap between two decisions that is shorter than this is no jump of the clock. */
const SHORTEST_JUMP_MS = 300_000;

/** Begins or ends the hold of a queue as its host stops and starts to answer. */
export const noteHold = (draft: Draft): void => {
  const { standstills } = draft.queue;
  const open = standstills.find(({ until }) => until === null);
  const isHeld = heldByTrouble(draft.queue) !== null;
  if (isHeld === (open !== undefined)) return;
  if (open === undefined) return add(draft, { cause: 'held', since: draft.now, until: null });
  const closed = standstills.map((one) => (one === open ? { ...one, until: draft.now } : one));
  draft.changeQueue({ standstills: closed });
};

/**
 * Tests go on while the clock jumps, or no process decides: what passes in so long a gap is not charged to them. A queue
 * whose tests run decides at least as often as it reads their checks.
 */
export const noteClockJump = (draft: Draft): void => {
  const { decidedAt } = draft.queue;
  const gapMs = draft.now - decidedAt;
  if (gapMs <= Math.max(10 * draft.context.pace.pollChecksMs, SHORTEST_JUMP_MS)) return;
  const tested = draft.openRuns().filter(({ state }) => state === 'testing');
  if (tested.length === 0 || heldByTrouble(draft.queue) !== null) return;
  add(draft, { cause: 'clock_jump', since: decidedAt, until: draft.now });
  const sentence = `The clock went on by ${Math.round(gapMs / 60_000)} min between two decisions: the deadlines of open test runs (${tested.length}) are moved by as much, by at most the testing timeout in total.`;
  draft.record({ ...unplaced, type: 'alarm', code: 'CLOCK_JUMPED', sentence });
};

const add = (draft: Draft, standstill: Standstill): void =>
  draft.changeQueue({ standstills: [...draft.queue.standstills, standstill].slice(-STANDSTILLS_LIMIT) });

/** When a time that runs since then is over: later by every standstill on the way. Jumps of the clock count up to the limit in total. */
export const movedDeadline = (
  { queue, now }: { readonly queue: Pick<Queue, 'standstills'>; readonly now: Instant },
  { since, deadline, jumpLimitMs, countsFreezes = false }: Time,
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

interface Time {
  readonly since: Instant;
  readonly deadline: Instant;
  readonly jumpLimitMs: number;
  /** Whether it stands still during a freeze as well. */
  readonly countsFreezes?: boolean;
}
