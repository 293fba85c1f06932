import { join } from 'node:path';
import {
  createMergeQueue,
  DIAGNOSED_QUEUES_LIMIT,
  type MergeQueue,
  MergeQueueError,
  PAGE_LIMIT,
  systemClock,
  type TokenKeeper,
  tokenKeeper,
  type WebhookKeeper,
} from '@mq/core';
import { checkGit, type RepositoryFolders } from '@mq/host-git';
import {
  type Authenticate,
  keeperAuthenticator,
  mergeQueueApi,
  principalIn,
  recommendedRates,
  recommendedServerOptions,
  requireHost,
  type ServiceDiagnosis,
} from '@mq/http';
import { mergeQueuePage } from '@mq/page';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { aliasesOf, HOST_NAME } from './aliases.js';
import { addApiPage } from './api-page.js';
import { addCheckLogs, type LogLinks, logLinks } from './check-logs.js';
import { checkSourcesOf } from './check-sources.js';
import { isLoopback, type ServerConfig } from './config.js';
import { Counters } from './counters/counters.js';
import { measuredHosts, measuredStore } from './counters/measured.js';
import { addCounters, countersApp } from './counters/route.js';
import { type DataFolder, shareDataFolder, takeDataFolder } from './data-folder.js';
import { serverDiagnosis } from './diagnosis.js';
import { type EventLoopGauge, eventLoopGauge } from './event-loop.js';
import { type Forges, openForges, type QueuePlace } from './forges.js';
import { addPages, FRONT_PAGE, pathOf, protectAnswers } from './front-page.js';
import { addHealth, type Condition, freeBytesOf, type Phase, troubleOf } from './health.js';
import { heartbeat } from './heartbeat.js';
import { hintAtChecks } from './hint-at-checks.js';
import { listen, requirePort } from './listen.js';
import { foldersOf, localHost, namedIn } from './local-host.js';
import { StartProblem } from './problem.js';
import { dropForwardedPorts, proxyOptions } from './proxies.js';
import { repositoriesBelow } from './repositories.js';
import { separateChecks } from './separate-checks.js';
import { sharedSecret } from './shared-secret.js';
import { addSignIn, type SignInLink, signInLink } from './sign-in-link.js';
import { type OpenStore, openStore } from './store.js';
import { sweeper } from './sweeper.js';
import { serverVersion } from './version.js';
import { pagePath, servedWebhooks } from './webhooks.js';

/** Signs report tokens; shared by the servers of the data folder. */
const REPORT_KEY_FILE = 'report-key';

/** Time for open requests to finish when the server stops. Then their connections are closed. */
const REQUESTS_GRACE_MS = 2_000;

export interface RunningServer {
  /** The URL of the server, e.g. `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly mq: MergeQueue;
  /** Makes a link that signs a page in, once and within 5 minutes. Only if the server listens on a loopback address. */
  signInLink(): string;
  /** Answers 503 from now on, stops check commands and releases everything. Idempotent. */
  close(): Promise<void>;
}

/** Starts the bundled server: the configured store, the git host `local`, the engine and the HTTP API. */
export const startServer = async (config: ServerConfig, logger: Logger): Promise<RunningServer> => {
  await checkGit().catch((error: unknown) => {
    throw new StartProblem(
      error instanceof Error ? error.message : String(error),
      'Get it from https://git-scm.com/downloads and start the server again.',
      { cause: error },
    );
  });
  await requirePort(config);
  const take = config.store.kind === 'postgresql' ? shareDataFolder : takeDataFolder;
  const folder = await take(config.dataFolder);
  try {
    await separateChecks(config);
    const opened = await openStore(config.store, logger);
    return await startOn(folder, opened, config, logger).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
  } catch (error) {
    await folder.release();
    throw error;
  }
};

