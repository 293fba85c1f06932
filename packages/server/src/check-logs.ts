import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MergeQueue, RepoRef } from '@mq/core';
import { checkLogFile, type RepositoryFolders } from '@mq/host-git';
import { type Authenticate, mayUseRepository, tokenIn } from '@mq/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { codeOf } from './problem.js';
import { SECRET_BYTES, sharedSecret } from './shared-secret.js';

const KEY_FILE = 'log-key';
const LOGS = '/logs/';

/** How long a signed log link is valid. */
export const LOG_LINK_MS = 5 * 60_000;

/** Signs log links and verifies the signatures. The key is stored in the data folder and shared by its servers. */
export interface LogLinks {
  path(repo: RepoRef, id: string): string;
  /** Adds a signature to the link of a log, valid for `LOG_LINK_MS`. Returns any other link unchanged. */
  signed(url: string): string;
  isSigned(repo: RepoRef, id: string, signature: LogSignature): boolean;
}

interface LogSignature {
  readonly until: string;
  readonly key: string;
}

export const logLinks = (
  dataFolder: string,
  now: () => number = Date.now,
  ownUrl: () => string = () => '',
): LogLinks => {
  const secret = sharedSecret(join(dataFolder, KEY_FILE));
  const keyOf = (log: string, until: string) =>
    createHmac('sha256', secret).update(`${log}\n${until}`).digest();
  return {
    path: (repo, id) => `${LOGS}${nameOf(repo, id)}`,
    signed: (url) => {
      // A reporter may send any link. A signature must never be added to the link of another server.
      const own = [LOGS, `${ownUrl()}${LOGS}`].find((prefix) => url.startsWith(prefix));
      if (own === undefined || url.includes('?')) return url;
      const until = String(now() + LOG_LINK_MS);
      return `${url}?until=${until}&key=${keyOf(url.slice(own.length), until).toString('base64url')}`;
    },
    isSigned: (repo, id, { until, key }) => {
      const given = Buffer.from(key, 'base64url');
      if (given.length !== SECRET_BYTES || !/^\d{1,15}$/.test(until) || Number(until) < now()) return false;
      return timingSafeEqual(given, keyOf(nameOf(repo, id), until));
    },
  };
};

const nameOf = (repo: RepoRef, id: string): string => `${repo.owner}/${repo.name}/${id}`;

export interface CheckLogParts {
  readonly folders: RepositoryFolders;
  readonly links: LogLinks;
  readonly authenticate: Authenticate;
  readonly mq: Pick<MergeQueue, 'canonicalRepo'>;
}

/**
 * The kept logs of checks as plain text, for a token with the scope `read` and the repository. Answers of the API sign the addresses that
 * they name, so that a browser can open one log for some minutes.
 */
export const addCheckLogs = (app: FastifyInstance, parts: CheckLogParts): void => {
  app.get<{ Params: { '*': string } }>('/logs/*', async (request, reply) => {
    const named = logNamedBy(request.params['*']);
    const isAllowed =
      (named !== null && parts.links.isSigned(named.repo, named.id, signatureIn(request))) ||
      (await mayRead(request, parts, named?.repo ?? null));
    reply.headers({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      'referrer-policy': 'no-referrer',
    });
    if (!isAllowed)
      return reply
        .code(401)
        .send(
          'A link to a log opens it for 5 minutes. Ask for the testing details again, or send a token in the header x-api-token.\n',
        );
    const file = named === null ? null : checkLogFile(parts.folders, named.repo, named.id);
    const text = file === null ? null : await readLog(file);
    if (text === null) return reply.code(404).send('There is no such log, or it is no longer kept.\n');
    return reply.send(text);
  });
};

const logNamedBy = (path: string): { readonly repo: RepoRef; readonly id: string } | null => {
  const [id, name, ...owners] = path.split('/').reverse();
  if (id === undefined || name === undefined || owners.length === 0) return null;
  return { repo: { host: 'local', owner: owners.reverse().join('/'), name }, id };
};

const signatureIn = ({ query }: FastifyRequest): LogSignature => {
  const { until, key } = query as { readonly until?: unknown; readonly key?: unknown };
  return { until: typeof until === 'string' ? until : '', key: typeof key === 'string' ? key : '' };
};

const mayRead = async (
  request: FastifyRequest,
  { authenticate, mq }: CheckLogParts,
  repo: RepoRef | null,
): Promise<boolean> => {
  const token = tokenIn(request.headers);
  const principal = token === null ? null : await authenticate(token);
  if (principal?.scopes.has('read') !== true) return false;
  return principal.repositories === undefined || (repo !== null && mayUseRepository(mq, principal, repo));
};

const readLog = async (file: string): Promise<Buffer | null> => {
  try {
    return await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};
