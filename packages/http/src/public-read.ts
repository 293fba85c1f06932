import { branchKey, type MergeQueue, type QueueRef } from '@mq/core';
import type { FastifyRequest } from 'fastify';
import { bringsToken, type Principal } from './auth.js';
import { unauthorized } from './errors.js';

/** Max size of the body of a request without a token. */
const ANONYMOUS_BODY_BYTES_LIMIT = 8_192;
/** TTL of the cache of public queues: how long a replica may still show a queue that has become private. */
const CACHE_MS = 500;
const CACHE_LIMIT = 1_000;

/** The principal of a request without a token. It may use no repository; only `PublicReads` gives it access to a queue. */
export const anonymous = (address: string): Principal => ({
  id: `anonymous/${address}`,
  name: 'anonymous',
  scopes: new Set(['read']),
  repositories: [],
  isAnonymous: true,
});

/** The anonymous principal, if the route allows it and the request has no token and a small body; else null. */
export const anonymousIn = ({ headers, routeOptions, ip }: FastifyRequest): Principal | null => {
  if (routeOptions.config.opensPublicly !== true || bringsToken(headers)) return null;
  const length = Number(headers['content-length'] ?? 0);
  const isSmall = headers['transfer-encoding'] === undefined && length <= ANONYMOUS_BODY_BYTES_LIMIT;
  return isSmall ? anonymous(ip) : null;
};

/** Decides which queues may be read without a token. Cached for `CACHE_MS`. */
export class PublicReads {
  readonly #cache = new Map<string, { readonly until: number; readonly isPublic: Promise<boolean> }>();

  constructor(private readonly mq: Pick<MergeQueue, 'isPublic'>) {}

  /** Throws 401 unless the queue is public. The error does not reveal whether the queue exists. */
  async require({ repo, targetBranch }: QueueRef): Promise<void> {
    if (!(await this.#isPublic({ repo, targetBranch }))) throw unauthorized();
  }

  #isPublic(ref: QueueRef): Promise<boolean> {
    const key = branchKey(ref.repo, ref.targetBranch);
    const now = performance.now();
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.until > now) return cached.isPublic;
    if (this.#cache.size >= CACHE_LIMIT) this.#cache.clear();
    const isPublic = this.mq.isPublic(ref);
    isPublic.catch(() => this.#cache.delete(key));
    this.#cache.set(key, { until: now + CACHE_MS, isPublic });
    return isPublic;
  }
}
