// A required check that is run again after its pass is read before its pull request lands.
import type { Conclusion, Sha } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

/** #2 has passed on top of #1, which is still under test. Then the checks of #2 are run again, unnoticed. */
const withRerun = async (
  settings: Parameters<typeof story>[0] = {},
  setup: Parameters<typeof story>[1] = {},
) => {
  const q = await story({ concurrency: 2, ...settings }, setup);
  await q.submit(1, 2);
  await q.passes('main+1+2');
  q.isIn({ 1: 'testing', 2: 'tests_passed' });
  await q.after('1s');
  await q.unseen(() => q.reruns('main+1+2'));
  await q.after('1s');
  return q;
};

const receiptOf = async (q: Story, pr: number) => {
  const { store, queue } = q.world;
  if (queue === null) throw q.world.error('There is no queue.');
  const { items } = await store.receipts({ queueId: queue.id, limit: 10 });
  return items.find((receipt) => receipt.pr === pr);
};

describe('a check that is running again when its pull request would land', () => {
  test('a check that is running again when its pull request would land delays the landing of its own pull request, not of the one ahead', async () => {
    const q = await withRerun();
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'testing' });
    q.hasLanded('main+1');
    q.waitsFor(2, 'check_run_again');
    q.explains(2, /check test was started again/);
    q.hasReason(2, 'CHECK_RUN_AGAIN');
  });

  test('a check that is running again when its pull request would land lets it land on the newer success, which the receipt names with the time of reading', async () => {
    const q = await withRerun();
    await q.passes('main+1');
    await q.passes('main+1+2');
    q.isIn({ 2: 'merged' });
    const receipt = await receiptOf(q, 2);
    const checks = q.world.repository.ci
      .checks()
      .filter(({ commit }) => q.world.contentOf(commit) === 'main+1+2');
    expect(receipt?.tested?.checks.map(({ id }) => id)).toEqual([checks.at(-1)?.id]);
    expect(receipt?.tested?.checksReadAt).toBe(q.world.clock.now());
  });

  test('a check that is running again when its pull request would land lets it land if it is skipped for its own test run', async () => {
    const q = await withRerun();
    await q.passes('main+1');
    await q.concludes('main+1+2', 'skipped');
    q.isIn({ 2: 'merged' });
  });

  test('a check that is running again when its pull request would land fails its test run if it fails', async () => {
    const q = await withRerun();
    await q.passes('main+1');
    await q.fails('main+1+2');
    q.isIn({ 2: 'failed' });
    q.hasReason(2, 'TEST_RUN_REQUIRED_STATUS_FAILED');
    q.hasLanded('main+1');
  });

  test('a check that is running again when its pull request would land proves nothing of the base any more, so that a baseline run comes before its pull request fails', async () => {
    const q = await story({ mode: 'parallel' }, { showsTip: false });
    await q.touches(1, ['//a']);
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    q.isIn({ 1: 'tests_passed' });
    await q.after('1s');
    await q.unseen(() => q.reruns('main+1'));
    await q.after('1s');
    await q.resumes();
    await q.fails('main+1');
    q.isIn({ 1: 'pending_failure' });
    q.isTesting('main');
    await q.passes('main');
    q.isIn({ 1: 'failed' });
  });

  test('a check that is running again when its pull request would land counts as a timeout of its run one testing timeout after it was first seen', async () => {
    const q = await withRerun({ testingTimeoutMinutes: 10 });
    await q.passes('main+1');
    await q.after('9m');
    q.isIn({ 2: 'testing' });
    await q.after('3m');
    q.isIn({ 2: 'failed' });
    q.hasReason(2, 'TEST_RUN_TIMEOUT');
  });

  test.each(['cancelled', 'infrastructure'] as const)(
    'a check that is running again when its pull request would land is repeated by the queue, once without a retry, if it ends as %s',
    async (conclusion) => {
      const q = await withRerun();
      await q.passes('main+1');
      await q.concludes('main+1+2', conclusion);
      q.isIn({ 2: 'testing' });
      expect(q.world.seen.submissions.get(2)?.submission.retries).toBe(0);
      await q.after('2m');
      q.isTesting('main+1+2');
      await q.passes('main+1+2');
      q.isIn({ 2: 'merged' });
      q.hasTested('main+1+2', 2);
    },
  );

  test('a check that is running again when its pull request would land and is cancelled twice uses up a retry the second time, and says so both times', async () => {
    const q = await withRerun();
    await q.passes('main+1');
    await q.concludes('main+1+2', 'cancelled');
    q.waitsFor(2, 'repeated');
    q.explains(2, /It was run again after it had passed, so it uses up no retry of #2/);
    await q.after('2m');
    await q.concludes('main+1+2', 'cancelled');
    q.waitsFor(2, 'retry');
    q.explains(2, /1 of 2 retries of this attempt are used/);
    await q.after('2m');
    await q.passes('main+1+2');
    q.isIn({ 2: 'merged' });
  });

  test('a check that is running again when its pull request would land is repeated without a retry, also if its test was repeated before its pass', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.concludes('main+1+2', 'cancelled');
    await q.after('2m');
    await q.passes('main+1+2');
    await q.after('1s');
    await q.unseen(() => q.reruns('main+1+2'));
    await q.passes('main+1');
    await q.concludes('main+1+2', 'cancelled');
    expect(q.world.seen.submissions.get(2)?.submission.retries).toBe(0);
    q.waitsFor(2, 'repeated');
    await q.after('2m');
    await q.passes('main+1+2');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });

  test('a check that is running again when its pull request would land is read once it has failed, and its old success is not reused', async () => {
    const q = await withRerun();
    await q.unseen(() => q.fails('main+1+2'));
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'failed' });
    await q.submit(2);
    q.isTesting('main+1+2');
  });

  test('a check that is running again when its pull request would land is noticed between polls if the host sends a hint', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1+2');
    await q.after('1s');
    await q.reruns('main+1+2');
    q.isIn({ 2: 'testing' });
    await q.passes('main+1+2');
    q.isIn({ 2: 'tests_passed' });
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });

  test('a check that is running again when its pull request would land lets others be tested as behind a running test', async () => {
    const q = await withRerun();
    await q.passes('main+1');
    await q.submit(3);
    q.isTesting('main+1+2', 'main+1+2+3');
    await q.passes('main+1+2+3');
    q.isIn({ 2: 'testing', 3: 'tests_passed' });
    await q.passes('main+1+2');
    q.isIn({ 2: 'merged', 3: 'merged' });
  });

  test('a check that is running again when its pull request would land is awaited twice; after the third time its pull request is tested again, alone', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1+2');
    for (let times = 1; times <= 2; times += 1) {
      await q.after('1s');
      await q.reruns('main+1+2');
      q.isIn({ 2: 'testing' });
      await q.passes('main+1+2');
      q.isIn({ 2: 'tests_passed' });
    }
    await q.after('1s');
    await q.reruns('main+1+2');
    expect(q.world.seen.submissions.get(2)?.submission.alone).toBe(true);
    q.hasOnRecord(/CHECKS_RUN_AGAIN_OFTEN/);
  });

  test('a check that is running again when its pull request would land of a batch that it fails starts a bisection', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 2 });
    await q.submit(1, 2, 3, 4);
    await q.passes('main+1+2+3+4');
    await q.after('1s');
    await q.reruns('main+1+2+3+4');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
    await q.fails('main+1+2+3+4');
    q.isTesting('main+1+2+3');
  });

  test('a check that is running again when its pull request would land of several lanes that land together delays its own lane', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['a']);
    await q.touches(2, ['b']);
    await q.pauses();
    await q.submit(1, 2);
    await q.resumes();
    await q.pauses();
    await q.passes('main+1');
    await q.passes('main+2');
    await q.after('1s');
    await q.unseen(() => q.reruns('main+2'));
    await q.after('1s');
    await q.resumes();
    await q.after('5m');
    q.isIn({ 1: 'merged', 2: 'testing' });
    q.hasLanded('main+1');
    await q.passes('main+2');
    q.isIn({ 2: 'merged' });
  });

  test('a check that is running again when its pull request would land revokes what optimistic merging had concluded from it', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+1+2');
    q.isIn({ 1: 'tests_passed', 2: 'tests_passed' });
    await q.after('1s');
    await q.unseen(() => q.reruns('main+1+2'));
    await q.after('1s');
    await q.resumes();
    q.hasLanded('main');
    q.isIn({ 2: 'testing' });
    await q.passes('main+1+2');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });

  test('a check that is running again when its pull request would land of a direct merge is read on its head', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.refusesLandings({ class: 'wait', pr: null, message: 'not now' });
    await q.showsHead(1, 'success');
    await q.submit(1);
    q.isIn({ 1: 'tests_passed' });
    await q.after('1s');
    await q.unseen(async () => q.world.repository.reportHeadChecks(1, { test: 'running' }));
    await q.refusesLandings(null);
    await q.after('20m');
    q.hasLanded('main');
    q.isIn({ 1: 'testing' });
  });
});

