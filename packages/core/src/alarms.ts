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

/**
 * Alarms of which most are called off long before their time: one timer serves for all, so that each costs next to nothing. They
 * are to be set for about as long each: one that is to ring before many others has to find its place among them. A clock
 * that is set meanwhile makes no difference. While any is set, the process does not end by itself.
 */
export class Alarms {
  #first: Alarm | null = null;
  #last: Alarm | null = null;
  #timer: NodeJS.Timeout | null = null;
  #ringsAt = Number.POSITIVE_INFINITY;

  /** Calls `ring` once, after so long, unless the returned function is called before. What it throws, the timer throws. */
  set(afterMs: number, ring: () => void): () => void {
    const alarm: Alarm = { until: performance.now() + afterMs, ring, before: null, after: null, isSet: true };
    if (this.#first === null) this.#timer?.ref();
    this.#put(alarm);
    if (alarm.until < this.#ringsAt) this.#wait(alarm.until);
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

  #wait(until: number): void {
    clearTimeout(this.#timer ?? undefined);
    this.#ringsAt = until;
    const forMs = Math.max(0, until - performance.now());
    this.#timer = setTimeout(() => this.#ringDue(), Math.min(forMs, TIMER_LIMIT_MS));
  }

  #ringDue(): void {
    this.#timer = null;
    this.#ringsAt = Number.POSITIVE_INFINITY;
    try {
      while (this.#first !== null && this.#first.until <= performance.now()) {
        const { ring } = this.#first;
        this.#leave(this.#first);
        ring();
      }
    } finally {
      if (this.#first !== null && this.#first.until < this.#ringsAt) this.#wait(this.#first.until);
    }
  }
}
