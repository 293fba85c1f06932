import type { Clock, Instant } from '@mq/core';

/** The default start of a virtual clock. */
export const VIRTUAL_START: Instant = Date.UTC(2026, 0, 1);

/** Turns of the event loop after which everything that was ready is assumed to have run. */
const IDLE_TURNS = 3;

/** A clock that moves only by `advance` and `advanceTo`. It uses no timers, so nothing outlives a test. */
export interface VirtualClock extends Clock {
  /** How many waits have neither ended nor been aborted. */
  readonly waiting: number;
  /** Advances by `ms` milliseconds; see `advanceTo`. */
  advance(ms: number): Promise<void>;
  /**
   * Advances to `instant` and ends each wait on the way at its own instant; waits for the same instant end in the order in
   * which they began. Everything that a wait triggers runs before the next wait ends. Concurrent calls run one after the
   * other. Rejects with a `RangeError` if `instant` is in the past.
   */
  advanceTo(instant: Instant): Promise<void>;
  /** When the next wait ends; null if there is none. */
  nextWaitAt(): Instant | null;
  /** Runs everything that is ready, without advancing the clock. */
  idle(): Promise<void>;
}

interface Wait {
  readonly until: Instant;
  readonly end: () => void;
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
      wait.end();
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
        const end = () => {
          waits.delete(wait);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const wait = { until, end };
        waits.add(wait);
        signal.addEventListener('abort', end, { once: true });
        // In a turn of its own: a loop that waits for a past instant must not starve other work.
        if (until <= now) setImmediate(end);
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
