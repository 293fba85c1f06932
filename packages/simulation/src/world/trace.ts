import { createHash } from 'node:crypto';
import { VIRTUAL_START } from '@mq/testkit';
import type { Timeline } from './timeline.js';

/** A log of all events. Keeps only its digest, unless `keepsLines`. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #lines: string[] = [];
  readonly #counts = new Map<string, number>();
  count = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly keepsLines: boolean,
  ) {}

  say(who: string, what: string): void {
    const line = `${this.timeline.now - VIRTUAL_START} ${who} ${what}\n`;
    this.#hash.update(line);
    this.count += 1;
    if (this.keepsLines) this.#lines.push(line);
  }

  /** Counts a fault, or an event that every long run must show. */
  tally(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
