import { Agent, request } from 'node:http';

export const CONNECTIONS = 40;

interface Sent {
  readonly path: string;
  readonly token: string;
  readonly body: (n: number) => object;
}

/** Requests per second over so many connections, each sending its next when it is answered. Rejects on any other answer than 200. */
export const requestsPerSecond = async (port: number, count: number, sent: Sent): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const startedAt = performance.now();
  const connection = async () => {
    while (next < count) {
      next += 1;
      await post(agent, port, sent, next);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return count / ((performance.now() - startedAt) / 1_000);
};

const post = (agent: Agent, port: number, { path, token, body }: Sent, n: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(body(n));
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-api-token': token,
    };
    const call = request({ agent, port, path, method: 'POST', headers, host: '127.0.0.1' }, (response) => {
      let said = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        said += part;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}: ${said}`)),
      );
    });
    call.on('error', reject);
    call.end(text);
  });
