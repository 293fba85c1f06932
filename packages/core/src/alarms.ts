/** One of a list in the order of time. What has left it names nobody: else each would keep whoever came after it. */
interface Alarm {
  readonly until: number;
  readonly ring: () => void;
  before: Alarm | null;
  after: Alarm | null;
  isSet: boolean;
}

/** Node's timers wait for no longer, and ring at once instead. */
const TIMER_LIMIT_MS = 2 ** 31 - 1;

export interface AlarmsOptions {
  /** Whether the process goes on while any is set. True where left out. */
  readonly keepsProcess?: boolean;
}

/**
 * Alarms of which most are called off long before their time: one timer serves for all, so that each costs next to nothing. They
 * are to be set for about as long each: one that is to ring before many others has to find its place among them. A clock
 * that is set meanwhile makes no difference.
 */
export class Alarms {
  readonly #keepsProcess: boolean;
  #first: Alarm | null = null;
  #last: Alarm | null = null;
  #timer: NodeJS.Timeout | null = null;
  #ringsAt = Number.POSITIVE_INFINITY;

  constructor({ keepsProcess = true }: AlarmsOptions = {}) {
    this.#keepsProcess = keepsProcess;
  }

  /**
   * Calls `ring` once, after so long, unless the returned function is called before; what is no time to wait for is none. What it
   * throws, the timer throws.
   */
  set(afterMs: number, ring: () => void): () => void {
    const now = performance.now();
    const until = now + Math.max(0, afterMs || 0);
    const alarm: Alarm = { until, ring, before: null, after: null, isSet: true };
    if (this.#first === null && this.#keepsProcess) this.#timer?.ref();
    this.#put(alarm);
    // A timer that is late may never come, as where it was a test's that has put the time back meanwhile.
    if (until < this.#ringsAt || this.#ringsAt < now) this.#waitForFirst();
    return () => {
      if (!alarm.isSet) return;
      this.#leave(alarm);
      // Most lists are empty again and again: the timer is kept for the next one.
      if (this.#first === null) this.#timer?.unref();
    };
  }

  #put(alarm: Alarm): void {
    let before = this.#last;
    while (before !== null && before.until > alarm.until) before = before.before;
    alarm.before = before;
    alarm.after = before === null ? this.#first : before.after;
    if (alarm.before === null) this.#first = alarm;
    else alarm.before.after = alarm;
    if (alarm.after === null) this.#last = alarm;
    else alarm.after.before = alarm;
  }

  #leave(alarm: Alarm): void {
    if (alarm.before === null) this.#first = alarm.after;
    else alarm.before.after = alarm.after;
    if (alarm.after === null) this.#last = alarm.before;
    else alarm.after.before = alarm.before;
    alarm.before = null;
    alarm.after = null;
    alarm.isSet = false;
  }

  #waitForFirst(): void {
    if (this.#first === null) return;
    clearTimeout(this.#timer ?? undefined);
    const now = performance.now();
    const forMs = Math.min(Math.max(0, this.#first.until - now), TIMER_LIMIT_MS);
    this.#ringsAt = now + forMs;
    this.#timer = setTimeout(() => this.#ringDue(), forMs);
    if (!this.#keepsProcess) this.#timer.unref();
  }

  /** What is set meanwhile waits for the next timer, so that one that sets another leaves time to all else. */
  #ringDue(): void {
    const now = Math.max(this.#ringsAt, performance.now());
    this.#timer = null;
    this.#ringsAt = Number.POSITIVE_INFINITY;
    const due: Alarm[] = [];
    for (let one = this.#first; one !== null && one.until <= now; one = one.after) due.push(one);
    try {
      for (const alarm of due) {
        if (!alarm.isSet) continue;
        this.#leave(alarm);
        alarm.ring();
      }
    } finally {
      if (this.#first !== null && this.#first.until < this.#ringsAt) this.#waitForFirst();
    }
  }
}
