import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { HostError, type WaitCode } from '../src/index.js';

const story = stories(afterEach);

const chainOf = async (q: Story, pr: number): Promise<readonly WaitCode[]> => {
  const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr });
  return (waiting?.causes ?? []).map(({ code }) => code);
};

describe('the engine explains', () => {
  test('the engine explains a wait for a slot behind a pull request under test', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2, 3);
    await q.after('6m');

    expect(await chainOf(q, 3)).toEqual(['turn', 'lane_ahead', 'checks']);
    q.explains(3, /2 of 2 in use, by #1 and #2\); it is next/);
    expect(await chainOf(q, 2)).toEqual(['checks']);
    q.explains(2, /on top of #1: check test has been running for 6 min/);
  });

  test('the engine names shared targets, and a slot taken by another lane', async () => {
    const q = await story({ mode: 'parallel', concurrency: 1 });
    await q.opens(1, 2, 3);
    for (const [pr, targets] of [
      [1, ['//api']],
      [2, ['//api', '//app']],
      [3, ['//web']],
    ] as const)
      await q.touches(pr, targets);
    await q.submit(1, 2, 3);

    expect(await chainOf(q, 2)).toEqual(['turn', 'lane_ahead', 'checks']);
    expect(await chainOf(q, 3)).toEqual(['turn', 'checks']);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 2 });
    expect(waiting?.causes[1]?.sentence).toMatch(/^#2 is behind #1 in its lane: both touch \/\/api\.$/);
  });

  test('the engine names no conflict of a left-out pull request whose change is already in one ahead of it', async () => {
    const q = await story({ concurrency: 2 });
    const same = [{ 'same.txt': 'same\n' }];
    await q.opens({ number: 1, commits: same }, { number: 2, commits: same }, 3);
    await q.submit(1, 2, 3);

    q.waitsFor(2, 'change_ahead');
    q.explains(3, / without #2 \(its change is already in one ahead of it\)/);
  });

  test('the engine explains a filling batch', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, concurrency: 1 });
    await q.submit(1, 2);

    q.waitsFor(1, 'batch');
    q.explains(1, /its batch to fill: 2 of 3 \(#1 and #2\)/);
  });

  test('the engine explains a batch under bisection', async () => {
    const q = await story({ batch: true, batchingMinSize: 4, concurrency: 1 });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');

    expect(await chainOf(q, 1)).toEqual(['isolation', 'checks']);
    q.explains(3, /failed check test in test run .*it is among #1, #2, #3 and #4, tested now: #1 and #2/);
    await q.passes('main+1+2');
    expect((await chainOf(q, 4))[0]).toBe('isolation');
  });

  test('the engine explains why a member that passed in a bisection does not land: others go first', async () => {
    const optimizationMode = 'bisection_skip_redundant_tests';
    const q = await story({ batch: true, batchingMinSize: 4, concurrency: 1, optimizationMode });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1+2+3+4');
    const remedyOf = async (pr: number) => (await q.world.mq.explain({ ...q.world.ref, pr })).waiting?.remedy;
    expect(await remedyOf(1)).toMatch(/^Pull requests of the batch that pass merge, the culprit is failed, /);

    await q.submit(5, { skipTheLine: true });
    await q.passes('main+1+2');
    q.hasReason(1, 'BISECTION_TEST_RUN_PASSED');
    for (const pr of [1, 3])
      expect(await remedyOf(pr)).toMatch(
        /^The culprit is failed, and the others, including those that passed, are tested again behind #5\. /,
      );

    await q.passes('main+5');
    for (const pr of [1, 3])
      expect(await remedyOf(pr)).toMatch(
        / and the others, including those that passed, are tested again, as #5 has merged without them\. /,
      );
    await q.fails('main+1+2+3');
    await q.passes('main+5+1+2+4');
    q.hasLanded('main+5+1+2+4');
  });

  test('the engine explains a failure on top of an undecided pull request, and awaited witnesses', async () => {
    const q = await story({ concurrency: 3, pendingFailureDepth: 1 });
    await q.submit(1, 2, 3);
    await q.fails('main+1+2');

    expect(await chainOf(q, 2)).toEqual(['verdicts_ahead', 'checks']);
    await q.passes('main+1');
    expect(await chainOf(q, 2)).toEqual(['witnesses', 'checks']);
    q.explains(2, /the tests of #3 behind it/);
  });

  test('the engine explains a failure whose witnesses differ, with the pull requests that it lands with, and those that may overtake it', async () => {
    const q = await story({ concurrency: 3, pendingFailureDepth: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1');
    await q.fails('main+1+2');
    q.isTesting('main+1+2+3', 'main+2+3+4');
    const remedyOf = async (pr: number) => (await q.world.mq.explain({ ...q.world.ref, pr })).waiting?.remedy;

    expect(await remedyOf(1)).toMatch(
      /^#1 merges if #3 passes together with it; if it does not, #1 is failed; if #4 merges before it, #1 is tested again\. /,
    );
    expect(await remedyOf(2)).toMatch(
      /; #2 also merges with #1 if #3 behind it passes, and without #1 if #4 behind it passes\./,
    );
    await q.passes('main+2+3+4');
    q.hasLanded('main+2+3+4');
    q.isTesting('main+2+3+4+1');
    const { story: past } = await q.world.mq.explain({ ...q.world.ref, pr: 3 });
    expect(past.events.map(({ sentence }) => sentence).join(' ')).toMatch(
      /was cancelled: a test run behind it that includes what it tests has passed\./,
    );
  });

  test('the engine ends the chain of a witness that waits for a slot with the slot', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2, pendingFailureDepth: 2 });
    await q.opens(1, 2, 3, 4);
    for (const [pr, target] of [
      [1, '//a'],
      [2, '//b'],
      [3, '//c'],
      [4, '//a'],
    ] as const)
      await q.touches(pr, [target]);
    await q.submit(1, 2, 3, 4);
    await q.fails('main+1');

    expect(await chainOf(q, 1)).toEqual(['witnesses', 'turn', 'lane_ahead', 'checks']);
    expect(await chainOf(q, 4)).toEqual(['turn', 'lane_ahead', 'witnesses', 'checks']);
  });

  test('the engine explains both the change of mode and the draining of a queue', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await q.drains();
    await q.configures({ mode: 'parallel' });

    expect(await chainOf(q, 2)).toEqual(['queue_switching_modes', 'queue_draining', 'checks']);
    const { waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 2 });
    expect(waiting?.remedy).toBe('Set the queue running.');
    expect(waiting?.causes[1]?.sentence).toMatch(/: no reason was given\.$/);
  });

  test('the engine explains a pass that waits for the pull request ahead', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1+2');

    expect(await chainOf(q, 2)).toEqual(['landing_turn', 'checks']);
    q.explains(2, /passed its tests in test run .* and merges when #1 ahead of it can merge too/);
  });

  test('the engine does not say that a pull request is ahead of the one that it was tested on', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.refusesLandings({ class: 'wait', pr: 2, message: 'A review is missing.' });
    await q.submit(1, 2);
    await q.passes('main+1+2');

    expect(await chainOf(q, 1)).toEqual(['landing_turn', 'host']);
    q.explains(1, /merges when #2, which it was tested with, can merge too/);
  });

  test('the engine explains the baseline run before a pull request is failed', async () => {
    const q = await story({}, { showsTip: false });
    await q.submit(1);
    await q.fails('main+1');

    expect(await chainOf(q, 1)).toEqual(['control', 'checks']);
    q.explains(1, /before a pull request is failed for that, main itself is tested for test/);
  });

  test('the engine explains the test run that confirms a failure', async () => {
    const q = await story({ confirmBeforeFailing: true });
    await q.submit(1);
    await q.fails('main+1');

    expect(await chainOf(q, 1)).toEqual(['confirmation', 'checks']);
  });

  test('the engine explains a test without a verdict, and a general infrastructure failure', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.opens(1, 2);
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.breaksDown('main+1');
    expect(await chainOf(q, 1)).toEqual(['retry']);

    await q.breaksDown('main+2');
    expect(await chainOf(q, 2)).toEqual(['machinery']);
    q.explains(2, /2 tests in a row, of unrelated pull requests, .* the last of them for #2/);
  });

  test('the engine explains a conflict with a pull request ahead', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 2, conflictsWith: 1 });
    await q.submit(1, 2);

    expect(await chainOf(q, 2)).toEqual(['conflict_ahead', 'checks']);
  });

  test('the engine explains a preemption by an urgent pull request', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    await q.submit(2, { skipTheLine: true });

    expect(await chainOf(q, 1)).toEqual(['turn', 'interrupted', 'checks']);
  });

  test('the engine explains a paused queue, a host that does not answer, and a missing pull request', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.goesDown();
    await q.after('5m');
    expect((await chainOf(q, 1)).at(-1)).toBe('host_trouble');
    q.explains(1, /Requests to the code host have been failing for .*: The fake host is unreachable/);
    await q.comesBack();
    await q.after('10m');

    await q.pauses('the release is cut');
    expect(await chainOf(q, 2)).toEqual(['queue_paused']);
    await q.resumes();
    await q.deletesPullRequest(2);
    expect(await chainOf(q, 2)).toEqual(['missing']);
    q.explains(2, /has not found #2/);
  });

  test('the engine explains a host that answers and refuses, without saying that it does not answer', async () => {
    const q = await story();
    const { host } = q.world;
    const { land } = host;
    host.land = () => Promise.reject(new HostError('The app may not write to main.', 'later'));
    await q.submit(1);
    await q.passes('main+1');

    q.explains(1, /Requests to the code host have been failing for .*: The app may not write to main/);
    host.land = land;
    await q.after('5m');
    q.isIn({ 1: 'merged' });
  });

  test('the engine explains a required check that is never reported', async () => {
    const q = await story({ testingTimeoutMinutes: 60 });
    await q.submit(1);
    await q.passes('main+1');
    await q.configures({ requiredStatuses: ['test', 'audit'] });
    await q.startsChecks('silence');
    await q.submit(2);
    await q.after('5m');

    expect(await chainOf(q, 2)).toEqual(['checks']);
    expect((await q.world.mq.getQueue(q.world.ref)).unreportedChecks).toEqual(['audit']);
  });
});

