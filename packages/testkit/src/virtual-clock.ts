import type { Clock, Instant } from '@mq/core';

/** Where a virtual clock starts when nothing else is said. */
export const VIRTUAL_START: Instant = Date.UTC(2026, 0, 1);

/** Turns of the event loop that count as "everything that was ready has run". */
const IDLE_TURNS = 3;

/** Time that passes only when it is told to. It uses no timers, so nothing of it outlives a test. */
export interface VirtualClock extends Clock {
  /** How many waits have neither come nor been aborted. */
  readonly waiting: number;
  /** Moves on by so many milliseconds; see `advanceTo`. */
  advance(ms: number): Promise<void>;
  /**
   * Moves to `instant`, stopping at each wait on the way, those of one instant in the order in which they began. What a
   * wait sets off runs before the next one comes. A second call waits for the first. Rejects where `instant` has passed.
   */
  advanceTo(instant: Instant): Promise<void>;
  /** When the next wait comes; null when nobody waits. */
  nextWaitAt(): Instant | null;
  /** Lets everything run that is ready at this instant. Time stands still. */
  idle(): Promise<void>;
}

interface Wait {
  readonly until: Instant;
  readonly come: () => void;
}

export const virtualClock = (start: Instant = VIRTUAL_START): VirtualClock => {
  const waits = new Set<Wait>();
  let now = start;
  let moving: Promise<void> = Promise.resolve();

  const earliest = (): Wait | null => {
    let first: Wait | null = null;
    for (const wait of waits) if (first === null || wait.until < first.until) first = wait;
    return first;
  };

  const move = async (instant: Instant): Promise<void> => {
    if (!(instant >= now)) throw new RangeError(`${instant} is not after ${now}; time does not go back.`);
    await idle();
    for (;;) {
      const wait = earliest();
      if (wait === null || wait.until > instant) break;
      now = Math.max(now, wait.until);
      wait.come();
      await idle();
    }
    now = instant;
    await idle();
  };

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const moved = moving.then(work);
    moving = moved.catch(() => undefined);
    return moved;
  };

  return {
    get waiting() {
      return waits.size;
    },
    now: () => now,
    wait: (until, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const come = () => {
          waits.delete(wait);
          signal.removeEventListener('abort', come);
          resolve();
        };
        const wait = { until, come };
        waits.add(wait);
        signal.addEventListener('abort', come, { once: true });
        // In a turn of its own: a loop that waits for the past must not starve everybody else.
        if (until <= now) setImmediate(come);
      }),
    advance: (ms) => inTurn(() => move(now + ms)),
    advanceTo: (instant) => inTurn(() => move(instant)),
    nextWaitAt: () => earliest()?.until ?? null,
    idle,
  };
};

const idle = async (): Promise<void> => {
  for (let turn = 0; turn < IDLE_TURNS; turn += 1)
    await new Promise<void>((resolve) => setImmediate(resolve));
};
