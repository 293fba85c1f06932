import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, readAssets } from './assets.js';
import { documentOf } from './document.js';
import { assetHeaders, documentHeaders } from './headers.js';

export interface PageOptions {
  /**
   * The path below which the browser finds the `/v1` of `mergeQueueApi`: `/` for `/v1`, which is the default, `/queue` for
   * `/queue/v1`.
   */
  readonly api?: string;
  /** The answer of `/` to a client that does not ask for HTML, such as curl. Default: the page. */
  readonly plainText?: string;
  /** The folder of the built application. Default: the one of this package. */
  readonly folder?: string;
}

const NOT_BUILT = 'The page is not built. Run npm run build, then start the server again.\n';

/** The first part of a path that no queue has, so that an unknown address below it stays unknown. */
const RESERVED: ReadonlySet<string> = new Set(['v1', 'api', 'health', 'logs', 'metrics', 'page']);

/**
 * The page of mq: `app.register(mergeQueuePage)`. It serves one document for all its addresses, and the files that it loads
 * below `page/`. It asks nothing of any other server, and needs no token itself: the application sends one with its requests.
 */
export const mergeQueuePage: FastifyPluginAsync<PageOptions> = async (app, options) => {
  const assets = readAssets(options.folder);
  const base = withSlash(app.prefix);
  const html =
    assets === null ? null : documentOf({ base, api: withSlash(options.api ?? '/'), names: assets.names });
  const answer = (_request: FastifyRequest, reply: FastifyReply) =>
    html === null
      ? reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
      : reply.headers(documentHeaders).send(html);

  app.get('/', async (request, reply) =>
    options.plainText !== undefined && !wantsHtml(request)
      ? reply.type('text/plain; charset=utf-8').send(options.plainText)
      : answer(request, reply),
  );
  app.get<{ Params: { '*': string } }>('/page/*', async (request, reply) => {
    const asset = assets?.files.get(request.params['*']);
    return asset === undefined ? reply.callNotFound() : sendAsset(request, reply, asset);
  });
  addAddresses(app, answer);
};

/** A queue is at `/<host>/<owner>/<name>/<branch>`, a pull request or a part of the queue one level below. */
const addAddresses = (
  app: FastifyInstance,
  answer: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void => {
  const handler = async (request: FastifyRequest<{ Params: { host: string } }>, reply: FastifyReply) =>
    RESERVED.has(request.params.host) ? reply.callNotFound() : answer(request, reply);
  app.get('/:host/:owner/:name/:branch', handler);
  app.get('/:host/:owner/:name/:branch/*', handler);
};

const sendAsset = (request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply => {
  reply.headers({ ...assetHeaders, 'content-type': asset.type, vary: 'accept-encoding' });
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  return takesGzip && asset.gzipped !== null
    ? reply.header('content-encoding', 'gzip').send(asset.gzipped)
    : reply.send(asset.bytes);
};

const wantsHtml = ({ headers }: FastifyRequest): boolean => (headers.accept ?? '').includes('text/html');

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
