import type { PresenceHost, PresenceStore } from '@mq/core';
import { memoryPresenceStore } from '@mq/store-memory';
import type { FakeRepository } from '@mq/testkit';
import type { Oracle } from '../oracle/oracle.js';
import { PresenceBook, wronglyShown } from '../oracle/presence.js';
import type { Weather } from '../weather.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

export interface PresenceParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly weather: () => Weather;
  readonly storeNow: () => number;
  readonly repository: FakeRepository;
  readonly oracle: () => Oracle;
}

/** What is shown at pull requests, in worlds that show it: the store of it, and a host whose writes are counted. */
export class Presence {
  readonly #store: PresenceStore;
  readonly #book = new PresenceBook();

  constructor(private readonly parts: PresenceParts) {
    this.#store = memoryPresenceStore({ clock: { now: parts.storeNow } });
  }

  store(): PresenceStore | null {
    const { weather, timeline, trace } = this.parts;
    if (!weather().isPresent) return null;
    return {
      ...this.#store,
      replace: async (row) => {
        const isDone = await this.#store.replace(row);
        if (row.failures > 0) trace.tally('presence: failed and retried');
        if (!isDone) trace.tally('presence: overtaken by another process');
        return isDone;
      },
      replaceBudget: async (budget) => {
        const isDone = await this.#store.replaceBudget(budget);
        if (isDone) this.#report(this.#book.paid(budget, timeline.now));
        return isDone;
      },
    };
  }

  host(host: PresenceHost): PresenceHost {
    const wrote = (what: string): void => {
      this.parts.trace.tally(`presence: ${what}`);
      this.#report(this.#book.wrote(what));
    };
    return {
      ...host,
      createComment: (ref, body) => {
        if (isOfPresence(body)) wrote('comment created');
        return host.createComment(ref, body);
      },
      editComment: (ref, id, body) => {
        if (isOfPresence(body)) wrote('comment edited');
        return host.editComment(ref, id, body);
      },
      removeComment: (...args) => {
        wrote('comment removed');
        return host.removeComment(...args);
      },
      setStatus: (...args) => {
        wrote('status set');
        return host.setStatus(...args);
      },
      changeLabels: (...args) => {
        wrote('labels changed');
        return host.changeLabels(...args);
      },
    };
  }

  /** Wrong content at pull requests once nothing changes any more. */
  unrest(): readonly string[] {
    const { weather, repository, oracle } = this.parts;
    if (!weather().isPresent) return [];
    return oracle().present.flatMap((mirror) => wronglyShown(repository, mirror));
  }

  /** Budgets are measured by the time of the store. */
  #report(faults: readonly string[]): void {
    const oracle = this.parts.oracle();
    if (!oracle.truth.isStoreClockSet) oracle.report('writes within the budget', faults);
  }
}

const isOfPresence = (body: string): boolean => /<!-- mq:(?:presence|notice) /.test(body);
