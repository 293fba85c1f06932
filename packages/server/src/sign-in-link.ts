import { randomBytes, timingSafeEqual } from 'node:crypto';
import { bootstrapHolder, type TokenKeeper } from '@mq/core';
import { HttpProblem } from '@mq/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopback } from './config.js';

/** How long a link can be opened, once. */
export const SIGN_IN_LINK_MS = 5 * 60_000;
/** How long the token from a link is valid. */
export const SIGN_IN_TOKEN_MS = 12 * 3_600_000;
/** Where the page exchanges the code. */
export const SIGN_IN_PATH = '/sign-in';
const CODE_BYTES = 16;
const BODY_BYTES_LIMIT = 1_024;

/** A code that a page exchanges for a token of its own. It is held in memory only, and never logged. */
export interface SignInLink {
  /** Makes the link, which replaces one that was made before. The code is in the fragment, which browsers send to no server. */
  make(url: string): string;
  /** True once for the code of the link, and within `SIGN_IN_LINK_MS`. */
  redeem(code: string): boolean;
}

export const signInLink = (now: () => number = () => performance.now()): SignInLink => {
  let open: { readonly code: Buffer; readonly until: number } | null = null;
  return {
    make: (url) => {
      const code = randomBytes(CODE_BYTES);
      open = { code, until: now() + SIGN_IN_LINK_MS };
      return `${url}/#code=${code.toString('base64url')}`;
    },
    redeem: (text) => {
      const given = Buffer.from(text, 'base64url');
      if (open === null || given.length !== CODE_BYTES || !timingSafeEqual(given, open.code)) return false;
      const isInTime = now() <= open.until;
      open = null;
      return isInTime;
    },
  };
};

/** Whether the start prints a link: only to a person at a terminal, and only if no other machine reaches the server. */
export const offersSignIn = (asked: {
  readonly host: string;
  readonly isTerminal: boolean;
  readonly ci: string | undefined;
}): boolean => isLoopback(asked.host) && asked.isTerminal && (asked.ci ?? '') === '';

export interface SignInParts {
  readonly link: SignInLink;
  readonly tokens: Pick<TokenKeeper, 'create'>;
  /** The address that the server listens at, as it is configured. */
  readonly host: string;
  readonly now?: () => number;
}

/** Exchanges the code of the link. Every refusal is the same 401. */
export const addSignIn = (
  app: FastifyInstance,
  { link, tokens, host, now = Date.now }: SignInParts,
): void => {
  app.post(SIGN_IN_PATH, { bodyLimit: BODY_BYTES_LIMIT }, async (request, reply) => {
    const code = codeIn(request.body);
    if (!isLoopback(host) || !isFromThisMachine(request) || code === null || !link.redeem(code))
      throw refused();
    const made = await tokens.create(bootstrapHolder, {
      name: 'page, signed in by the printed link',
      scopes: [...bootstrapHolder.scopes],
      expiresAt: now() + SIGN_IN_TOKEN_MS,
    });
    request.log.info(
      { tokenId: made.token.id },
      'a page signed in with the link that was printed at the start',
    );
    return reply.header('cache-control', 'no-store').send({
      token: made.text,
      expiresAt: new Date(now() + SIGN_IN_TOKEN_MS).toISOString(),
    });
  });
};

const codeIn = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
    ? body.code
    : null;

const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\]):(\d{1,5})$/i;
const loopbackAddress = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
/** Headers that a proxy sets and a browser does not. A proxy on this machine has a loopback address too. */
const forwarding = /^(?:forwarded|via|x-forwarded.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/i;

/**
 * Checks the connection, a `Host` that no other site can have, that no proxy is in between, and that no page of
 * another origin asks.
 */
const isFromThisMachine = ({ raw, headers }: FastifyRequest): boolean => {
  const { socket } = raw;
  const { host = '', origin } = headers;
  const port = loopbackHost.exec(host)?.[1];
  const isForwarded = raw.rawHeaders.some((name, index) => index % 2 === 0 && forwarding.test(name));
  return (
    !isForwarded &&
    loopbackAddress.test(socket.remoteAddress ?? '') &&
    port !== undefined &&
    Number(port) === socket.localPort &&
    headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json' &&
    (origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`)
  );
};

const refused = (): HttpProblem =>
  new HttpProblem(
    'UNAUTHORIZED',
    'This link does not sign in: it was used, is older than 5 minutes, or was not opened on the machine of the server. Enter a token, or start the server again for another link.',
  );
