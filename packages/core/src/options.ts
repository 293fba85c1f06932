import type { Pace } from './decide/context.js';
import type { Clock } from './ports/clock.js';
import type { CodeHost } from './ports/code-host.js';
import type { Logger } from './ports/logger.js';
import type { Store } from './ports/store.js';

/** What an embedder supplies. Nothing is started by it, and nothing is read or written before the first call. */
export interface MergeQueueOptions {
  readonly store: Store;
  /** The code hosts by the name that `repo.host` bears. */
  readonly hosts: Readonly<Record<string, CodeHost>>;
  /** The system's clock where left out. */
  readonly clock?: Clock;
  /** Silent where left out. */
  readonly logger?: Logger;
  /** How often the host is asked, and how failures of the machinery are retried. */
  readonly pace?: Partial<Pace>;
  /** Draws a UUID; the system's randomness where left out. Two processes on one store must not draw the same. */
  readonly uuid?: () => string;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (until, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, until - Date.now()));
      signal.addEventListener('abort', end);
    }),
};
