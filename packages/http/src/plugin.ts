import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Actor, MergeQueue, QueueRef, RepoRef, Scope, TokenKeeper, WebhookKeeper } from '@mq/core';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { andThen, reasonIn } from './and-then.js';
import { ANSWER_LIMIT_MS, answerLimit } from './answer-limit.js';
import {
  type Authenticate,
  authenticated,
  type Principal,
  refuseReportToken,
  requireRepository,
  scopeMissing,
  tokenIn,
  tokenOf,
  withReportTokens,
} from './auth.js';
import { readJsonOnly, requireJson } from './body.js';
import type { ServiceDiagnosis } from './diagnose.js';
import { stopDiscardingInput } from './discard-input.js';
import { HttpProblem, unauthorized } from './errors.js';
import {
  type FindBuild,
  type ForkUpload,
  ForkUploads,
  forkBuildIn,
  requireForkBuild,
} from './fork-builds.js';
import { addGetRoutes, isGetRoute } from './get-routes.js';
import { idempotencyOf } from './idempotency.js';
import { ifMatchOf } from './if-match.js';
import { json } from './json-answer.js';
import { isLarge, LargeBodies, senderOf } from './large-bodies.js';
import type { Ask, Operation } from './operation.js';
import { markAnswer, sendProblem } from './problem-reply.js';
import { anonymousIn, PublicReads } from './public-read.js';
import { PullRequestChanges } from './pull-request-changes.js';
import { type Rates, rateCounter } from './rates.js';
import { answerForNode } from './refuse-connection.js';
import { operations } from './routes.js';
import type { WithWarnings } from './schemas/warnings.js';
import { warningsOfUnknown } from './unknown-fields.js';
import { valid } from './valid.js';
import { type WaitKind, Waits } from './waits.js';
import { whenClosed } from './when-closed.js';

/** The property of a request that holds its principal. */
const asker = Symbol('the principal of a request');

declare module 'fastify' {
  interface FastifyRequest {
    [asker]?: Principal | null;
  }
  interface FastifyContextConfig {
    /** The scope that the route requires. */
    readonly scope?: Scope | null;
    readonly plainTextErrors?: boolean;
    /** True if a queue with `publicRead` needs no token. */
    readonly opensPublicly?: boolean;
    readonly takesReportTokens?: boolean;
    readonly takesForkBuilds?: boolean;
  }
}

export interface MergeQueueApiOptions {
  readonly mq: MergeQueue;
  readonly authenticate: Authenticate;
  /** If omitted, createToken and the other operations on tokens answer 404. */
  readonly tokens?: TokenKeeper | null;
  /** If omitted, createWebhook and the other operations on webhooks answer 404. */
  readonly webhooks?: WebhookKeeper | null;
  /** If omitted, `diagnose` reports nothing about the serving program. */
  readonly service?: ServiceDiagnosis | null;
  /** The time that this caller must wait; null if it is not limited. Called before the body is read. */
  readonly rateLimit?: (
    principal: Principal,
    request: FastifyRequest,
  ) => Promise<RateLimited | null> | RateLimited | null;
  /** Rate limits per token and per address, and of failed authentication. No limits by default. */
  readonly rates?: Rates;
  /** Why requests cannot be served now, e.g. during start-up; null if they can. */
  readonly unavailable?: () => string | null;
  /**
   * Turns the address of a check's log into one that a browser can open for some minutes, for callers with the scope
   * `read`. If omitted, the address of the code host is shown.
   */
  readonly logLink?: (url: string) => string;
  /**
   * Shows builds of the code hosts, so that a build of a fork uploads its impacted targets without a token, by its id in
   * `x-forked-workflow-run-id`. If omitted, every upload needs a token.
   */
  readonly findBuild?: FindBuild;
  /** Timeout after which 503 is answered; 140 s by default. A retry with the same Idempotency-Key gets the outcome. */
  readonly answerLimitMs?: number;
}

export interface RateLimited {
  readonly retryAfterSeconds: number;
}

/**
 * The whole /v1 API as one encapsulated plugin: `app.register(mergeQueueApi, { mq, authenticate, prefix: '/v1' })`.
 * It has one effect outside its prefix: CONNECT and an unknown `Expect`, which reach no route, are refused with a code.
 * Give the server `recommendedServerOptions` too: a plugin cannot set timeouts.
 */
