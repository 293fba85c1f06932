import type { MergeQueue } from '@mq/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ownRepositories, type Principal, requireRepository } from './auth.js';
import { sendBadge } from './badge.js';
import { unauthorized } from './errors.js';
import { EventChannels } from './event-channels.js';
import { requireKnownHosts } from './known-hosts.js';
import { senderOf } from './large-bodies.js';
import type { PublicReads } from './public-read.js';
import { eventsRequest, lastEventId } from './schemas/events.js';
import { METRICS_CONTENT_TYPE, metricsRequest } from './schemas/metrics.js';
import { SnapshotFeeds } from './snapshot-feeds.js';
import { EVENT_STREAM_CONTENT_TYPE, eventStream, type StreamParts } from './stream.js';
import { valid } from './valid.js';
import type { Waits } from './waits.js';
import { whenClosed } from './when-closed.js';

export interface GetRouteParts {
  readonly mq: MergeQueue;
  readonly publicReads: PublicReads;
  readonly principalOf: (request: FastifyRequest) => Principal;
  /** Rejects with 401 if the token of the request is no longer valid. */
  readonly stillValid: (request: FastifyRequest) => () => Promise<void>;
  readonly closing: AbortSignal;
  readonly waits: Waits;
}

/** True for the name of a route without a body, below the prefix. The name of a badge is followed by its queue. */
export const isGetRoute = (name: string): boolean =>
  name === 'getMergeQueueMetrics' || name === 'events' || name.startsWith('badge/');

export const addGetRoutes = (app: FastifyInstance, parts: GetRouteParts): void => {
  addMetrics(app, parts);
  addEvents(app, parts);
  app.route({
    method: 'GET',
    url: '/badge/:host/:owner/:name/:branch',
    exposeHeadRoute: false,
    config: { scope: 'read', opensPublicly: true },
    handler: (request, reply) =>
      sendBadge({ ...parts, principal: parts.principalOf(request) }, request, reply),
  });
};

const addMetrics = (app: FastifyInstance, { mq, principalOf }: GetRouteParts): void => {
  app.route({
    method: 'GET',
    url: '/getMergeQueueMetrics',
    exposeHeadRoute: false,
    config: { scope: 'metrics', plainTextErrors: true },
    handler: async (request, reply) => {
      const { repo, repoHost } = valid(metricsRequest, request.query);
      const principal = principalOf(request);
      const where =
        repo === undefined || repoHost === undefined
          ? ownRepositories(mq, principal)
          : { repo: { host: repoHost, ...repo } };
      if ('repo' in where) requireRepository(mq, principal, where.repo);
      return reply.header('content-type', METRICS_CONTENT_TYPE).send(await mq.metrics(where));
    },
  });
};

const shownQueueOf = ({
  shownRepo: repo,
  shownRepoHost: host,
  shownBranch: targetBranch,
  shownVersion: version,
}: z.output<typeof eventsRequest>): StreamParts['shown'] =>
  repo === undefined || host === undefined || targetBranch === undefined
    ? null
    : { ref: { repo: { host, ...repo }, targetBranch }, version: version ?? null };

const addEvents = (
  app: FastifyInstance,
  { mq, publicReads, principalOf, stillValid, closing, waits }: GetRouteParts,
): void => {
  const [channels, feeds] = [new EventChannels(), new SnapshotFeeds(mq, app.log)];
  app.route({
    method: 'GET',
    url: '/events',
    exposeHeadRoute: false,
    config: { scope: 'read', opensPublicly: true },
    handler: async (request, reply) => {
      const principal = principalOf(request);
      const header = request.headers['last-event-id'];
      const query = valid(eventsRequest, request.query);
      const shown = shownQueueOf(query);
      const stillOpen = async (): Promise<void> => {
        const { repo, repoHost: host, targetBranch } = query;
        if (repo === undefined || host === undefined || targetBranch === undefined) throw unauthorized();
        await publicReads.require({ repo: { host, ...repo }, targetBranch });
        if (shown !== null) await publicReads.require(shown.ref);
      };
      if (principal.isAnonymous === true) await stillOpen();
      const { repo, repoHost: host } = query;
      // A stream of a repository that the token may not use, or of an unknown host, would stay silent.
      const named = repo === undefined || host === undefined ? [] : [{ host, ...repo }];
      for (const one of [...named, ...(shown === null ? [] : [shown.ref.repo])])
        if (principal.isAnonymous !== true) {
          requireRepository(mq, principal, one);
          await requireKnownHosts(mq, principal, [one]);
        }
      whenClosed(reply, waits.enter(senderOf(principal), 'follows'));
      const stream = await eventStream({
        mq,
        principal,
        request: query,
        after: header === undefined ? query.after : valid(lastEventId, header),
        ...{ channels, feeds, shown },
        closing,
        requireStillValid: principal.isAnonymous === true ? stillOpen : stillValid(request),
        log: request.log,
      });
      // Tells proxies not to buffer events.
      return reply
        .headers({ 'content-type': EVENT_STREAM_CONTENT_TYPE, 'x-accel-buffering': 'no' })
        .send(stream);
    },
  });
};
