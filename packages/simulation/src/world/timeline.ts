import type { Instant } from '@mq/core';
import { VIRTUAL_START } from '@mq/testkit';

interface Happening {
  readonly at: Instant;
  readonly order: number;
  readonly happen: () => void;
}

/** Events at one instant after which the simulation counts as stuck. */
const EVENTS_PER_INSTANT = 20_000;

/** Virtual time: scheduled events in order. Everything that one event triggers runs before the next event. */
export class Timeline {
  now: Instant = VIRTUAL_START;
  events = 0;
  #heap: Happening[] = [];
  #order = 0;
  #sameInstant = 0;

  get isStuck(): boolean {
    return this.#sameInstant > EVENTS_PER_INSTANT;
  }

  after(ms: number, happen: () => void): void {
    this.at(this.now + ms, happen);
  }

  /** Schedules an event; an instant in the past means now. Events of one instant run in the order of their scheduling. */
  at(instant: Instant, happen: () => void): void {
    this.#order += 1;
    this.#push({ at: Math.max(instant, this.now), order: this.#order, happen });
  }

  /** Runs until the instant is reached, no event is left, or `isOver` is true after an event. */
  async runUntil(instant: Instant, isOver: () => boolean): Promise<void> {
    // Inside a callback of Node itself, ticks run before promises; from the next turn on they run after them.
    await turn();
    while (!isOver() && !this.isStuck) {
      const next = this.#heap[0];
      if (next === undefined || next.at > instant) break;
      this.#pop();
      this.#sameInstant = next.at === this.now ? this.#sameInstant + 1 : 0;
      this.now = next.at;
      this.events += 1;
      next.happen();
      await turn();
    }
    if (!isOver() && !this.isStuck) this.now = Math.max(this.now, instant);
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let index = heap.push(happening) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, happening)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = happening;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isRight = other !== undefined && isBefore(other, one);
      const child = isRight ? other : one;
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = isRight ? left + 1 : left;
    }
    heap[index] = last;
  }
}

const isBefore = (one: Happening, other: Happening): boolean =>
  one.at !== other.at ? one.at < other.at : one.order < other.order;

/** Between two calls the engine waits only on promises: after one tick all of them have continued. */
const turn = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
