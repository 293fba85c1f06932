import { defaultPace } from '@mq/core';
import { aCommit, aMove, aQueue, aRepo, BUILT_AT, fakeHost, someWrites } from '@mq/testkit';
import { expect, test } from 'vitest';
import { correctCulprits } from './blame.js';
import { Book, type Mirror } from './ledger.js';
import { Truth } from './truth.js';

const MINUTE_MS = 60_000;

/** The faults when #1 fails by the host, which said "wait" `waits` times at this interval. */
const faultsAfter = (waits: number, everyMs: number, refusals: readonly string[] = []) => {
  const truth = new Truth(fakeHost().createRepository({ ref: aRepo }), 'main', new Set(refusals));
  for (let n = 0; n < waits; n += 1) truth.askedToWait(1, BUILT_AT + n * everyMs);
  const queue = aQueue();
  const none = { submissions: new Map(), runs: new Map(), targets: new Map() };
  const mirror: Mirror = { queue, version: 1, ...none };
  const failed = { from: 'tests_passed', to: 'failed', reason: 'GITHUB_API_MERGE_PR_FAILED' } as const;
  const commit = aCommit({ writes: someWrites({ history: [aMove(1, failed)] }) });
  const change = { commit, before: mirror, after: mirror, now: BUILT_AT };
  return correctCulprits(truth, defaultPace)(change, new Book(queue.id, mirror));
};

test('a pull request may fail once the host has said "wait" twelve times over an hour', () => {
  expect(faultsAfter(13, 10 * MINUTE_MS)).toEqual([]);
  expect(faultsAfter(11, 10 * MINUTE_MS)).not.toEqual([]);
  expect(faultsAfter(13, MINUTE_MS)).not.toEqual([]);
});

test('a pull request may fail at once if the host refused it, and not if it refused nothing', () => {
  expect(faultsAfter(0, 0, ['pull_request'])).toEqual([]);
  expect(faultsAfter(0, 0)).not.toEqual([]);
});
