import type { EffectId, Instant } from './ids.js';

/**
 * A repeated read of the host. `asked` is the effect in progress; an answer to any other effect is stale. A read of
 * more pull requests than fit in one effect is split into successive parts.
 */
export interface Poll {
  readonly asked: EffectId | null;
  /** The number of the last requested pull request of a split read; null if no part follows. */
  readonly upTo: number | null;
  readonly askedAt: Instant;
  /** When the last answered read was requested. Absent before the first. */
  readonly answeredFrom?: Instant;
  readonly dueAt: Instant;
  /** `again`: to be repeated once it is answered, because something happened. `isHinted`: the host said so. */
  readonly again: boolean;
  readonly isHinted?: boolean;
  /** True if an idle queue got a pull request: no test starts before the next answer. Absent if not. */
  readonly isAwaited?: boolean;
  /** The pull requests to be read soon, because the host said that they changed. Absent if there are none. */
  readonly noticed?: readonly number[];
  /** True while only some are read: the next read of all is due as before. */
  readonly isPart?: boolean;
}

export interface Polls {
  readonly branch: Poll;
  readonly pullRequests: Poll;
  readonly checks: Poll;
}
