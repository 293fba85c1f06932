import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CodeHost,
  type Finding,
  INBOUND_BODY_LIMIT_BYTES,
  type InboundEvent,
  type RepoRef,
  repoKey,
} from '@mq/core';
import {
  type GiteaFinding,
  type GiteaHost,
  giteaFindings,
  giteaHost,
  hookReceiver,
  isOwnerServed,
} from '@mq/host-gitea';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ServerConfig } from './config.js';
import { type HookLog, hookLog } from './hook-log.js';
import { codeOf, StartProblem } from './problem.js';

/** The folder of the data folder with the mirrors of repositories on other hosts. */
const MIRRORS_FOLDER_NAME = 'mirrors';
/** Max repositories of one host that a diagnosis reads. */
const EXAMINED_LIMIT = 100;
/** No secret is as long. */
const SECRET_LIMIT_BYTES = 10_000;
const SECRET_SHAPE = /^[!-~]+$/;

type Forge = ServerConfig['hosts'][number];
type Environment = Readonly<Record<string, string | undefined>>;

/** The files with the secrets of the configured hosts. */
export const secretFilesOf = (hosts: readonly Forge[]): readonly string[] =>
  hosts.flatMap(({ tokenFile, webhookSecretFile }) =>
    [tokenFile, webhookSecretFile].filter((file) => file !== undefined),
  );

export interface FindingsOptions {
  readonly repair: boolean;
}

/** The repository and the target branch of a queue. */
export interface QueuePlace {
  readonly repo: RepoRef;
  readonly branch: string;
}