describe('a reused pass whose check runs again when its pull request would land', () => {
  /** #1 has passed on top of #3 by a pass of an earlier test run: of the same queue, or of one deleted since. */
  const withReusedPass = async ({ isOfDeletedQueue }: { readonly isOfDeletedQueue: boolean }) => {
    const q = await story({ concurrency: 2 });
    await q.submit(3, 1);
    await q.passes('main+3+1');
    await q.cancel(1);
    const runId = q.world.repository.ci
      .checks()
      .find(({ commit }) => q.world.contentOf(commit) === 'main+3+1')?.runId;
    if (runId === undefined || runId === null) throw q.world.error('There is no check.');
    if (isOfDeletedQueue) {
      await q.cancel(3);
      await q.deletesQueue();
      await q.createsQueue({ concurrency: 2 });
      await q.submit(3);
    }
    await q.after('10m');
    await q.edits(1, { title: 'another title' });
    await q.submit(1);
    q.isIn({ 1: 'tests_passed', 3: 'testing' });
    const { ci } = q.world.repository;
    await q.unseen(async () => void ci.rerun(runId));
    await q.after('1s');
    return { q, ci, runId };
  };

  const queues = [{ isOfDeletedQueue: false }, { isOfDeletedQueue: true }];

  test.each(queues)('a reused pass whose check has failed again does not land (%j)', async (queue) => {
    const { q, ci, runId } = await withReusedPass(queue);
    await q.unseen(async () => void ci.finish(runId, null, 'failure'));
    await q.after('1s');
    await q.passes('main+3');
    q.hasLanded('main+3');
    q.isIn({ 1: 'testing' });
  });

  test.each(queues)('a reused pass whose check runs again is waited for (%j)', async (queue) => {
    const { q } = await withReusedPass(queue);
    await q.passes('main+3');
    await q.after('5m');
    q.hasLanded('main+3');
    q.isIn({ 1: 'testing' });
    q.waitsFor(1, 'check_run_again');
    await q.passes('main+3+1');
    q.isIn({ 1: 'merged' });
  });

  test('a reused pass whose check has failed again does not land if the host does not say for which test run a check ran', async () => {
    const q = await story({ concurrency: 2 });
    const { ci, candidates } = q.world.repository;
    ci.startsBy = 'silence';
    await q.submit(3, 1);
    const commitOf = (content: string): Sha => {
      const found = [...candidates.values()].find((commit) => q.world.contentOf(commit) === content);
      if (found === undefined) throw q.world.error(`There is no candidate of ${content}.`);
      return found;
    };
    const ends = (commit: Sha, conclusion: Conclusion) =>
      q.world.act(() => void ci.report(commit, { name: 'test', conclusion, source: 'ci' }));
    const first = commitOf('main+3+1');
    await ends(first, 'success');
    await q.after('1m');
    await q.cancel(1);
    await q.after('1m');
    await q.edits(1, { title: 'another title' });
    await q.submit(1);
    q.isIn({ 1: 'tests_passed' });
    await ends(first, 'failure');
    await q.after('1m');
    await ends(commitOf('main+3'), 'success');
    await q.after('1m');
    q.hasLanded('main+3');
  });
});
