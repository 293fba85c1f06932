import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxyRequest {
  readonly method: string;
  readonly path: string;
  /** When it came. */
  readonly at: number;
}

export interface ProxyAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * An HTTP proxy on loopback between a client and a Gitea. It records requests, and a test can make it slow or wrong.
 */
export interface HttpProxy {
  readonly url: string;
  /** All that came, oldest first. */
  readonly requests: readonly ProxyRequest[];
  /** Each request waits this long before it goes on. */
  delayMs: number;
  /** Answers in place of the Gitea; null passes the request on. */
  instead: (request: ProxyRequest) => ProxyAnswer | null;
  close(): Promise<void>;
}

export const proxyTo = async (target: string): Promise<HttpProxy> => {
  const { hostname, port } = new URL(target);
  const requests: ProxyRequest[] = [];
  const pass = (from: IncomingMessage, to: ServerResponse): void => {
    const { method, url: path, headers } = from;
    const on = request({ hostname, port, method, path, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
      answer.on('error', () => to.destroy());
    });
    on.on('error', () => to.destroy());
    to.on('close', () => on.destroy());
    from.pipe(on);
  };
  const server = createServer((from, to) => {
    const noted = { method: from.method ?? '', path: from.url ?? '', at: Date.now() };
    requests.push(noted);
    const answer = way.instead(noted);
    if (answer === null) return void setTimeout(() => pass(from, to), way.delayMs);
    from.resume();
    to.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    to.end(answer.body ?? '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const way: HttpProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    delayMs: 0,
    instead: () => null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return way;
};