/** Its arguments are released when the server closes; if it does not start, the caller releases them. */
const startOn = async (
  folder: DataFolder,
  opened: OpenStore,
  config: ServerConfig,
  logger: Logger,
): Promise<RunningServer> => {
  let phase: Phase = 'starting';
  let url = '';
  const folders = foldersOf(config, folder);
  const ownUrl = () => config.publicUrl ?? url;
  const links = logLinks(config.dataFolder, Date.now, ownUrl);
  const host = localHost(config, folders, links, ownUrl, logger);
  const forges = openForges(
    config,
    process.env,
    logger,
    (forge) => config.publicUrl ?? (isLoopback(new URL(forge).hostname) ? url : null),
  );
  const { store, serviceStore } = opened;
  const beat = heartbeat(store);
  const counters = new Counters();
  const mq = createMergeQueue({
    store: measuredStore(beat.store, counters),
    hosts: measuredHosts({ [HOST_NAME]: host, ...forges.hosts }, counters),
    aliases: aliasesOf(config),
    pace: config.pace,
    summaries: opened.summaries,
    presence: {
      store: opened.presence,
      linkOf: (queue, pr) => `${ownUrl()}${pagePath(queue, pr)}`,
    },
    commands: { store: opened.commands, ...config.commands },
    targetBytesLimit: config.targetBytesPerRepository,
    logger,
    externalChecks: {
      store: opened.checks,
      sources: checkSourcesOf(config),
      tokenSecret: sharedSecret(join(config.dataFolder, REPORT_KEY_FILE)).toString('base64url'),
    },
  });
  counters.watch(mq);
  const swept = sweeper({
    host,
    store,
    clock: systemClock,
    repositories: async () => [...(await repositoriesBelow(folder.repositories)), ...namedIn(config)],
    logger,
  });
  const tokens = tokenKeeper({
    store: serviceStore,
    canonicalRepo: (repo) => mq.canonicalRepo(repo),
    logger,
  });
  const authenticate = keeperAuthenticator(tokens, config.token);
  const gauge = eventLoopGauge({ logger });
  const webhooks = servedWebhooks({
    ...{ config, opened, mq, url: ownUrl, logger },
    onTried: (outcome) => counters.count('mq_webhook_tries_total', { outcome }),
  });
  const link = signInLink();
  const app = await makeApp({
    config,
    link,
    mq,
    tokens,
    authenticate,
    webhooks: webhooks.keeper,
    folders,
    forges,
    links,
    condition: {
      phase: () => phase,
      silentForMs: beat.silentForMs,
      failingForMs: beat.failingForMs,
      storeKind: opened.kind,
      askStore: () => store.now(),
      freeBytes: () => freeBytesOf(config.dataFolder),
    },
    service: serverDiagnosis({
      config,
      version: serverVersion(),
      storeNow: () => store.now(),
      freeBytes: () => freeBytesOf(config.dataFolder),
      silentForMs: beat.silentForMs,
      failingForMs: beat.failingForMs,
      hosts: async (options) => forges.findings(await placesOfQueues(mq), options),
    }),
    logger,
    gauge,
  });

  const own = ownCounters({ config, counters, app, authenticate });
  let running: ReturnType<MergeQueue['start']> | null = null;
  const stop = async (): Promise<void> => {
    phase = 'stopping';
    gauge.close();
    // The engine refuses commands once the requests that are under way have had their time. Everything else is closed
    // at once. Closing waits for requests to the host, and these must not wait for checks.
    await Promise.all([
      closeApp(app).finally(() => mq.close()),
      own === null ? null : closeApp(own.app),
      running?.close(),
      host.close(),
      forges.close(),
      swept.stop(),
      webhooks.sender.close(),
    ]);
  };
  const close = async (): Promise<void> => {
    await stop();
    await opened.close();
    await folder.release();
  };
  try {
    url = await listen(app, config);
    if (own !== null) await listen(own.app, { host: config.host, port: own.port });
    await host.sweep();
    await swept.start();
    running = mq.start();
    webhooks.sender.start();
    await hintAtChecks(mq).catch(leftToPolls(logger));
    phase = 'serving';
  } catch (error) {
    await stop();
    throw error;
  }
  let closed: Promise<void> | null = null;
  return {
    url,
    mq,
    signInLink: () => link.make(url),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
};

const placesOfQueues = async (mq: MergeQueue): Promise<readonly QueuePlace[]> => {
  const places: QueuePlace[] = [];
  let cursor: string | null = null;
  do {
    const page = await mq.listQueues({ take: PAGE_LIMIT, ...(cursor === null ? {} : { cursor }) });
    places.push(...page.items);
    cursor = page.next;
  } while (cursor !== null && places.length < DIAGNOSED_QUEUES_LIMIT);
  return places;
};

/** Once the engine runs, a database outage is waited out, as at any later time. */
const leftToPolls =
  (logger: Logger) =>
  (error: unknown): void => {
    if (!(error instanceof MergeQueueError && error.code === 'STORE_UNREACHABLE')) throw error;
    logger.warn(
      { err: error },
      'the database stopped answering during the start; polls will read the checks',
    );
  };

/** Closes connections with half-sent requests, which would delay the stop by minutes. */
const closeApp = async (app: FastifyInstance): Promise<void> => {
  const timer = setTimeout(() => app.server.closeAllConnections(), REQUESTS_GRACE_MS);
  await app.close();
  clearTimeout(timer);
};

/** Serves the counters on the port of the API, or on their own port by the returned Fastify instance. */
const ownCounters = (parts: {
  readonly config: ServerConfig;
  readonly counters: Counters;
  readonly app: FastifyInstance;
  readonly authenticate: Authenticate;
}): { readonly app: FastifyInstance; readonly port: number } | null => {
  const { config, counters, app, authenticate } = parts;
  const { enabled, port } = config.metrics;
  if (!enabled) return null;
  if (port !== undefined) return { app: countersApp({ counters, authenticate }), port };
  addCounters(app, { counters, authenticate });
  return null;
};

interface AppParts {
  readonly config: ServerConfig;
  readonly link: SignInLink;
  readonly mq: MergeQueue;
  readonly tokens: TokenKeeper;
  readonly authenticate: Authenticate;
  readonly webhooks: WebhookKeeper;
  readonly folders: RepositoryFolders;
  readonly forges: Forges;
  readonly links: LogLinks;
  readonly condition: Condition;
  readonly service: ServiceDiagnosis;
  readonly logger: Logger;
  readonly gauge: EventLoopGauge;
}

const makeApp = async (parts: AppParts): Promise<FastifyInstance> => {
  const { config, mq, tokens, authenticate, webhooks, folders, links } = parts;
  const { condition, service, logger, gauge } = parts;
  const app: FastifyInstance = fastify({
    ...recommendedServerOptions,
    ...proxyOptions(config),
    // `requireHost` checks it and answers with a code.
    http: { ...recommendedServerOptions.http, requireHostHeader: false },
    loggerInstance: logger.child({}) as FastifyInstance['log'],
    logController: new LogController({ disableRequestLogging: true }),
  });
  app.addHook('onResponse', async (request, reply) => {
    const took = `${Math.round(reply.elapsedTime)} ms`;
    const facts = { address: request.ip, tokenId: principalIn(request)?.id };
    request.log.info(facts, `${request.method} ${pathOf(request.url)} ${reply.statusCode} ${took}`);
  });
  app.addHook('onRequest', requireHost);
  app.addHook('onRequest', dropForwardedPorts);
  app.addHook('onRequest', protectAnswers(config));
  addPages(app);
  await addApiPage(app);
  await app.register(mergeQueuePage, { plainText: FRONT_PAGE });
  addHealth(app, condition);
  addSignIn(app, { link: parts.link, tokens, host: config.host });
  parts.forges.addHooks(app, (event) => mq.notice(event));
  addCheckLogs(app, { folders, links, authenticate, mq });
  await app.register(mergeQueueApi, {
    prefix: '/v1',
    mq,
    authenticate,
    tokens,
    service,
    webhooks,
    rates: recommendedRates,
    logLink: links.signed,
    unavailable: () => troubleOf(condition) ?? gauge.trouble(),
  });
  return app;
};