/** Code hosts besides the git host of the server, by name. */
export interface Forges {
  readonly hosts: Readonly<Record<string, CodeHost>>;
  /**
   * Serves `POST /hooks/<host>` of each host that has a secret for its webhooks. `notice`: stores a comment that may be a
   * command, before the host is answered.
   */
  addHooks(app: FastifyInstance, notice: (event: InboundEvent) => Promise<void>): void;
  /**
   * What is wrong with the hosts, and with the repositories of the queues there. `repair`: first sets what may be set, such as
   * webhooks.
   */
  findings(queues: readonly QueuePlace[], options?: FindingsOptions): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

/**
 * Throws a StartProblem if a secret is missing. No host is asked: one that is down must not keep the others from
 * starting.
 */
export const openForges = (
  { hosts, dataFolder }: Pick<ServerConfig, 'hosts' | 'dataFolder'>,
  env: Environment,
  logger: Logger,
  /** The address under which the host at `url` reaches the server; null if that is not known. */
  addressFor: (url: string) => string | null = () => null,
): Forges => {
  const opened = hosts.map((forge) => ({ forge, ...openForge(forge, dataFolder, env, logger) }));
  return {
    hosts: Object.fromEntries(opened.map(({ forge, host }) => [forge.name, host])),
    addHooks: (app, notice) => {
      for (const each of opened) addHook(app, notice, each);
    },
    findings: async (queues, { repair } = { repair: false }) =>
      (
        await Promise.all(opened.map((each) => findingsOf(each, queues, repair, addressFor(each.forge.url))))
      ).flat(),
    close: async () => void (await Promise.all(opened.map(({ host }) => host.close()))),
  };
};

interface OpenForge {
  readonly forge: Forge;
  readonly host: GiteaHost;
  readonly secret: (() => string) | null;
  readonly log: HookLog;
}

const findingsOf = async (
  { forge, host, secret, log }: OpenForge,
  queues: readonly QueuePlace[],
  repair: boolean,
  address: string | null,
): Promise<readonly Finding[]> => {
  const repositories = new Map<string, { readonly repo: RepoRef; readonly branches: string[] }>();
  for (const { repo, branch } of queues) {
    if (repo.host !== forge.name) continue;
    const of = repositories.get(repoKey(repo)) ?? { repo, branches: [] };
    of.branches.push(branch);
    if (repositories.size < EXAMINED_LIMIT) repositories.set(repoKey(repo), of);
  }
  const examined = [...repositories.values()].map((of) => ({ ...of, hookedAt: log.acceptedAt(of.repo) }));
  const path = hookPathOf(forge);
  const url = address === null ? null : `${address}${path}`;
  const wantedHook = secret === null ? null : { path, url, secret };
  // Findings that could not be fixed are found again.
  if (repair)
    await Promise.all(examined.map(({ repo }) => host.repair(repo, wantedHook).catch(() => undefined)));
  const found = await host.examine(examined, wantedHook);
  const strange: GiteaFinding[] = examined
    .filter(({ repo }) => !isOwnerServed(forge.owners, repo.owner))
    .map(({ repo: { owner, name } }) => ({
      ...{ code: 'HOST_OWNER_NOT_SERVED', subject: `${owner}/${name}` },
      sentence: 'It has a queue, and its owner is not served.',
    }));
  return [...found, ...log.findings(), ...strange].map(
    ({ code, subject, sentence, isRepairable = false }) => {
      const { severity, remedy } = giteaFindings[code];
      return {
        ...{ code, severity, subject: [forge.name, subject].join(' ').trim(), sentence, remedy },
        ...(isRepairable ? { isRepairable } : {}),
      };
    },
  );
};

const hookPathOf = ({ name }: Forge): string => `/hooks/${name}`;

const openForge = (
  forge: Forge,
  dataFolder: string,
  env: Environment,
  logger: Logger,
): Pick<OpenForge, 'host' | 'secret' | 'log'> => {
  const token = secretOf(forge.name, 'token', forge.tokenVariable, forge.tokenFile, env);
  if (token === null)
    throw new StartProblem(
      `The host ${forge.name} of the configuration has no token.`,
      'Name the variable or the file that contains it: "tokenVariable" or "tokenFile".',
    );
  const { webhookSecretVariable, webhookSecretFile } = forge;
  const secret = secretOf(forge.name, 'webhookSecret', webhookSecretVariable, webhookSecretFile, env);
  const host = giteaHost({
    url: forge.url,
    token,
    folder: join(dataFolder, MIRRORS_FOLDER_NAME, forge.name),
    ...(forge.owners === undefined ? {} : { owners: forge.owners }),
    drafts: forge.drafts,
    onUnmarked: ({ repo, ...fault }) =>
      logger.warn(
        { ...fault, repo: repoKey(repo).replaceAll('\n', '/') },
        'a pull request has landed, and its host does not mark it as merged: close it by hand; if that is so for all, allow manual merges in the settings of the repository',
      ),
  });
  return { host, secret, log: hookLog() };
};

/** Null if neither is named. A file is read each time, so that a secret can be replaced while the server runs. */
const secretOf = (
  name: string,
  what: string,
  variable: string | undefined,
  file: string | undefined,
  env: Environment,
): (() => string) | null => {
  if (file !== undefined) {
    readSecretFile(name, what, file);
    return () => readSecretFile(name, what, file);
  }
  if (variable === undefined) return null;
  const text = env[variable]?.trim() ?? '';
  if (SECRET_SHAPE.test(text)) return () => text;
  throw new StartProblem(
    `The variable ${variable}, the ${what} of the host ${name}, is ${text === '' ? 'not set' : 'not one word of printable characters'}.`,
    `Set ${variable}, or name a file in "${what}File".`,
  );
};

const readSecretFile = (name: string, what: string, file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartProblem(
      `The file ${file}, the ${what} of the host ${name}, cannot be read (${codeOf(error) ?? String(error)}).`,
      'Make the file readable for the user that runs the server.',
      { cause: error },
    );
  }
  const secret = text.trim();
  if (SECRET_SHAPE.test(secret) && text.length <= SECRET_LIMIT_BYTES) return secret;
  throw new StartProblem(
    `The file ${file}, the ${what} of the host ${name}, does not contain a single word of printable characters.`,
    'Write the secret into it, and nothing else.',
  );
};

const addHook = (
  app: FastifyInstance,
  notice: (event: InboundEvent) => Promise<void>,
  { forge, host, secret, log }: OpenForge,
): void => {
  if (secret === null) return;
  const { name } = forge;
  const receive = hookReceiver({
    host: name,
    secret,
    take: async (event) => {
      log.accept(event.repo);
      if (event.what === 'comment' || event.what === 'label' || event.what === 'labels') await notice(event);
      else host.hint(event);
    },
    isServed: ({ owner }) => {
      const isServed = isOwnerServed(forge.owners, owner);
      if (!isServed) log.ignore(owner);
      return isServed;
    },
  });
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    // The signature is over the bytes that came, so nothing may parse them first.
    hooks.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: INBOUND_BODY_LIMIT_BYTES },
      (_request, body, done) => done(null, body),
    );
    hooks.post(hookPathOf(forge), { bodyLimit: INBOUND_BODY_LIMIT_BYTES }, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const { status, message } = await receive({ headers: request.headers, body });
      if (status === 401) log.refuse();
      return reply.code(status).send({ message });
    });
  });
};
