import {
  COMMENTS_PER_READ,
  type HostAccount,
  type Instant,
  type LabelEvent,
  type RepoRef,
  repoKey,
} from '@mq/core';
import type { z } from 'zod';
import type { GiteaApi } from './api.js';
import { changedPullsShape, timelineShape } from './discussion-shapes.js';
import { isOfCandidate } from './drafts.js';
import { PAGE_SIZE } from './pulls.js';

/** Pages of pull requests, those changed last first, whose timelines are read. */
const CHANGED_PAGES_LIMIT = 4;
const TIMELINES_AT_ONCE = 4;
/**
 * Times are in whole seconds. A pull request that has shown the same time for this long gets no further change with
 * that time.
 */
const SETTLED_MS = 5_000;

interface CachedTimeline {
  readonly updatedAt: Instant;
  /** When this time of its change was first seen, by the clock of this process; the clock of the host may differ. */
  readonly seenAt: Instant;
  readonly since: Instant;
  readonly events: readonly LabelEvent[];
  readonly isSettled: boolean;
}

/**
 * The label events of repositories. The host lists label events by pull request only. So the timeline of each changed
 * pull request is read, and cached until it changes again. A poll costs one call per page of changed pull requests,
 * and two per change. Drafts of the queue's own account are left out: each test run would change one.
 */
export class LabelEvents {
  /** By repository and number. Only those of the last read. */
  readonly #cache = new Map<string, ReadonlyMap<number, CachedTimeline>>();

  constructor(
    private readonly api: GiteaApi,
    private readonly now: () => Instant,
    private readonly ownAccount: (repo: RepoRef) => Promise<HostAccount>,
  ) {}

  /** As `labelEventsSince` of `CommandHost`. `path`: `/repos/{owner}/{name}`. */
  async since(repo: RepoRef, path: string, since: Instant): Promise<readonly LabelEvent[]> {
    const key = repoKey(repo);
    const before = this.#cache.get(key);
    const readAt = this.now();
    const changed = await this.#changed(repo, path, since);
    const timelines = new Map<number, CachedTimeline>();
    for (let first = 0; first < changed.length; first += TIMELINES_AT_ONCE)
      await Promise.all(
        changed.slice(first, first + TIMELINES_AT_ONCE).map(async ({ number, updated_at: updatedAt }) => {
          const previous = before?.get(number);
          const isSame = previous?.updatedAt === updatedAt;
          if (isSame && previous.isSettled && previous.since <= since) return timelines.set(number, previous);
          const seenAt = isSame ? previous.seenAt : readAt;
          const events = await this.#timeline(path, number, since);
          const isSettled = events !== null && readAt - seenAt >= SETTLED_MS;
          return timelines.set(number, { updatedAt, seenAt, since, events: events ?? [], isSettled });
        }),
      );
    this.#cache.set(key, timelines);
    return [...timelines.values()]
      .flatMap(({ events }) => events)
      .filter(({ at }) => at >= since)
      .sort((one, other) => one.at - other.at || Number(one.id) - Number(other.id))
      .slice(0, COMMENTS_PER_READ);
  }

  async #changed(repo: RepoRef, path: string, since: Instant) {
    const changed = new Map<number, z.output<typeof changedPullsShape>['items'][number]>();
    for (let page = 1; page <= CHANGED_PAGES_LIMIT; page += 1) {
      const query = `state=all&sort=recentupdate&limit=${PAGE_SIZE}&page=${page}`;
      const pulls = await this.api.get(`${path}/pulls?${query}`, changedPullsShape);
      const { items = [], count = 0 } = pulls ?? {};
      for (const pull of items) if (pull.updated_at >= since) changed.set(pull.number, pull);
      if (count < PAGE_SIZE || items.some(({ updated_at: at }) => at < since)) break;
    }
    const all = [...changed.values()];
    if (!all.some(isOfCandidate)) return all;
    const { id } = await this.ownAccount(repo);
    return all.filter((pull) => !isOfCandidate(pull) || pull.user?.id !== id);
  }

  /** Returns null if the host has no timeline for it or fails on it, so that the timelines of the rest are still read. */
  async #timeline(path: string, pr: number, since: Instant): Promise<readonly LabelEvent[] | null> {
    const options = { statuses: [404, 500] };
    const query = `since=${encodeURIComponent(new Date(since).toISOString())}`;
    const { value } = await this.api.ask(`${path}/issues/${pr}/timeline?${query}`, timelineShape, options);
    if (value === null) return null;
    return value.flatMap((event) =>
      event.type === 'label'
        ? {
            ...{ id: String(event.id), pr, label: event.label.name, at: event.created_at },
            ...{ change: event.body === '' ? 'removed' : 'added', actor: event.user },
          }
        : [],
    );
  }
}
