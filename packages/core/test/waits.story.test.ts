import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { WaitCode } from '../src/index.js';

const story = stories(afterEach);

const causesOf = async (q: Story, pr: number) => {
  const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr });
  return waiting?.causes ?? [];
};
const chainOf = async (q: Story, pr: number): Promise<readonly WaitCode[]> =>
  (await causesOf(q, pr)).map(({ code }) => code);

const eachAlone = async (q: Story, ...prs: readonly number[]): Promise<void> => {
  for (const pr of prs) await q.touches(pr, [`//${pr}`]);
  await q.submit(...prs);
};

describe('the target', () => {
  test('the target shows that it does not exist, to a pull request that is not ready with a deadline', async () => {
    const q = await story({ notReadyTimeoutHours: 1 });
    await q.opens(2);
    await q.submit(1);
    await q.deletesTarget();
    q.waitsFor(1, 'target_branch');
    q.explains(1, /^The target branch main does not exist \(read \d+ s ago\)\.$/);

    await q.restoresTarget();
    q.waitsFor(1, 'checks');
  });

  test('the target does not block the line for ever if it is gone', async () => {
    const q = await story({ notReadyTimeoutHours: 1 });
    await q.submit(1, 2);
    await q.deletesTarget();
    await q.after('61m');
    q.isIn({ 1: 'cancelled', 2: 'cancelled' });
    q.hasReason(1, 'NOT_READY_TIMEOUT_EXPIRED');
  });

  test('the target is read before anything starts', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.goesDown();
    await q.after('5m');

    expect(await chainOf(q, 2)).toEqual(['target_unread', 'host_trouble']);
    q.explains(2, /^Waiting for a fresh read of main: it was last read 5 min ago\. /);
    await q.comesBack();
  });
});

