import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { repo, TOKEN, targetBranch } from '../api-service.js';
import { quantile } from '../numbers.js';

/** What reads beside the load. A page is a stream that brings events and what has changed in the queue once a second. */
export type Kind = 'none' | 'streams' | 'streams and waits' | 'pages';

export interface Asked {
  readonly port: number;
  readonly kind: Kind;
  /** Streams or pages. */
  readonly count: number;
  /** Waiting requests, each for another pull request. */
  readonly waits: number;
}

export interface Seen {
  /** Events that all readers together have taken. */
  readonly events: number;
  /** Snapshots that streams have brought to pages. */
  readonly brought: number;
  /** From the commit of an event until a reader has it. */
  readonly eventP95Ms: number;
}

const REST_MS = 1_000;
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Opens the readers, reports that, and reads until the parent process ends it. */
export const read = async ({ port, kind, count, waits }: Asked): Promise<void> => {
  const taken: Taken = { delaysMs: [], brought: 0 };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  await Promise.all(
    Array.from({ length: count }, async () =>
      openStream(port, kind === 'pages' ? await pageQuery(port) : '', stop.signal, taken),
    ),
  );
  const waiting = Array.from({ length: waits }, (_, n) => waitFor(port, n + 1, stop.signal));
  const ended = new Promise((resolve) => process.once('message', resolve));
  process.send?.('open');
  await ended;
  stop.abort();
  await Promise.all(waiting);
  const { delaysMs, brought } = taken;
  const seen: Seen = { events: delaysMs.length, brought, eventP95Ms: quantile(delaysMs, 0.95) };
  process.send?.(seen);
  process.disconnect();
};

interface Taken {
  readonly delaysMs: number[];
  brought: number;
}

/** Resolves when the stream is open. */
const openStream = (port: number, query: string, signal: AbortSignal, taken: Taken): Promise<void> =>
  new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', path: `/v1/events${query}`, headers: { 'x-api-token': TOKEN }, signal },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`A stream was answered with ${answer.statusCode}.`));
        let [rest, isSnapshot] = ['', false];
        answer.setEncoding('utf8').on('data', (text: string) => {
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            if (line.startsWith('event: ')) isSnapshot = line === 'event: queue_snapshot';
            if (!line.startsWith('data: ')) continue;
            const at = isSnapshot ? undefined : /"timestamp":"([^"]+)"/.exec(line)?.[1];
            if (isSnapshot) taken.brought += 1;
            if (at !== undefined) taken.delaysMs.push(Date.now() - Date.parse(at));
          }
        });
        answer.on('error', () => undefined);
        resolve();
      },
    );
    asked.on('error', (error) => (signal.aborted ? undefined : reject(error)));
    asked.end();
  });

/** Waits for the end of a pull request, again and again. */
const waitFor = async (port: number, number: number, signal: AbortSignal): Promise<void> => {
  const body = { repo, targetBranch, pr: { number }, waitSeconds: 55 };
  while (!signal.aborted) await post(port, 'waitForPullRequest', body, signal);
};

/** Reads the queue once, as a page does, and asks for what changes after that. */
const pageQuery = async (port: number): Promise<string> => {
  const answer = (await post(port, 'getQueueSnapshot', { repo, targetBranch })) as {
    readonly version: string;
  };
  const query = new URLSearchParams({
    ...{ restMs: String(REST_MS), shownRepo: `${repo.owner}/${repo.name}`, shownRepoHost: repo.host },
    ...{ shownBranch: targetBranch, shownVersion: answer.version },
  });
  return `?${query}`;
};

/** Resolves with null when it is aborted. */
const post = (port: number, operation: string, body: object, signal?: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-api-token': TOKEN, 'content-type': 'application/json' };
    const path = `/v1/${operation}`;
    const over = signal === undefined ? {} : { signal };
    const to = { agent, port, host: '127.0.0.1', path, method: 'POST', headers, ...over };
    const asked = request(to, (answer) => {
      if (answer.statusCode !== 200)
        reject(new Error(`${operation} was answered with ${answer.statusCode}.`));
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve(JSON.parse(text)));
    });
    asked.on('error', (error) => (signal?.aborted === true ? resolve(null) : reject(error)));
    asked.end(JSON.stringify(body));
  });
