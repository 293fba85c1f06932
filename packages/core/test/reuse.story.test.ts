import { verifyReceipts } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { TestRunId } from '../src/index.js';

const story = stories(afterEach);

describe('checks that the host shows as passed are not run again', () => {
  test('checks that the host shows as passed are not run again if a pull request leaves before its pass is read, and is submitted again', async () => {
    const q = await story();
    await q.submit(1);
    await q.unseen(() => q.passes('main+1'));
    await q.cancel(1);
    await q.submit(1);

    q.hasLanded('main+1');
    q.hasTested('main+1', 1);
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('checks that the host shows as passed are not run again if one of two leaves while both pass, and is submitted again behind the other', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.unseen(() => q.passes('main+1+2'));
    await q.cancel(2);
    await q.submit(2);

    q.isIn({ 1: 'testing', 2: 'tests_passed' });
    q.hasTested('main+1+2', 1);
    await q.passes('main+1');
    q.hasLanded('main+1+2');
  });

  test('checks that the host shows as passed are not run again unless they were run once more and failed', async () => {
    const q = await story();
    await q.submit(1);
    await q.unseen(async () => {
      await q.passes('main+1');
      await q.after('1s');
      await q.reports('main+1', 'test', 'failure');
      await q.cancel(1);
    });
    await q.after('1s');
    await q.submit(1);

    q.isTesting('main+1');
  });
});

describe('a direct merge of an up-to-date pull request', () => {
  test('a direct merge of an up-to-date pull request is not made if the queue tests always', async () => {
    const q = await story();
    await q.showsHead(1, 'success');
    await q.submit(1);

    q.isTesting('main+1');
  });

  test('a direct merge of an up-to-date pull request is not made by checks of its head that failed in a rerun', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.after('1s');
    await q.showsHead(1, 'failure');
    await q.submit(1);

    q.isTesting('main+1');
  });

  test('a direct merge of an up-to-date pull request is shown only if its own checks had passed, not if the queue had tested it before', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.cancel(1);
    await q.resumes();
    await q.submit(1);

    q.isIn({ 1: 'merged' });
    q.hasTested('main+1', 1);
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('a direct merge of an up-to-date pull request is not shown if the pull request was behind the target', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.pushesToTarget();
    await q.submit(1);
    await q.pauses();
    await q.passes('main+push+1');
    await q.cancel(1);
    await q.resumes();
    await q.submit(1);

    q.isIn({ 1: 'merged' });
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('a direct merge of an up-to-date pull request is not made while the queue is paused or draining', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.pauses();
    await q.submit(1);
    q.waitsFor(1, 'queue_paused');
    await q.drains();
    q.waitsFor(1, 'queue_draining');

    await q.resumes();
    q.hasReason(1, 'MERGE_GRAPH_DIRECT_MERGE');
    const { submission } = await q.world.mq.getSubmission({ ...q.world.ref, pr: 1 });
    expect(submission.verifiedBy).toBeNull();
  });

  test('a direct merge of an up-to-date pull request passes another lane that is under test', async () => {
    const q = await story({ directMergeMode: 'always', mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.showsHead(2, 'success');
    await q.submit(1, 2);

    q.hasLanded('main+2');
    q.hasReason(2, 'MERGE_GRAPH_DIRECT_MERGE');
    await q.passes('main+1');
    q.hasLanded('main+2+1');
  });

  test('a direct merge of an up-to-date pull request is replaced by a test of the checks that its head has not shown', async () => {
    const q = await story({ directMergeMode: 'always' }, { checks: ['lint', 'test'] });
    await q.opens(1);
    q.world.repository.reportHeadChecks(1, { lint: 'success' });
    await q.submit(1);
    q.hasTested('main+1', 1);
    await q.passes('main+1', 'test');

    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('a direct merge of an up-to-date pull request is not made by its own checks if one of them had passed in the queue before', async () => {
    const q = await story({ directMergeMode: 'always' }, { checks: ['lint', 'test'] });
    await q.opens(1);
    q.world.repository.reportHeadChecks(1, { lint: 'success' });
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1', 'test');
    await q.cancel(1);
    await q.resumes();
    await q.submit(1);

    q.hasReason(1, 'MERGE_GRAPH_MERGE');
    q.hasTested('main+1', 1);
  });

  test('a direct merge of an up-to-date pull request is replaced by a test if direct merges are switched off before it has landed', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.refusesLandings({ class: 'wait', pr: 1, message: 'rate limit' });
    await q.submit(1);
    q.isIn({ 1: 'tests_passed' });

    await q.pauses();
    await q.configures({ directMergeMode: 'off' });
    q.hasReason(1, 'DIRECT_MERGE_OFF');

    await q.refusesLandings(null);
    await q.resumes();
    q.isTesting('main+1');
    await q.passes('main+1');
    q.isIn({ 1: 'merged' });
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
  });

  test('a direct merge of an up-to-date pull request is not made if direct merges are switched off while its commit is built', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.losesAnswer('buildCandidate', 'fails_after');
    await q.submit(1);
    q.waitsFor(1, 'trial');

    await q.configures({ directMergeMode: 'off' });
    await q.after('2m');
    q.isTesting('main+1');
  });

  test('a direct merge of an up-to-date pull request ignores results that its head shows too late', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.submit(1);
    await q.showsHead(1, 'success');
    await q.after('5m');

    q.isTesting('main+1');
  });
});

describe('what passed is not tested again', () => {
  test('what passed is not tested again in another order with the same tree', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+1+2');
    await q.cancel(1);
    await q.cancel(2);
    await q.submit(2, 1);
    await q.resumes();

    q.hasLanded('main+2+1');
    q.hasTested('main+1+2', 1);
    q.hasTested('main+2+1', 0);
  });

  test('what passed is not tested again if only another check broke down or failed', async () => {
    const q = await story({}, { checks: ['lint', 'test'] });
    await q.submit(1);
    await q.passes('main+1', 'lint');
    await q.breaksDown('main+1', 'test');
    await q.after('1m');
    await q.fails('main+1', 'test');
    q.isIn({ 1: 'failed' });
    await q.submit(1);
    await q.passes('main+1');

    q.isIn({ 1: 'merged' });
    const asked = q.world.repository.ci.checks().filter(({ runId }) => runId !== null);
    expect(asked.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['lint', 'success'],
      ['test', 'infrastructure'],
      ['test', 'failure'],
      ['test', 'success'],
    ]);
  });

  test('what passed is not tested again if the server ended between the pass and the landing', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.crashes();
    await q.resumes();

    q.hasLanded('main+1');
    q.hasTested('main+1', 1);
  });

  test('what passed is not tested again if the pass came after the timeout, and it was submitted again', async () => {
    const q = await story({ testingTimeoutMinutes: 10 });
    await q.submit(1);
    await q.after('11m');
    q.isIn({ 1: 'failed' });
    await q.reports('main+1', 'test', 'success');
    await q.submit(1);

    q.hasLanded('main+1');
    q.hasTested('main+1', 1);
  });
});

