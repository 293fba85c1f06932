import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { StoreChoice } from './config.js';
import { SILENCE_LIMIT_MS } from './heartbeat.js';

export type Phase = 'starting' | 'serving' | 'stopping';

/** The state of the server's parts. */
export interface Condition {
  readonly phase: () => Phase;
  readonly silentForMs: () => number;
  readonly failingForMs: () => number;
  readonly storeKind: StoreChoice['kind'];
  /** Rejects if the store does not answer. */
  readonly askStore: () => Promise<unknown>;
  /** Free bytes on the disk of the data folder; null if unknown. */
  readonly freeBytes: () => Promise<number | null>;
}

const MEGABYTE = 1024 * 1024;
/** With less free space the next commits may fail, because an embedded database grows by files of 16 MB. */
export const FREE_LIMIT_BYTES = 64 * MEGABYTE;

export const freeBytesOf = async (folder: string): Promise<number | null> => {
  const found = await statfs(folder).catch(() => null);
  return found === null || found.blocks === 0 ? null : found.bavail * found.bsize;
};

/** Timeout of the question to the store. */
const STORE_ANSWER_LIMIT_MS = 3_000;

/** Why the server does not serve requests; null if it does. */
export const troubleOf = ({ phase }: Pick<Condition, 'phase'>): string | null =>
  phase() === 'serving' ? null : `The service is ${phase()}.`;

/** Adds `/health/live` (the process answers) and `/health/ready` (it can do its work). Neither needs a token. */
export const addHealth = (
  app: FastifyInstance,
  condition: Condition,
  answerLimitMs = STORE_ANSWER_LIMIT_MS,
): void => {
  // Proxies and shell scripts probe with HEAD too.
  const probe = { logLevel: 'warn', exposeHeadRoute: true } as const;
  app.get('/health/live', probe, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'live' }),
  );
  app.get('/health/ready', probe, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const isAnswering = await answersInTime(condition.askStore, answerLimitMs);
    const store = { kind: condition.storeKind, answers: isAnswering };
    const free = await condition.freeBytes();
    const reason =
      troubleOf(condition) ??
      (isAnswering ? null : 'The store does not answer.') ??
      fullDisk(free) ??
      stuck(condition);
    if (reason === null) return reply.send({ status: 'ready', store });
    const status = condition.phase() === 'serving' ? 'unavailable' : condition.phase();
    return reply.code(503).header('retry-after', '1').send({ status, reason, store });
  });
};

const answersInTime = async (ask: () => Promise<unknown>, limitMs: number): Promise<boolean> => {
  const ended = new AbortController();
  const isLate = wait(limitMs, false, { signal: ended.signal }).catch(() => false);
  const isAnswered = ask().then(
    () => true,
    () => false,
  );
  const answers = await Promise.race([isAnswered, isLate]);
  ended.abort();
  return answers;
};

const fullDisk = (freeBytes: number | null): string | null =>
  freeBytes !== null && freeBytes < FREE_LIMIT_BYTES
    ? `The disk of the data folder is full: ${Math.floor(freeBytes / MEGABYTE)} MB are free, and ${FREE_LIMIT_BYTES / MEGABYTE} are needed. Free some space.`
    : null;

const stuck = ({ silentForMs, failingForMs }: Condition): string | null => {
  if (silentForMs() > SILENCE_LIMIT_MS)
    return `The engine has not finished a pass for ${secondsOf(silentForMs())} s; the log says why.`;
  if (failingForMs() > SILENCE_LIMIT_MS)
    return `No decision could be stored for ${secondsOf(failingForMs())} s; the log says why.`;
  return null;
};

const secondsOf = (ms: number): number => Math.round(ms / 1000);
