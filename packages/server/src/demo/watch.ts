import { setTimeout as delay } from 'node:timers/promises';
import type { Client, PullRequestAnswer, RunAnswer } from './client.js';

const LOOK_EVERY_MS = 150;
const terminal = new Set(['merged', 'failed', 'cancelled']);

/** The queue at one moment, as the API shows it. */
export interface Sight {
  /** Since the first submit. */
  readonly atMs: number;
  readonly pullRequests: readonly PullRequestAnswer[];
  readonly runs: readonly RunAnswer[];
}

export const isTerminal = (state: string): boolean => terminal.has(state);

/**
 * Polls until every pull request has left the queue, the time is up, or it is stopped. Returns the last snapshot, in
 * which some pull requests may still be waiting.
 */
export const watchQueue = async (
  client: Client,
  numbers: readonly number[],
  limits: { readonly startedAt: number; readonly limitMs: number; readonly signal: AbortSignal },
  show: (sight: Sight) => void,
): Promise<Sight> => {
  for (;;) {
    const [found, testing] = await Promise.all([
      client.call<{ pullRequests: PullRequestAnswer[] }>('getSubmittedPullRequests', {
        prs: numbers.map((number) => ({ number })),
      }),
      client.call<{ runs: RunAnswer[] }>('getMergeQueueTestingDetails'),
    ]);
    const pullRequests = [...found.pullRequests].sort((one, other) => one.prNumber - other.prNumber);
    const sight = { atMs: Date.now() - limits.startedAt, pullRequests, runs: testing.runs };
    show(sight);
    const isOver = pullRequests.every(({ state }) => isTerminal(state));
    if (isOver || sight.atMs > limits.limitMs || limits.signal.aborted) return sight;
    await delay(LOOK_EVERY_MS);
  }
};