describe('the story of an attempt', () => {
  test('the story of an attempt shows why it was requeued, what failed, in which test run, and how long it waited', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.after('10m');
    await q.fails('main+1');
    await q.after('5m');
    await q.fails('main+2');
    await q.passes('main');

    const { waiting, story: shown, isComplete } = await q.world.mq.explain({ ...q.world.ref, pr: 2 });
    expect([waiting, isComplete, shown.state]).toEqual([null, true, 'failed']);
    expect(shown.sentence).toMatch(
      /^#2 failed after 15 min: A required check failed \(test: .*\)\. Attempt 1: 2 test runs, requeued 1 time, 15 min under test\.$/,
    );
    const sentences = shown.events.map(({ sentence }) => sentence);
    expect(sentences[0]).toMatch(/^#2 was submitted by /);
    expect(sentences).toContainEqual(
      expect.stringMatching(
        /^#2 was requeued after 10 min of testing: A pull request that it was tested with failed \(#1\)\.$/,
      ),
    );
    expect(sentences).toContainEqual(expect.stringMatching(/^Test run .* of #2 failed after 5 min\.$/));
    expect(sentences.at(-1)).toMatch(/^#2 failed: A required check failed \(test: .*\), test run /);
  });

  test('the story of an attempt shows a request before its effects, and the purpose of each test run', async () => {
    const q = await story({ batch: true, batchingMinSize: 2, concurrency: 1 });
    await q.submit(1, 2);
    await q.after('2m');
    await q.fails('main+1+2');
    await q.after('2m');
    await q.cancel(1);

    const { story: shown } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect(shown.sentence).toMatch(
      /^#1 was cancelled by the embedding program after 4 min: A user requested it\. Attempt 1: 2 test runs, requeued 1 time, 4 min under test\.$/,
    );
    const sentences = shown.events.map(({ sentence }) => sentence);
    expect(sentences).toContainEqual(
      expect.stringMatching(
        /^Test run \S+ was started to test #1 in a bisection, which searches a failed batch for the culprit\.$/,
      ),
    );
    expect(sentences.slice(-4)).toEqual([
      expect.stringMatching(/^Requested by .*: cancel #1\.$/),
      expect.stringMatching(
        /^Test run \S+ of #1 and #2 was closed: a pull request that it tested left the queue\.$/,
      ),
      expect.stringMatching(
        /^Test run \S+ of #1 was cancelled: a pull request that it tested left the queue\.$/,
      ),
      expect.stringMatching(/^#1 was cancelled by .* after 2 min of testing: A user requested it\.$/),
    ]);
  });

  test('the story of an attempt shows why a bisection ended, though it moved none of the remaining members', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, concurrency: 1 });
    await q.submit(1, 2, 3);
    await q.fails('main+1+2+3');
    await q.after('2m');
    await q.cancel(2);

    for (const pr of [1, 3]) {
      const { story: shown } = await q.world.mq.explain({ ...q.world.ref, pr });
      expect(shown.events.map(({ sentence }) => sentence)).toContainEqual(
        expect.stringMatching(
          /^Test run \S+ of #1, #2 and #3 was closed: a pull request that it tested left the queue\.$/,
        ),
      );
    }
  });

  test('the story of an attempt ends with its end: the rest of the bisection is shown only to the remaining members', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, concurrency: 1 });
    await q.submit(1, 2, 3);
    await q.fails('main+1+2+3');
    await q.passes('main+1+2');
    await q.after('2m');
    await q.fails('main+1+2+3');

    const { story: shown } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect(shown.events.at(-1)).toMatchObject({ state: 'merged', at: shown.endedAt });
  });

  test('the story of an attempt counts the runs that tested it, not those that built a combined commit', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.passes('main+2');
    await q.passes('main+1');

    const { story: shown } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
    expect(shown.events.map(({ sentence }) => sentence).join(' ')).toMatch(/#1 was built\./);
    expect(shown.sentence).toMatch(/Attempt 1: 1 test run\.$/);
  });

  test('the story of an attempt names the check that had not ended at the timeout', async () => {
    const q = await story({ testingTimeoutMinutes: 30 }, { checks: ['unit', 'lint'] });
    await q.submit(1);
    await q.passes('main+1', 'unit');
    await q.after('31m');

    q.explains(1, /^Its tests timed out\. Not finished: lint\.$/);
  });

  test('the story of an attempt is separate for each attempt, and an unknown attempt is refused', async () => {
    const q = await story();
    await q.submit(1);
    await q.cancel(1);
    await q.after('1m');
    await q.submit(1);

    const ref = { ...q.world.ref, pr: 1 };
    const first = await q.world.mq.explain({ ...ref, attempt: 1 });
    expect([first.story.state, first.waiting]).toEqual(['cancelled', null]);
    expect(first.story.events.map(({ sentence }) => sentence)).toContainEqual(
      expect.stringMatching(/^#1 was cancelled by .*: A user requested it\.$/),
    );
    const now = await q.world.mq.explain(ref);
    expect([now.story.attempt, now.story.endedAt, now.waiting?.code]).toEqual([2, null, 'checks']);
    await expect(q.world.mq.explain({ ...ref, attempt: 3 })).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
    await expect(q.world.mq.explain({ ...ref, pr: 9 })).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  });

  test('the story of an attempt leaves test runs that show their outcome, and why they were closed', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    const [, second] = await q.world.mq.listRuns(q.world.ref);
    expect(second?.explanation).toMatch(/^#2 is in test run .* on top of #1: check test has been running/);
    await q.fails('main+1');

    const runId = second?.run.id;
    if (runId === undefined) throw new Error('there was no second run');
    const { explanation } = await q.world.mq.getRun({ ...q.world.ref, testRunId: runId });
    expect(explanation).toMatch(
      /^Test run .* of #2 on top of #1 was cancelled: what has to be tested has changed/,
    );
  });
});
