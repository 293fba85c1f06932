import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { PullRequestFault } from '../src/index.js';

const story = stories(afterEach);

const aborts: PullRequestFault = {
  code: 'MERGE_NOT_COMPUTABLE',
  message: 'git merge-tree crashed (SIGABRT)',
};
const unreadable: PullRequestFault = { code: 'PULL_REQUEST_UNREADABLE', message: 'object is corrupt' };

const failsOn = (
  q: Story,
  pr: number,
  fault: PullRequestFault | null,
  below: number | 'target' = 'target',
): Promise<void> =>
  q.world.act(() => q.world.repository.faults.set(pr, fault === null ? null : { ...fault, with: below }));

describe('a pull request that the host cannot merge with the target', () => {
  test('a pull request that the host cannot merge with the target fails after three tries with a backoff when it is submitted, and the others merge meanwhile', async () => {
    const q = await story({ concurrency: 3 });
    await q.opens(1, 2, 3);
    await failsOn(q, 2, aborts);
    await q.submit(1, 2, 3);
    q.isIn({ 1: 'testing', 2: 'not_ready', 3: 'testing' });
    q.waitsFor(2, 'host_fault');
    q.explains(2, /crashed \(SIGABRT\).*try 1 of 3/);
    await q.passes('main+1');
    await q.passes('main+1+3');
    q.isIn({ 1: 'merged', 2: 'not_ready', 3: 'merged' });
    await q.after('35s');
    q.explains(2, /try 2 of 3/);
    await q.after('65s');
    q.isIn({ 2: 'failed' });
    q.hasReason(2, 'MERGE_NOT_COMPUTABLE');
    q.hasOnRecord(/MERGE_NOT_COMPUTABLE: git merge-tree crashed/);
  });

  test('a pull request that the host cannot merge with the target leaves the line between tries when its candidate shows the fault, so that others are tested without it', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    await q.submit(2, 3);
    await failsOn(q, 2, aborts);
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'pending', 3: 'testing' });
    q.isTesting('main+1+3');
    q.waitsFor(2, 'host_fault');
    await q.after('2m');
    q.isIn({ 2: 'failed', 3: 'testing' });
    q.hasReason(2, 'MERGE_NOT_COMPUTABLE');
    await q.passes('main+1+3');
    q.hasLanded('main+1+3');
    q.hasTested('main+1+3', 1);
  });

  test('a pull request that the host cannot merge with the target goes on by itself when the host can merge it again before the third try', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    await q.submit(2);
    await failsOn(q, 2, aborts);
    await q.passes('main+1');
    q.isIn({ 2: 'pending' });
    await failsOn(q, 2, null);
    await q.after('2m');
    q.isIn({ 2: 'testing' });
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });

  test('a pull request that the host cannot merge with the target fails once its candidate could not be built three times, though every read of it succeeds', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    await q.submit(2);
    await q.world.act(() => q.world.repository.faults.set(2, { ...aborts, with: 'target', isShown: false }));
    await q.passes('main+1');
    await q.after('5m');
    q.isIn({ 1: 'merged', 2: 'failed' });
    q.hasReason(2, 'MERGE_NOT_COMPUTABLE');
  });
});

test('a merge that fails only with a pull request ahead waits for that one, like a conflict', async () => {
  const q = await story({ concurrency: 3 });
  await q.opens(1, 2, 3);
  await failsOn(q, 2, aborts, 1);
  await q.submit(1, 2, 3);
  q.isIn({ 1: 'testing', 2: 'pending', 3: 'testing' });
  q.isTesting('main+1', 'main+1+3');
  q.waitsFor(2, 'not_computable_ahead');
  q.hasOnRecord(/MERGE_NOT_COMPUTABLE_AHEAD/);
  q.explains(2, /#1/);
  q.explains(3, /on top of #1 without #2 \(cannot be merged on top of one ahead of it\)/);
  await q.cancel(1);
  q.isIn({ 2: 'testing' });
  q.hasTested('main+2', 1);
});

describe('a pull request that the host cannot read', () => {
  test('a pull request that the host cannot read is refused at the submit, and nothing is stored', async () => {
    const q = await story();
    await q.opens(1);
    await failsOn(q, 1, unreadable);
    await q.isRefused('PULL_REQUEST_UNREADABLE', () => q.submit(1));
    await q.isRefused('NOT_SUBMITTED', () => q.cancel(1));
  });

  test('a pull request that the host cannot read fails after three reads in the queue, while the others are read and merged', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await failsOn(q, 2, unreadable);
    await q.after('5m');
    q.isIn({ 1: 'testing', 2: 'failed' });
    q.hasReason(2, 'PULL_REQUEST_UNREADABLE');
    await q.passes('main+1');
    q.hasLanded('main+1');
  });
});

test('a suspect that the host cannot merge ends the bisection: each member is tested alone, and only that one fails', async () => {
  const q = await story({ batch: true, batchingMinSize: 4, bisectionConcurrency: 1, concurrency: 4 });
  await q.submit(1, 2, 3, 4);
  q.world.repository.faults.set(2, { ...aborts, with: 'target', isShown: false });
  await q.fails('main+1+2+3+4');
  q.waitsFor(1, 'isolation');
  await q.after('20m');
  q.isIn({ 2: 'failed' });
  q.hasReason(2, 'MERGE_NOT_COMPUTABLE');
  q.isTesting('main+1', 'main+1+3', 'main+1+3+4');
  for (const content of ['main+1', 'main+1+3', 'main+1+3+4']) await q.passes(content);
  q.hasLanded('main+1+3+4');
});

test('a landing under way ends while the host fails on another pull request, and on the mergeability of this one', async () => {
  const q = await story({ concurrency: 2 });
  await q.submit(1, 2);
  await failsOn(q, 2, unreadable);
  await q.beforeLanding(() => failsOn(q, 1, aborts));
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
  expect(q.world.repository.pulls.get(1)?.state).toBe('merged');
});