export const mergeQueueApi: FastifyPluginAsync<MergeQueueApiOptions> = async (app, given) => {
  const options = {
    ...given,
    authenticate: withReportTokens(given.mq, given.tokens ?? null, given.authenticate),
  };
  if (!app.hasRequestDecorator(asker)) app.decorateRequest(asker, null);
  const largeBodies = new LargeBodies();
  const forkUploads = new ForkUploads();
  const waits = new Waits();
  const publicReads = new PublicReads(given.mq);
  const changes = new PullRequestChanges(given.mq);
  const closing = new AbortController();
  // Each stream adds a listener, and there may be many.
  setMaxListeners(0, closing.signal);
  app.addHook('preClose', async () => {
    closing.abort();
    stopDiscardingInput(app.server);
  });
  answerForNode(app.server);

  const limitAnswer = answerLimit(options.answerLimitMs ?? ANSWER_LIMIT_MS);
  readJsonOnly(app);
  app.setErrorHandler((error, request, reply) => {
    // A hook of the server may have refused the request before our hook marked the answer.
    markAnswer(request, reply);
    return sendProblem(error, request, reply, request.log);
  });
  if (app.prefix !== '') app.setNotFoundHandler(refuseUnknown(app));

  const admit = (
    request: FastifyRequest,
    principal: Principal,
  ): Promise<RateLimited | null> | RateLimited | null => {
    if (request.is404) return refuseUnknown(app)(request);
    requireService(closing.signal.aborted ? 'The service is stopping.' : (options.unavailable?.() ?? null));
    const { scope, takesReportTokens = false } = request.routeOptions.config;
    if (scope != null && !principal.scopes.has(scope)) throw scopeMissing(scope, pathOf(request));
    if (!takesReportTokens) refuseReportToken(principal);
    return options.rateLimit?.(principal, request) ?? null;
  };
  const letIn = (
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
    limited: RateLimited | null,
  ) => {
    if (limited !== null) throw tooMany(limited);
    if (request.method === 'POST') requireJson(request);
    if (principal.forkBuild !== undefined) whenClosed(reply, forkUploads.enter(request.ip));
    return isLarge(request) ? makeRoom(reply, principal) : undefined;
  };
  const makeRoom = async (reply: FastifyReply, principal: Principal): Promise<void> => {
    whenClosed(reply, await largeBodies.enter(senderOf(principal)));
  };
  const rates =
    options.rates === undefined
      ? null
      : await rateCounter(app, options.rates, (request) => principalIn(request)?.id ?? '');
  const counted = (request: FastifyRequest, reply: FastifyReply, principal: Principal) => {
    request[asker] = principal;
    if (principal.isAnonymous === true) return rates?.admitAnonymous(request);
    if (principal.forkBuild !== undefined) return rates?.admitForkBuild(request);
    return rates?.admit(request, reply);
  };
  const entered = (request: FastifyRequest, reply: FastifyReply): Promise<void> | void => {
    const token = tokenIn(request.headers);
    const found = token === null ? withoutToken(request) : options.authenticate(token);
    return andThen(found, (principal) => {
      if (principal === null) return rates === null ? refuseToken() : rates.refuse(request);
      return andThen(counted(request, reply, principal), () =>
        andThen(admit(request, principal), (limited) => letIn(request, reply, principal, limited)),
      );
    });
  };
  // Synchronous where possible: a promise per step would cost more than the steps.
  app.addHook('onRequest', (request, reply, done) => {
    limitAnswer(reply);
    markAnswer(request, reply);
    const refuse = (error: unknown): void => done(reasonIn(error));
    let admitted: Promise<void> | void;
    try {
      admitted = entered(request, reply);
    } catch (error) {
      return refuse(error);
    }
    if (admitted === undefined) done();
    else admitted.then(() => done(), refuse);
  });

  for (const operation of operations)
    addOperation(app, options, operation, { closing: closing.signal, waits, publicReads, changes });
  addGetRoutes(app, {
    mq: options.mq,
    publicReads,
    principalOf,
    stillValid: (request) => stillValid(options.authenticate, request),
    closing: closing.signal,
    waits,
  });
};

const withoutToken = (request: FastifyRequest): Principal | null =>
  anonymousIn(request) ?? forkBuildIn(request);

const refuseToken = (): never => {
  throw unauthorized();
};

/** The authenticated caller of a request, for logs; null before authentication. */
export const principalIn = (request: FastifyRequest): Principal | null => request[asker] ?? null;

const principalOf = (request: FastifyRequest): Principal => {
  const principal = request[asker];
  if (principal == null) throw new Error('a request came past its authentication');
  return principal;
};

/** What the routes of one plugin share. */
interface Shared {
  readonly closing: AbortSignal;
  readonly waits: Waits;
  readonly publicReads: PublicReads;
  readonly changes: PullRequestChanges;
}