describe('changes outside of the queue', () => {
  test('a push of the tested commit itself leaves nothing to land', async () => {
    const q = await story();
    await q.submit(1, 2);
    const tested = q.world.checks().find(({ isRunning }) => isRunning)?.commit;
    await q.pauses();
    await q.passes('main+1');
    await q.world.act(() => {
      if (tested !== undefined) q.world.repository.restoreBranch('main', tested);
    });
    await q.resumes();
    await q.after('5m');

    q.isIn({ 1: 'merged', 2: 'testing' });
    q.hasReason(1, 'NOTHING_TO_LAND');
    q.isTesting('main+1+2');
  });

  test('a branch that was set back is detected by the verification of its receipts', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1');
    await q.rewinds(1);
    await q.passes('main+2');

    const { items } = await q.world.mq.receipts(q.world.ref);
    expect(verifyReceipts(items).faults.map(({ code, number }) => [code, number])).toEqual([
      ['BRANCH_MOVED_BACK', 2],
    ]);
  });
});

describe('a pull request that needs no test', () => {
  const sentencesOf = async (q: Story) => {
    const { story: attempt } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    return attempt.events.map(({ sentence }) => sentence.replaceAll(/, test run \S+\.|Test run \S+/g, 'R'));
  };
  const results = async (q: Story) =>
    (await q.world.mq.listTestingResults({ ...q.world.ref, since: 0 })).items.map(({ pr }) => pr);

  test('a pull request that needs no test because its own checks have passed says so, and has no test result', async () => {
    const q = await story({ directMergeMode: 'always' });
    await q.showsHead(1, 'success');
    await q.submit(1);

    q.hasReason(1, 'MERGE_GRAPH_DIRECT_MERGE');
    expect((await sentencesOf(q)).slice(2, -1)).toEqual([
      '#1 got a test slotR',
      'R was started to see what is left to test of #1.',
      'R of #1 passed at once, as nothing was left to test.',
      '#1 passed: It needed no test: all required checks had already passedR',
    ]);
    expect(await results(q)).toEqual([]);
  });

  test('a pull request that needs no test because the same tree has passed before says so, and was tested once', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.cancel(1);
    await q.submit(1);
    await q.resumes();

    q.isIn({ 1: 'merged' });
    const { items } = await q.world.mq.timeline({ ...q.world.ref, pr: 1 });
    const passes = items.flatMap((row) =>
      row.type === 'moved' && row.to === 'tests_passed' ? row.reason : [],
    );
    expect(passes).toEqual(['PASSED_BY_OPTIMIZATION', 'TEST_RUN_PASSED']);
    expect(await sentencesOf(q)).toContain('R of #1 passed at once, as nothing was left to test.');
    const receipts = await q.world.mq.receipts(q.world.ref);
    const tested = receipts.items[0]?.tested;
    const run = await q.world.mq.getRun({ ...q.world.ref, testRunId: tested?.runId as TestRunId });
    expect(run.explanation).toMatch(/of #1 passed at once, as nothing was left to test; /);
    expect(await results(q)).toEqual([1]);
  });
});

describe('a restart of tests', () => {
  test('a restart of tests of a batch member tests the same batch again, without later pull requests', async () => {
    const q = await story({ batch: true, batchingMinSize: 3 });
    await q.submit(1, 2);
    await q.after('6m');
    await q.submit(3);
    await q.restart(1);

    q.isTesting('main+1+2');
    q.hasTested('main+1+2', 2);
  });

  test('a restart of tests tests no pull request behind it again, and is refused after a pass', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3);
    await q.restart(1);
    await q.passes('main+1+2');
    await q.isRefused('NO_RUN_TO_RESTART', () => q.restart(2));
    await q.passes('main+1');
    await q.passes('main+1+2+3');

    q.hasLanded('main+1+2+3');
    q.hasTested('main+1+2', 1);
    q.hasTested('main+1+2+3', 1);
  });
});

describe('a pass that was run once more and failed', () => {
  test('a pass that was run once more and failed is not used for a new attempt', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.after('1m');
    await q.reports('main+1', 'test', 'failure');
    await q.cancel(1);
    await q.resumes();
    await q.after('1m');
    await q.submit(1);

    q.isTesting('main+1');
  });
});
