import { setTimeout as wait } from 'node:timers/promises';
import type { Receipt } from '@mq/core';
import type { Ask } from './client.js';
import type { SoakDatabase } from './database.js';
import type { Ledger } from './ledger.js';
import { CALM } from './people.js';
import { git } from './repository.js';

/** With two replicas and no interference, every pull request has ended by then. */
const ENDS_LIMIT_MS = 400_000;
/** A pull request that was not ready for this time, with none ahead of it, will not become ready by itself. */
const NOT_READY_MS = 15_000;
/** The last failed effect may be retried after a minute. */
const LEFT_LIMIT_MS = 150_000;
const LOOK_EVERY_MS = 500;
const PULLS_PER_READ = 50;

/** What the queue says of a pull request at the end. */
export interface Standing {
  readonly prNumber: number;
  readonly state: string;
  readonly attempt: number;
  readonly reason?: { readonly code: string; readonly sentence: string; readonly detail: string | null };
  readonly waitingFor?: { readonly sentence: string };
}

interface InQueue {
  readonly enqueuedPullRequests: readonly Standing[];
  readonly notReadyPullRequests: readonly Standing[];
}

/** Interference has ended: waits until the queue is empty. Reports remaining pull requests with what they wait for. */
export const runToQuiet = async (ask: Ask, ledger: Ledger): Promise<readonly string[]> => {
  const startedAt = Date.now();
  // While the queue changes its mode it does not take another one.
  while ((await ask('updateQueue', CALM)).status !== 200) {
    if (Date.now() - startedAt > ENDS_LIMIT_MS) return ['the settings of the queue cannot be changed'];
    await wait(LOOK_EVERY_MS);
  }
  for (;;) {
    const queue: InQueue = (await ask('getQueue')).json;
    const live = [...queue.enqueuedPullRequests, ...queue.notReadyPullRequests];
    if (live.length === 0) return [];
    const tookMs = Date.now() - startedAt;
    if (tookMs > ENDS_LIMIT_MS)
      return live.map(
        ({ prNumber, state, waitingFor }) =>
          `#${prNumber} is ${state}: ${waitingFor?.sentence ?? 'no word why'}`,
      );
    // Conflicting pull requests wait for a push that will not come.
    if (tookMs > NOT_READY_MS && queue.enqueuedPullRequests.length === 0)
      for (const { prNumber } of queue.notReadyPullRequests) {
        ledger.pulls.get(prNumber)?.meddlings.push('cancelled');
        await ask('cancelPullRequest', { pr: { number: prNumber } });
      }
    await wait(LOOK_EVERY_MS);
  }
};

/** Waits until nothing is under way any more. Reports what is left. */
export const runToRest = async (bare: string, database: SoakDatabase): Promise<readonly string[]> => {
  const deadline = Date.now() + LEFT_LIMIT_MS;
  for (;;) {
    const left = await leftBehind(bare, database);
    if (left.length === 0 || Date.now() > deadline) return left;
    await wait(LOOK_EVERY_MS);
  }
};

const leftBehind = async (bare: string, database: SoakDatabase): Promise<readonly string[]> => {
  const refs = await git(
    bare,
    'for-each-ref',
    '--format=%(refname)',
    'refs/mq/candidates',
    'refs/mq/landing',
  );
  const effects = await database.openEffects();
  const checks = await git(bare, 'for-each-ref', '--format=%(raw)', 'refs/mq/checks');
  const open = linesOf(checks).filter((line) => JSON.parse(line).status !== 'completed');
  return [
    ...linesOf(refs).map((ref) => `${ref} is left`),
    ...(effects === 0 ? [] : [`${effects} effects are left`]),
    ...(open.length === 0 ? [] : [`${open.length} checks have not ended`]),
  ];
};

export const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

export const standingsOf = async (ask: Ask, prs: readonly number[]): Promise<Map<number, Standing>> => {
  const found = new Map<number, Standing>();
  for (let at = 0; at < prs.length; at += PULLS_PER_READ) {
    const part = prs.slice(at, at + PULLS_PER_READ).map((number) => ({ number }));
    const { json } = await ask('getSubmittedPullRequests', { prs: part });
    for (const standing of json.pullRequests as readonly Standing[]) found.set(standing.prNumber, standing);
  }
  return found;
};

export const receiptsOf = async (ask: Ask): Promise<readonly Receipt[]> => {
  const receipts: Receipt[] = [];
  let cursor: string | undefined;
  do {
    const { json } = await ask('listReceipts', { take: 100, ...(cursor === undefined ? {} : { cursor }) });
    receipts.push(...json.receipts);
    cursor = json.nextCursor;
  } while (cursor !== undefined);
  return receipts;
};
