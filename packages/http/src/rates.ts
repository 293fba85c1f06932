import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tokenIn } from './auth.js';
import { HttpProblem, unauthorized } from './errors.js';

const WINDOW_MS = 60_000;
/** Max addresses and tokens that are counted; the least recently seen one is evicted. */
const COUNTED_LIMIT = 10_000;
/** IPv6 addresses are counted by networks of this prefix length, because one client usually has a whole one. */
const IPV6_SUBNET = 64;

/** Failed tries per minute with one token prefix at which an alarm is logged. They are not refused for it. */
const TRIES_PER_PREFIX = 20;
/** What `listTokens` shows as the prefix of a token. */
const prefixShape = /^mqt_[0-9A-Za-z]{4}/;

/** Max requests per minute and process. Behind a proxy, Fastify's `trustProxy` determines the client's address. */
export interface Rates {
  readonly perToken: number;
  readonly perAddress: number;
  /** Max reads of public queues without a token, per address. */
  readonly anonymous: number;
  /** Max requests with an invalid or missing token, or with a build of a fork in its place, per address. Requests with a valid token are not affected. */
  readonly failedTries: number;
}

export const recommendedRates: Rates = {
  perToken: 12_000,
  perAddress: 24_000,
  anonymous: 1_200,
  failedTries: 60,
};

export interface RateCounter {
  /** Counts a request with a valid token and sets the rate limit headers. Throws RATE_LIMITED beyond the limit. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts a read without a token. Throws RATE_LIMITED beyond the limit. */
  admitAnonymous(request: FastifyRequest): Promise<void>;
  /** Counts a build of a fork like a failed authentication: each one is a question to the code host. */
  admitForkBuild(request: FastifyRequest): Promise<void>;
  /**
   * Counts a failed authentication. Throws UNAUTHORIZED, or RATE_LIMITED beyond the limit. Many with one token prefix, from
   * whatever addresses, are logged as an alarm, once a minute.
   */
  refuse(request: FastifyRequest): Promise<never>;
}

/** Registers the limiter in this context. `tokenIdOf` names the token of a request that was authenticated. */
export const rateCounter = async (
  app: FastifyInstance,
  { perToken, perAddress, anonymous, failedTries }: Rates,
  tokenIdOf: (request: FastifyRequest) => string,
): Promise<RateCounter> => {
  await app.register(rateLimit, { global: false, cache: COUNTED_LIMIT, ipv6Subnet: IPV6_SUBNET });
  const limit = (max: number) => ({ max, timeWindow: WINDOW_MS, ipv6Subnet: IPV6_SUBNET });
  const ofToken = app.createRateLimit({ ...limit(perToken), keyGenerator: tokenIdOf });
  const ofAddress = app.createRateLimit(limit(perAddress));
  const ofAnonymous = app.createRateLimit(limit(anonymous));
  const ofTries = app.createRateLimit(limit(failedTries));
  const ofPrefix = app.createRateLimit({
    ...limit(TRIES_PER_PREFIX),
    keyGenerator: (request: FastifyRequest) => prefixIn(request) ?? '',
  });
  const raiseAlarm = async (request: FastifyRequest): Promise<void> => {
    const prefix = prefixIn(request);
    if (prefix === null) return;
    const found = await ofPrefix(request);
    if (found.isAllowed || found.isExceeded || found.remaining > 0) return;
    request.log.warn(
      { alarm: 'TOKEN_TRIES', prefix, address: request.ip },
      `${TRIES_PER_PREFIX} requests in a minute came with an invalid token that begins with ${prefix}. A client may use an ended token, or a token is being guessed. listTokens shows the tokens with this prefix.`,
    );
  };
  const countTry = async (request: FastifyRequest): Promise<void> => {
    const found = await ofTries(request);
    if (found.isAllowed || !found.isExceeded) return;
    throw new HttpProblem(
      'RATE_LIMITED',
      'Too many tries without a valid token from this address; a valid token is served at once.',
      { retryAfterSeconds: found.ttlInSeconds },
    );
  };
  return {
    admit: async (request, reply) => {
      for (const [name, count] of [
        ['token', ofToken],
        ['address', ofAddress],
      ] as const) {
        const found = await count(request);
        if (found.isAllowed) continue;
        if (name === 'token') reply.headers(headersOf(found));
        if (found.isExceeded)
          throw new HttpProblem('RATE_LIMITED', `Too many requests with this ${name}; nothing was done.`, {
            retryAfterSeconds: found.ttlInSeconds,
            headers: headersOf(found),
          });
      }
    },
    admitAnonymous: async (request) => {
      const found = await ofAnonymous(request);
      if (found.isAllowed || !found.isExceeded) return;
      throw new HttpProblem(
        'RATE_LIMITED',
        'Too many requests without a token from this address; nothing was done. Use a token.',
        { retryAfterSeconds: found.ttlInSeconds, headers: headersOf(found) },
      );
    },
    admitForkBuild: countTry,
    refuse: async (request) => {
      await raiseAlarm(request);
      await countTry(request);
      throw unauthorized();
    },
  };
};

const prefixIn = ({ headers }: FastifyRequest): string | null =>
  prefixShape.exec(tokenIn(headers) ?? '')?.[0] ?? null;

interface Counted {
  readonly max: number;
  readonly remaining: number;
  readonly ttlInSeconds: number;
}

/** The headers of draft-ietf-httpapi-ratelimit-headers. */
const headersOf = ({ max, remaining, ttlInSeconds }: Counted): Readonly<Record<string, string>> => ({
  'ratelimit-policy': `"default";q=${max};w=${WINDOW_MS / 1_000}`,
  ratelimit: `"default";r=${remaining};t=${ttlInSeconds}`,
});