describe('far back in the line', () => {
  test('a test run includes at most a hundred others', async () => {
    const q = await story({ concurrency: 110 });
    await q.submit(...Array.from({ length: 101 }, (_, index) => index + 1));

    q.waitsFor(100, 'checks');
    expect(await chainOf(q, 101)).toEqual(['stack_limit', 'checks']);
    q.explains(101, /^#101 has at least 100 undecided pull requests ahead of it in its lane/);
  });
});

describe('in a test run', () => {
  test('a candidate that could not be built uses no retry, and is built again', async () => {
    const q = await story({ concurrency: 1 });
    q.world.repository.buildingRefusal = { class: 'wait', pr: null, message: 'The base is not there yet' };
    await q.submit(1, 2);
    q.waitsFor(1, 'rebuild');
    q.explains(
      1,
      /^The commit to test #1 could not be built: The base is not there yet; this uses up no retry of #1\./,
    );
    q.world.repository.buildingRefusal = null;
    await q.after('1m');
    q.waitsFor(1, 'checks');
    q.hasReason(1, 'CAPACITY_AVAILABLE');
  });

  test('an infrastructure failure is shown only while it is the cause of the wait', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await eachAlone(q, 1, 2);
    await q.breaksDown('main+1');
    await q.breaksDown('main+2');
    q.waitsFor(1, 'machinery');
    q.world.repository.buildingRefusal = { class: 'wait', pr: null, message: 'The base is not there yet' };

    await q.after('3m');

    q.waitsFor(1, 'rebuild');
    q.explains(1, /^The commit to test #1 could not be built: The base is not there yet;/);
    q.world.repository.buildingRefusal = null;
  });

  test('a candidate that could not be built does not count as a test after a hold', async () => {
    const q = await story();
    q.world.repository.buildingRefusal = { class: 'wait', pr: null, message: 'The base is not there yet' };
    await q.submit(1);
    await q.saysMergeability(1, 'not_mergeable');
    await q.saysMergeability(1, 'mergeable');

    q.waitsFor(1, 'rebuild');
    q.world.repository.buildingRefusal = null;
  });

  test('a pull request that blocked it meanwhile is not shown as the result of the last test', async () => {
    const q = await story({ concurrency: 3 });
    await q.opens(1, { number: 3, conflictsWith: 1 });
    await q.submit(1);
    await q.breaksDown('main+1');
    await q.submit(3, { skipTheLine: true });
    await q.submit(4);
    q.waitsFor(1, 'conflict_ahead');

    await q.cancel(3);

    q.explains(1, /^The last test of #1 ended without a verdict: no details are known; 1 of/);
  });

  test('the build of its commit is shown', async () => {
    const q = await story();
    await q.losesAnswer('buildCandidate', 'fails_before');
    await q.submit(1);

    expect(await chainOf(q, 1)).toEqual(['trial', 'host_trouble']);
    q.explains(
      1,
      /^The commit to test #1 \(test run \S+\) is being built on main at \w{8}, started 0 s ago\. /,
    );
    await q.after('1m');
    q.waitsFor(1, 'checks');
  });

  test('queued checks are shown as a wait for a free runner', async () => {
    const q = await story();
    await q.startsChecks('silence');
    await q.submit(1);
    const run = (await q.world.mq.listRuns(q.world.ref))[0]?.run;
    if (run?.candidate == null) throw new Error('nothing was built');
    q.world.repository.ci.report(run.candidate.commit, { name: 'test', status: 'queued', runId: run.id });
    await q.after('3m');

    expect(await chainOf(q, 1)).toEqual(['queued_checks']);
    q.explains(1, /waits for a free CI runner \(test run \S+, queued for 3 min\): test\.$/);
  });

  test('an old result on the same commit says nothing about its own checks', async () => {
    const q = await story();
    await q.submit(1);
    await q.startsChecks('silence');
    await q.breaksDown('main+1');
    await q.after('5m');

    q.explains(1, /^#1 is in test run \S+: the CI has not reported test after 4 min\.$/);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect(waiting?.remedy).toMatch(
      / unless a check has started by then: make sure that the CI tests what the queue builds\.$/,
    );
  });

  test('an old pass of the target says nothing about a repeated baseline run', async () => {
    const q = await story({ concurrency: 2 });
    await q.after('1m');
    await q.submit(1);
    await q.fails('main+1');
    await q.submit(2);
    await q.startsChecks('silence');
    await q.fails('main+2');
    await q.after('5m');

    expect(await chainOf(q, 2)).toEqual(['control', 'checks']);
    expect((await causesOf(q, 2))[1]?.sentence).toMatch(
      /^main is in test run \S+: the CI has not reported test after/,
    );
  });

  test('the time without an answer of the code host counts from the first open question', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.goesDown();
    await q.after('10m');

    await q.resumes();
    q.explains(1, /^main is being moved .* Requests to the code host have been failing for 8 min: .*\.$/);

    await q.comesBack();
    await q.after('15m');
    q.isIn({ 1: 'merged' });
  });

  test('a test run whose time is up waits for an answer of the code host', async () => {
    const q = await story({ testingTimeoutMinutes: 30 });
    await q.submit(1);
    await q.goesDown();
    await q.after('40m');

    expect(await chainOf(q, 1)).toEqual(['checks', 'host_trouble']);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect([waiting?.untilAt, waiting?.causes[0]?.untilAt]).toEqual([null, null]);
    const [run] = await q.world.mq.listRuns(q.world.ref);
    expect(run?.explanation).toMatch(/check test has been running for 40 min/);
    await q.comesBack();
    await q.after('10m');
    // The long time without a decision moved its deadline by the testing timeout.
    q.isIn({ 1: 'testing' });
    await q.after('15m');
    q.hasReason(1, 'TEST_RUN_TIMEOUT');
  });

  test('a required check that no test run has ever shown is named once half of the time is over', async () => {
    const q = await story({ testingTimeoutMinutes: 60, requiredStatuses: ['test', 'audit'] });
    await q.startsChecks('silence');
    await q.submit(1);
    await q.reports('main+1', 'test', 'success').catch(() => undefined);
    const run = (await q.world.mq.listRuns(q.world.ref))[0]?.run;
    if (run?.candidate == null) throw new Error('nothing was built');
    const { commit } = run.candidate;
    q.world.repository.ci.report(commit, { name: 'test', conclusion: 'success', runId: run.id });
    await q.after('29m');
    expect(await chainOf(q, 1)).toEqual(['checks']);

    await q.after('1m');
    expect(await chainOf(q, 1)).toEqual(['checks', 'unreported_check']);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect(waiting?.remedy).toMatch(/^Have the CI report audit/);
  });

  test('a required check that is never reported is the remedy, not the target', async () => {
    const q = await story({ testingTimeoutMinutes: 60, requiredStatuses: ['test', 'audit'] });
    const testOnly = async () => {
      for (const [runId, commit] of q.world.repository.candidates)
        q.world.repository.ci.report(commit, { name: 'test', runId });
      await q.world.settle();
    };
    await q.startsChecks('silence');
    await q.submit(1);
    await testOnly();
    await q.after('61m');
    q.isIn({ 1: 'pending_failure' });
    await testOnly();
    await q.after('61m');

    await testOnly();
    await q.after('61m');

    q.queueIs('paused');
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect(waiting?.sentence).toMatch(/main itself does not finish audit in time/);
    expect(waiting?.remedy).toBe(
      'Have the CI report audit for the commits that the queue tests, or remove audit from the required checks, then set the queue running.',
    );

    await q.configures({ requiredStatuses: ['test'] });
    await q.resumes();
    await testOnly();
    q.isIn({ 1: 'merged' });
  });
});

describe('during a bisection', () => {
  test('members that have landed are not shown as under test', async () => {
    const q = await story({ batch: true, batchingMinSize: 4, concurrency: 1, bisectionConcurrency: 2 });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    q.isTesting('main+1', 'main+1+2+3');
    await q.passes('main+1');

    q.hasLanded('main+1');
    q.explains(4, /#1 is cleared, it is among #2, #3 and #4, tested now: #2 and #3\.$/);
    expect((await causesOf(q, 4))[1]?.sentence).toMatch(/^#2 is in test run \S+ together with #3: /);
  });

  const two = { batch: true, batchingMinSize: 2, bisectionConcurrency: 1 } as const;

  test('the next bisection test waits after one without a verdict', async () => {
    const q = await story({ ...two, concurrency: 1 });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.breaksDown('main+1');

    expect(await chainOf(q, 2)).toEqual(['isolation', 'isolation_retry']);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 2 });
    expect(waiting?.untilAt).toBe(q.world.clock.now() + 60_000);
    expect(waiting?.remedy).toMatch(/The next step comes by 2026-01-01 00:01:00 UTC\.$/);
  });

  test('a bisection test waits for the slot of another batch', async () => {
    const q = await story({ ...two, mode: 'parallel', concurrency: 4 });
    for (const [pr, target] of [
      [1, '//a'],
      [2, '//a'],
      [3, '//b'],
      [4, '//b'],
    ] as const)
      await q.touches(pr, [target]);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2');
    await q.fails('main+3+4');

    expect(await chainOf(q, 4)).toEqual(['isolation', 'isolation_slot', 'checks']);
    expect((await causesOf(q, 4))[1]?.sentence).toMatch(
      /waits for a bisection slot: 1 of 1 in use, by #1\.$/,
    );
  });

  test('a cleared member is not shown as failed during a baseline run', async () => {
    const q = await story({ ...two, concurrency: 1 }, { showsTip: false });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.fails('main+1');

    expect(await chainOf(q, 2)).toEqual(['isolation', 'control', 'checks']);
    expect((await causesOf(q, 2))[1]?.sentence).toMatch(/^The tests of #1 failed/);
  });
});

describe('after a pass', () => {
  test('another landing under way is shown', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 });
    await eachAlone(q, 1, 2, 3);
    await q.losesAnswer('land', 'fails_before');
    await q.passes('main+1');
    await q.passes('main+2');

    expect(await chainOf(q, 1)).toEqual(['landing', 'host_trouble']);
    expect(await chainOf(q, 2)).toEqual(['other_landing', 'host_trouble']);
    q.explains(
      2,
      /^#2 passed its tests in test run \S+ and waits for the merge of #1, which started 0 s ago. /,
    );
    await q.after('1m');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });

  test('the build of a combined commit is shown', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 });
    await eachAlone(q, 1, 2, 3);
    await q.passes('main+1');
    await q.losesAnswer('buildCandidate', 'fails_before');
    await q.passes('main+2');

    expect(await chainOf(q, 2)).toEqual(['composition', 'host_trouble']);
    q.explains(2, /^The commit that merges #2 is being built on main at \w{8} \(run \S+, started /);
    await q.after('1m');
    q.isIn({ 2: 'merged' });
  });

  test('a pull request that passes during the build of a combined commit lands after it', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 });
    await eachAlone(q, 1, 2, 3);
    await q.passes('main+1');
    await q.losesAnswer('buildCandidate', 'fails_before');
    await q.passes('main+2');
    await q.passes('main+3');

    expect(await chainOf(q, 3)).toEqual(['composition', 'host_trouble']);
    q.explains(3, /^The commit that merges #2 is being built on main at \w{8} \(run \S+, started /);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 3 });
    expect(waiting?.remedy).toBe(
      'Make sure that the code host can be reached and gives the queue access; the queue retries by itself.',
    );
    await q.after('1m');
    q.isIn({ 2: 'merged', 3: 'merged' });
  });

  test('a delay of all landings by the code host is shown', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await eachAlone(q, 1, 2);
    await q.refusesLandings({ class: 'wait', pr: null, message: 'the branch is locked' });
    await q.passes('main+1');
    await q.passes('main+2');

    expect(await chainOf(q, 1)).toEqual(['host']);
    expect(await chainOf(q, 2)).toEqual(['landing_delay']);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 2 });
    expect(waiting?.untilAt).toBe(q.world.clock.now() + 30_000);
    await q.refusesLandings(null);
    await q.after('1m');
    q.isIn({ 1: 'merged', 2: 'merged' });
  });
});

