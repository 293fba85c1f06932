import type { MergeQueue, QueueRef } from '@mq/core';
import type { FastifyRequest } from 'fastify';
import type { Principal } from './auth.js';
import { unauthorized } from './errors.js';

/** A request without a token has no longer body. */
const ANONYMOUS_BODY_BYTES_LIMIT = 8_192;
/** A queue that is closed to the public is closed on every replica so long after. */
const KNOWN_MS = 500;
const KNOWN_LIMIT = 1_000;

/** The principal of a request without a token. It owns no repository: only `PublicReads` opens a queue to it. */
export const anonymous = (address: string): Principal => ({
  id: `anonymous/${address}`,
  name: 'anonymous',
  scopes: new Set(['read']),
  repositories: [],
  isAnonymous: true,
});

/** The anonymous principal, for a route that may open to it; null for every other request without a valid token. */
export const anonymousIn = ({ headers, routeOptions, ip }: FastifyRequest): Principal | null => {
  if (routeOptions.config.opensPublicly !== true || bringsToken(headers)) return null;
  const length = Number(headers['content-length'] ?? 0);
  const isSmall = headers['transfer-encoding'] === undefined && length <= ANONYMOUS_BODY_BYTES_LIMIT;
  return isSmall ? anonymous(ip) : null;
};

/** A wrong token is refused, and not taken for none. */
const bringsToken = (headers: FastifyRequest['headers']): boolean =>
  (headers['x-api-token'] ?? '') !== '' || (headers.authorization ?? '') !== '';

/** Which queues may be read without a token. */
export class PublicReads {
  readonly #known = new Map<string, { readonly until: number; readonly isPublic: Promise<boolean> }>();

  constructor(private readonly mq: Pick<MergeQueue, 'isPublic'>) {}

  /** Throws 401, the same for a queue that is not public and for none. */
  async require({ repo, targetBranch }: QueueRef): Promise<void> {
    if (!(await this.#isPublic({ repo, targetBranch }))) throw unauthorized();
  }

  #isPublic(ref: QueueRef): Promise<boolean> {
    const { host, owner, name } = ref.repo;
    const key = JSON.stringify([host, owner, name, ref.targetBranch]);
    const now = performance.now();
    const known = this.#known.get(key);
    if (known !== undefined && known.until > now) return known.isPublic;
    if (this.#known.size >= KNOWN_LIMIT) this.#known.clear();
    const isPublic = this.mq.isPublic(ref);
    isPublic.catch(() => this.#known.delete(key));
    this.#known.set(key, { until: now + KNOWN_MS, isPublic });
    return isPublic;
  }
}

/** As JSON, without what says which token did something. */
export const jsonWithoutTokens = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === 'tokenId' ? undefined : part));
