// A pull request waits for one that it conflicts with only while candidates are built on that one.
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

type Settings = Parameters<typeof story>[0];

/** #2 conflicts with #1, which is under test ahead of it. */
const behindConflict = async (settings: Settings = {}): Promise<Story> => {
  const q = await story({ concurrency: 2, ...settings });
  await q.opens(1, { number: 2, conflictsWith: 1 });
  await q.submit(1, 2);
  q.isTesting('main+1');
  q.waitsFor(2, 'conflict_ahead');
  return q;
};

describe('a conflict with a pull request ahead', () => {
  test('a conflict with a pull request ahead ends when that one is on hold, and the other may land first', async () => {
    const q = await behindConflict();
    await q.saysMergeability(1, 'not_mergeable');
    q.isTesting('main+2');
    q.waitsFor(1, 'mergeable');
    await q.passes('main+2');
    q.isIn({ 2: 'merged' });

    await q.saysMergeability(1, null);
    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'START_TEST_RUN_MERGE_CONFLICT');
  });

  test('a conflict with a pull request ahead is found again when that one returns from hold before the other has started', async () => {
    const q = await behindConflict();
    await q.pauses();
    await q.saysMergeability(1, 'not_mergeable');
    await q.saysMergeability(1, null);
    await q.resumes();
    q.isTesting('main+1');
    q.waitsFor(2, 'conflict_ahead');
    await q.fails('main+1');
    q.isTesting('main+2');
  });

  test('a conflict with a pull request ahead ends when the failure of that one is being confirmed', async () => {
    const q = await behindConflict({ confirmBeforeFailing: true });
    await q.fails('main+1');
    q.waitsFor(1, 'confirmation');
    q.isTesting('main+1', 'main+2');
  });

  test('a conflict with a pull request ahead ends when that one waits for its witnesses', async () => {
    const q = await story({ concurrency: 3, pendingFailureDepth: 1 });
    await q.opens(1, 2, { number: 3, conflictsWith: 1 });
    await q.submit(1, 2, 3);
    q.waitsFor(3, 'conflict_ahead');
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    q.isTesting('main+1+2', 'main+2+3');
  });

  test('a conflict with a pull request ahead lasts while a witness of its failure, behind both, is tested on top of it', async () => {
    const q = await story({ concurrency: 3, pendingFailureDepth: 1 });
    await q.opens(1, { number: 2, conflictsWith: 1 }, 3);
    await q.submit(1, 2, { skipTheLine: true });
    await q.submit(3);
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    q.waitsFor(2, 'conflict_ahead');
    q.isTesting('main+1+3');
    await q.fails('main+1+3');
    q.isIn({ 1: 'failed' });
    q.isTesting('main+2', 'main+2+3');
  });

  test('a conflict with a pull request ahead is found once, also if the witness behind both has not been tested yet', async () => {
    const q = await story({
      mode: 'parallel',
      concurrency: 2,
      pendingFailureDepth: 1,
      canOptimisticallyMerge: true,
    });
    await q.opens(1, { number: 2, conflictsWith: 1 }, 3);
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.touches(3, ['//a', '//b']);
    await q.submit(1, 2, 3);
    q.isTesting('main+1', 'main+2');
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    q.isTesting('main+1+3', 'main+3+2');
  });

  test('a conflict with a pull request ahead ends when the batch of that one is bisected', async () => {
    const q = await story({ concurrency: 2, batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 1 });
    await q.opens(1, 2, { number: 3, conflictsWith: 2 });
    await q.submit(1, 2, 3);
    await q.after('2m');
    q.waitsFor(3, 'conflict_ahead');
    await q.fails('main+1+2');
    q.isTesting('main+1', 'main+3');
  });

  test('a conflict with a pull request ahead ends when the host cannot merge that one', async () => {
    const q = await behindConflict();
    const fault = { code: 'MERGE_NOT_COMPUTABLE', message: 'too slow', with: 'target' } as const;
    q.world.repository.faults.set(1, fault);
    await q.pushesToTarget();
    q.waitsFor(1, 'host_fault');
    q.isTesting('main+push+2');
  });

  test('a conflict with a pull request ahead ends when that one waits for a conflict of its own', async () => {
    const q = await story({ concurrency: 3 });
    await q.opens({ number: 1, commits: [{ 'one.txt': 'by 1\n' }] });
    await q.opens({ number: 2, commits: [{ 'one.txt': 'by 2\n', 'two.txt': 'by 2\n' }] });
    await q.opens({ number: 3, commits: [{ 'two.txt': 'by 3\n' }] });
    await q.submit(2, 3);
    q.waitsFor(3, 'conflict_ahead');
    await q.submit(1, { skipTheLine: true });
    q.waitsFor(2, 'conflict_ahead');
    q.isTesting('main+1', 'main+1+3');
  });
});