test('the wait shows that nothing blocks a pull request before the queue has decided', async () => {
  const q = await story();
  await q.submit(1);
  await q.breaksDown('main+1');
  q.waitsFor(1, 'retry');
  await q.world.clock.advance(31_000);

  expect(await chainOf(q, 1)).toEqual(['decision']);
  await q.after('1s');
  q.waitsFor(1, 'checks');
});

describe('in a paused queue', () => {
  test('a pull request under test shows both its checks and the pause', async () => {
    const q = await story();
    await q.submit(1);
    await q.pauses('the release is cut');

    expect(await chainOf(q, 1)).toEqual(['checks', 'queue_paused']);
    q.explains(1, /check test has been running for 0 s\. The queue is paused .*: the release is cut\.$/);
  });
});

test('a cleanup that fails is not shown as a host that does not answer', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1, 2);
  q.losesAnswer('dropCandidate', 'fails_before');
  await q.passes('main+1');
  await q.after('10m');

  q.explains(2, /check test has been running for 10 min/);
});

describe('waits show nothing false', () => {
  test('the wait shows which of urgent and preempted pull requests is next', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.submit(3, { skipTheLine: true });
    await q.submit(4, { skipTheLine: true });

    q.explains(4, /it is next/);
    q.explains(1, /1 is ahead of it/);
    q.explains(2, /2 are ahead of it/);
    await q.passes('main+3');
    q.isTesting('main+3+4');
    q.explains(1, /it is next/);
  });

  test('a batch that timed out has not failed a check', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, testingTimeoutMinutes: 10 });
    await q.submit(1, 2);
    await q.after('10m');

    q.explains(1, /^The batch of #1 \(#1 and #2\) timed out in test run/);
  });

  test('a passed pull request whose commit is gone waits until that is built again', async () => {
    const q = await story();
    await q.submit(1);
    await q.beforeLanding(async () => q.world.repository.candidates.clear());
    await q.losesAnswer('buildCandidate', 'fails_before');
    await q.passes('main+1');

    expect(await chainOf(q, 1)).toEqual(['composition', 'host_trouble']);
    await q.after('1m');
    q.hasLanded('main+1');
  });

  test('a pull request that the code host delayed needs no slot afterwards, though all are taken', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.refusesLandings({ class: 'wait', pr: 1, message: 'busy' });
    await q.passes('main+1');
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });

    expect(waiting?.remedy).toMatch(/^The queue retries #1 at .* UTC\.$/);
    await q.refusesLandings(null);
    await q.after('1m');
    q.isIn({ 1: 'merged', 2: 'testing' });
  });

  test('a pull request that lost its slot to an urgent one shows that it needs a slot after its retry time', async () => {
    const q = await story();
    await q.submit(1);
    await q.breaksDown('main+1');
    await q.submit(9, { priority: 0 });
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });

    expect(waiting?.remedy).toMatch(/ UTC, if a test slot is free then\.$/);
  });

  test('a pull request that passed behind an undecided one waits for that one also during a pause', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1+2');
    await q.pauses('lunch');

    expect(await chainOf(q, 2)).toEqual(['landing_turn', 'checks', 'queue_paused']);
    q.explains(2, /merges when #1 ahead of it can merge too\. The queue is paused .*: lunch\.$/);
    await q.passes('main+1');
    expect(await chainOf(q, 2)).toEqual(['queue_paused']);
  });
});
