import { setTimeout as wait } from 'node:timers/promises';
import type { Receipt } from '@mq/core';
import type { Replica } from './soak/replica.js';

const LIMIT_MS = 300_000;

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
type Json = any;

/** Operations about one queue, at whichever replica serves. */
export interface ReplicaCalls {
  /** Repeated at another replica while one is down or answers 5xx; throws for other answers than 200. */
  call(operation: string, body?: object): Promise<Json>;
  receipts(): Promise<readonly Receipt[]>;
  stateOf(pr: number): Promise<string>;
}

export const callsTo = (replicas: readonly Replica[], token: string, queue: object): ReplicaCalls => {
  const once = async (url: string, operation: string, body: object) => {
    const response = await fetch(`${url}/v1/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-token': token },
      body: JSON.stringify({ ...queue, ...body }),
    });
    return { status: response.status, json: (await response.json()) as Json };
  };
  const call = async (operation: string, body: object = {}): Promise<Json> => {
    const end = Date.now() + LIMIT_MS;
    for (let turn = 0; ; turn += 1) {
      const url = replicas[turn % replicas.length]?.url ?? null;
      const answer = url === null ? null : await once(url, operation, body).catch(() => null);
      if (answer?.status === 200) return answer.json;
      if (answer !== null && answer.status < 500)
        throw new Error(`${operation}: ${answer.status} ${JSON.stringify(answer.json)}`);
      if (Date.now() > end) throw new Error(`${operation} was never answered: ${JSON.stringify(answer)}`);
      await wait(200);
    }
  };
  return {
    call,
    receipts: async () => {
      const all: Receipt[] = [];
      let cursor: string | null = null;
      do {
        const page: Json = await call('listReceipts', { take: 100, ...(cursor === null ? {} : { cursor }) });
        all.push(...page.receipts);
        cursor = page.nextCursor ?? null;
      } while (cursor !== null);
      return all;
    },
    stateOf: async (pr) => (await call('getSubmittedPullRequest', { pr: { number: pr } })).state,
  };
};