const addOperation = (
  app: FastifyInstance,
  options: MergeQueueApiOptions,
  operation: Operation,
  { closing, waits, publicReads, changes }: Shared,
): void => {
  const { mq, authenticate, tokens = null, webhooks = null, service = null, logLink: linkOf } = options;
  const { findBuild = null } = options;
  const logLink = (url: string | null) => (url === null || linkOf === undefined ? url : linkOf(url));
  app.route({
    method: 'POST',
    url: `/${operation.name}`,
    config: {
      scope: operation.scope,
      opensPublicly: operation.opensPublicly === true,
      takesReportTokens: operation.takesReportTokens === true,
      takesForkBuilds: operation.takesForkBuilds === true && findBuild !== null,
    },
    handler: async (request, reply) => {
      const principal = principalOf(request);
      // The work on a large body is spread over turns of the event loop, so that other requests are served too.
      const endTurn = isLarge(request) ? () => setImmediate() : null;
      await endTurn?.();
      const body = valid(operation.body, request.body);
      await endTurn?.();
      const repo = (body as { readonly repo?: RepoRef | null }).repo ?? undefined;
      const isAnonymous = principal.isAnonymous === true;
      if (isAnonymous) await publicReads.require(body as QueueRef);
      else if (principal.forkBuild !== undefined && findBuild !== null)
        await requireForkBuild(mq, findBuild, principal.forkBuild, body as ForkUpload);
      else if (repo !== undefined || operation.namesNoRepository !== true)
        requireRepository(mq, principal, repo);
      const key = operation.writes
        ? idempotencyOf(request.headers['idempotency-key'], principal, operation.name, body)
        : {};
      const origin = { actor: actorOf(principal), ...key };
      await endTurn?.();
      const requireStillValid = stillValid(authenticate, request);
      const untilOver = (kind: WaitKind) => {
        whenClosed(reply, waits.enter(senderOf(principal), kind));
        return overSignal(reply, closing);
      };
      const answer = await operation.run({
        mq,
        body,
        principal,
        tokens,
        webhooks,
        service,
        origin,
        logLink,
        audit: auditOf(request, principal),
        ifMatch: ifMatchOf(request.headers['if-match']),
        requireStillValid,
        changes,
        untilOver,
      });
      if (operation.tagOf !== undefined) reply.header('etag', `"${operation.tagOf(answer)}"`);
      const warnings = warningsOfUnknown(operation, request.body, answer);
      return json(reply, withWarnings(answer, warnings), isAnonymous);
    },
  });
};

const auditOf =
  (request: FastifyRequest, { id, name, person }: Principal): Ask<unknown>['audit'] =>
  (facts, message) =>
    request.log.info(
      { ...facts, by: { tokenId: id, name, person: person ?? null }, address: request.ip },
      message,
    );

const stillValid = (authenticate: Authenticate, request: FastifyRequest) => async (): Promise<void> =>
  void authenticated(await authenticate(tokenOf(request.headers)));

/** Aborts when the answer is sent, the client disconnects, or the service stops. */
const overSignal = (reply: FastifyReply, closing: AbortSignal): AbortSignal => {
  const over = new AbortController();
  whenClosed(reply, () => over.abort());
  return AbortSignal.any([over.signal, closing]);
};

const actorOf = ({ id, name, person }: Principal): Actor => ({
  ...{ kind: 'api', id, name },
  ...(person === undefined ? {} : { person }),
});

const withWarnings = (answer: WithWarnings, more: NonNullable<WithWarnings['warnings']>): WithWarnings =>
  more.length === 0 ? answer : { ...answer, warnings: [...(answer.warnings ?? []), ...more] };

const requireService = (trouble: string | null): void => {
  if (trouble !== null)
    throw new HttpProblem('UNAVAILABLE', `${trouble} Nothing was done; try again in a moment.`);
};

const tooMany = ({ retryAfterSeconds }: RateLimited): HttpProblem =>
  new HttpProblem('RATE_LIMITED', 'Too many requests with this token; nothing was done.', {
    retryAfterSeconds,
  });

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** 405 if the path exists with another method, else 404. */
const refuseUnknown =
  (app: FastifyInstance) =>
  (request: FastifyRequest): never => {
    const path = pathOf(request);
    const name = path.startsWith(`${app.prefix}/`) ? path.slice(app.prefix.length + 1) : path;
    const isRead = isGetRoute(name);
    if (isRead || operations.some((operation) => operation.name === name)) {
      const allow = isRead ? 'GET' : 'POST';
      throw new HttpProblem('METHOD_NOT_ALLOWED', `${path} takes ${allow}, not ${request.method}.`, {
        headers: { allow },
      });
    }
    throw new HttpProblem(
      'PATH_NOT_FOUND',
      `There is no operation at ${path.slice(0, 200)}. docs/reference/http.md lists them all.`,
    );
  };
