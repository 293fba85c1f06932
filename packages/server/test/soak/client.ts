import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '@mq/random';
import type { Replica } from './replica.js';

export const queueRef = { repo: { host: 'local', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };
export const TOKEN = 'soak';

/** How long a client waits for a replica that hangs. */
const REQUEST_LIMIT_MS = 5_000;
/** How long a client retries; with all faults at once an answer must have come by then. */
const TRIES_LIMIT_MS = 240_000;
const REST_MS = 150;

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what the operation answers
  readonly json: any;
}

/** What became of the requests, in numbers. `unexpected`: answers that no fault explains. */
export class Requests {
  answered = 0;
  unavailable = 0;
  lost = 0;
  readonly unexpected: string[] = [];
}

export type Ask = (operation: string, body?: object) => Promise<Answer>;

/**
 * Asks one replica or the other until one answers. All tries of a request have the same idempotency key. Rejects
 * after four minutes without an answer.
 */
export const askAny =
  (replicas: readonly Replica[], requests: Requests, random: Random): Ask =>
  async (operation, body = {}) => {
    const key = `soak-${random.next()}-${random.next()}`;
    const deadline = Date.now() + TRIES_LIMIT_MS;
    for (let last = 'no replica served'; ; await wait(REST_MS)) {
      if (Date.now() > deadline) throw new Error(`${operation} was not answered: ${last}`);
      const urls = replicas.flatMap((replica) => replica.url ?? []);
      if (urls.length === 0) continue;
      const url = random.pick(urls);
      const answer = await send(`${url}/v1/${operation}`, key, body).catch((error: unknown) => {
        requests.lost += 1;
        last = error instanceof Error ? error.message : String(error);
        return null;
      });
      if (answer === null) continue;
      last = `${answer.status} ${answer.json.code}`;
      if (answer.status < 500) {
        requests.answered += 1;
        return answer;
      }
      if (answer.status === 503) requests.unavailable += 1;
      else
        requests.unexpected.push(`${operation}: ${answer.status} ${answer.json.code} ${answer.json.detail}`);
    }
  };

const send = async (url: string, key: string, body: object): Promise<Answer> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-token': TOKEN, 'idempotency-key': key },
    body: JSON.stringify({ ...queueRef, ...body }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
  return { status: response.status, json: await response.json() };
};
