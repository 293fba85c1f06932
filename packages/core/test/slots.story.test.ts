import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const waitOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.waiting;
const chainOf = (q: Story, pr: number) => waitOf(q, pr)?.causes.map(({ code }) => code);
const pairs = { batch: true, batchingMinSize: 2 } as const;

describe('the wait for a slot', () => {
  test('the wait for a slot is not over with the next free slot if more are taken than allowed', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3, 4);
    await q.configures({ concurrency: 1 });

    q.explains(
      4,
      /3 of 1 in use, by #1, #2 and #3\); 3 of them have to end before one is free, and it is next/,
    );
  });

  test('the wait for a slot counts batches, and no batch member as ahead of the others', async () => {
    const q = await story({ ...pairs, concurrency: 1 });
    await q.submit(1, 2, 3, 4, 5, 6);

    q.explains(3, /it is next\.$/);
    q.explains(4, /it is next\.$/);
    expect(waitOf(q, 4)?.causes[1]?.sentence).toMatch(/^#4 is behind #2 and 1 more in its lane/);
    q.explains(5, /1 batch is ahead of it/);
    q.explains(6, /1 batch is ahead of it/);
  });

  test('the wait for a slot passes a batch of another lane that is not full', async () => {
    const q = await story({ ...pairs, mode: 'parallel', concurrency: 3 });
    for (const [pr, target] of [
      [1, 'x'],
      [2, 'y'],
      [3, 'z'],
      [4, 'z'],
      [5, 'w'],
      [6, 'v'],
    ] as const)
      await q.touches(pr, [target]);
    for (const pr of [1, 5, 6]) await q.submit(pr, { noBatch: true });
    await q.submit(2, 3, 4);

    q.explains(3, /it is next\.$/);
    q.explains(2, /^#2 waits for its batch to fill/);
    await q.passes('main+1');
    q.isTesting('main+3+4', 'main+5', 'main+6');
  });

  test('the wait for a slot suggests only what would start it sooner', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    expect(waitOf(q, 2)?.remedy).toMatch(/, raise concurrency \(now 1\) or set skipTheLine\./);
    await q.submit(5);
    expect(waitOf(q, 5)?.remedy).toMatch(/\(now 1\) or its priority, or set skipTheLine\./);
    await q.cancel(5);
    await q.submit(3, { priority: 0 });
    await q.submit(4, { priority: 0 });

    expect(waitOf(q, 4)?.remedy).toMatch(/, raise concurrency \(now 1\)\./);
    expect(waitOf(q, 1)?.remedy).toMatch(/, raise concurrency \(now 1\) or set skipTheLine\./);
  });

  test('the wait for a slot does not suggest skipTheLine if only urgent pull requests are before it', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    await q.submit(2, { priority: 0 });

    expect(waitOf(q, 1)?.remedy).toMatch(/, raise concurrency \(now 1\)\./);
    await q.submit(1, { skipTheLine: true });
    q.isIn({ 1: 'pending', 2: 'testing' });
  });

  test('the wait for a slot does not suggest what would only overtake its own batch', async () => {
    const q = await story({ ...pairs, concurrency: 1 });
    await q.submit(1, 2);
    await q.submit(3, { skipTheLine: true });

    expect(chainOf(q, 2)).toEqual(['turn', 'interrupted', 'checks']);
    expect(waitOf(q, 2)?.remedy).toMatch(/, raise concurrency \(now 1\)\./);
  });

  test('the wait for a slot suggests a higher priority only if it would overtake a waiting pull request', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1);
    await q.submit(2, { priority: 10 });
    await q.after('20m');
    await q.submit(3);

    expect(waitOf(q, 3)?.remedy).toMatch(/, raise concurrency \(now 1\) or set skipTheLine\./);
    await q.submit(3, { priority: 1 });
    q.explains(3, /1 is ahead of it/);
  });

  test('the wait for a slot names the urgent pull request that preempted it, also of another lane', async () => {
    const q = await story({ mode: 'parallel', concurrency: 1 });
    await q.touches(1, ['x']);
    await q.touches(2, ['y']);
    await q.submit(1);
    await q.submit(2, { priority: 0 });

    expect(chainOf(q, 1)).toEqual(['turn', 'interrupted', 'checks']);
    expect(waitOf(q, 1)?.causes[1]?.sentence).toMatch(/preempted by #2, which is urgent/);
  });
});

test('a batch without a slot has no promised time', async () => {
  const q = await story({ ...pairs, concurrency: 1 });
  await q.submit(1, 2, 3);

  expect(chainOf(q, 3)).toEqual(['batch', 'turn', 'lane_ahead', 'checks']);
  expect(waitOf(q, 3)?.remedy).toMatch(
    /^The batch starts when it is full, or at 2026-\S+ 00:05:00 UTC at the latest, if a test slot is free then/,
  );
  expect(waitOf(q, 3)?.untilAt).toBe(waitOf(q, 1)?.untilAt);
  await q.after('6m');
  q.isTesting('main+1+2');
  q.explains(3, /^#3 waits for a test slot .* it is next\.$/);
});

test('every pull request hit by an infrastructure failure shows it', async () => {
  const q = await story({ mode: 'parallel', concurrency: 2 });
  await q.touches(1, ['x']);
  await q.touches(2, ['y']);
  await q.submit(1, 2);
  await q.breaksDown('main+1');
  q.waitsFor(1, 'retry');
  await q.breaksDown('main+2');

  q.waitsFor(1, 'machinery');
  q.waitsFor(2, 'machinery');
  q.explains(
    1,
    /2 tests in a row, of unrelated pull requests, .* the last of them for #2: .*; this uses up no retries/,
  );
});

describe('if the code host delays a landing', () => {
  test('if the code host delays a landing without naming a pull request, all waiting ones show its message', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['x']);
    await q.touches(2, ['y']);
    await q.submit(1, 2);
    await q.refusesLandings({ class: 'wait', pr: null, message: 'the branch is locked' });
    await q.passes('main+1');
    q.explains(
      1,
      /^The code host asked the queue to wait before merging anything on main: the branch is locked\.$/,
    );
    await q.passes('main+2');

    q.explains(2, /^Nothing could be merged into main a moment ago \(the branch is locked\)/);
    await q.refusesLandings(null);
  });

  test.each([null, 1])('a delayed landing is tried with a growing backoff (about %s)', async (pr) => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings({ class: 'wait', pr, message: 'the branch is locked' });
    await q.passes('main+1');
    const tries = () =>
      q.world.seen.history.filter(
        (row) => row.type === 'run' && row.purpose === 'compose' && row.change === 'created',
      ).length;
    await q.after('10m');
    expect(tries()).toBe(4);

    await q.after('40m');

    expect(tries()).toBe(8);
    await q.refusesLandings(null);
    await q.after('10m');
    q.isIn({ 1: 'merged' });
  });

  test('if the code host delays a landing because of one of several lanes, that one waits and the others land', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['x']);
    await q.touches(2, ['y']);
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+1');
    await q.passes('main+2');
    await q.refusesLandings({ class: 'wait', pr: 2, message: 'a review of #2 is asked for' });
    await q.resumes();

    q.explains(2, /^The code host asked the queue to wait before merging #2: a review of #2 is asked for\.$/);
    q.isIn({ 1: 'merged', 2: 'tests_passed' });
    await q.refusesLandings(null);
  });

  test('if the code host delays a landing because of one, the others of its landing are not shown as the cause', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.refusesLandings({ class: 'wait', pr: 1, message: 'a review is asked for' });
    await q.passes('main+1+2');

    q.explains(1, /^The code host asked the queue to wait before merging #1: a review is asked for\.$/);
    q.waitsFor(2, 'landing_turn');
    await q.refusesLandings(null);
  });
});

describe('a pull request that lost its slot to an urgent one between two tries', () => {
  test('a pull request that lost its slot to an urgent one between two tries is ahead of those that wait for the next slot', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(5);
    await q.breaksDown('main+5');
    await q.submit(4);
    await q.submit(1, { skipTheLine: true });

    q.explains(4, /\(1 of 1 in use, by #1\); 1 is ahead of it\.$/);
    await q.after('1m');
    q.explains(4, /\(1 of 1 in use, by #1\); 1 is ahead of it\.$/);
    await q.passes('main+1');
    q.isTesting('main+1+5');
  });

  test('a pull request that lost its slot to an urgent one between two tries is ahead of batches too', async () => {
    const q = await story({ ...pairs, concurrency: 1 });
    await q.submit(5, 6);
    await q.breaksDown('main+5+6');
    await q.submit(3, 4);
    await q.submit(1, { skipTheLine: true });

    q.explains(4, /by #1\); 1 batch is ahead of it\.$/);
    await q.after('1m');
    await q.passes('main+1');
    q.isTesting('main+1+5+6');
  });
});

describe('a batch that is not full', () => {
  test('a batch that is not full has no promised time if more others than slots are due before it or at the same time', async () => {
    const q = await story({ batch: true, batchingMinSize: 3, mode: 'parallel', concurrency: 3 });
    for (const pr of [1, 2, 3, 4]) await q.touches(pr, [`${pr}`]);
    for (const pr of [3, 4]) await q.submit(pr, { noBatch: true });
    await q.submit(1);
    await q.after('1m');
    await q.submit(2);

    expect(waitOf(q, 1)?.remedy).toMatch(
      /at 2026-01-01 00:05:00 UTC at the latest; to test #1 alone now, set noBatch/,
    );
    expect(waitOf(q, 2)?.remedy).toMatch(
      /at 2026-01-01 00:06:00 UTC at the latest, if a test slot is free then/,
    );
    expect(waitOf(q, 2)?.untilAt).toBeNull();
    await q.after('5m');
    q.isTesting('main+1', 'main+3', 'main+4');
  });

  test('a batch that is not full starts after the batch ahead of it has started, though it is due itself', async () => {
    const q = await story({ batch: true, batchingMinSize: 4, mode: 'parallel', concurrency: 3 });
    await q.touches(1, ['x', 'y']);
    await q.submit(1, { priority: 200 });
    await q.after('2m');
    await q.touches(2, ['x']);
    await q.touches(3, ['y']);
    await q.submit(2, 3);

    q.explains(1, /^#1 waits for its batch to fill: 1 of 4/);
    expect(waitOf(q, 1)?.remedy).toMatch(/00:05:00 UTC at the latest, once #2 has started\./);
    expect(waitOf(q, 1)?.causes[1]?.sentence).toBe('#1 is behind #2 in its lane: both touch x.');
    expect(new Date(waitOf(q, 1)?.untilAt ?? 0).toISOString()).toBe('2026-01-01T00:07:00.000Z');
    await q.after('4m');
    q.isIn({ 1: 'pending' });
    await q.after('1m');
    q.isIn({ 1: 'testing', 2: 'testing' });
  });
});

describe('noBatch is suggested in a filling batch', () => {
  const alone = (pr: number) => new RegExp(`; to test #${pr} alone now, set noBatch\\.$`);

  test('noBatch is suggested in a filling batch if it would start the tests at once', async () => {
    const q = await story({ ...pairs, batchingMinSize: 3, concurrency: 2 });
    await q.submit(1, 2);
    expect(waitOf(q, 2)?.remedy).toMatch(alone(2));

    await q.submit(2, { noBatch: true });
    q.isTesting('main+1', 'main+1+2');
  });

  test('noBatch is suggested in a filling batch unless it would wait for the slot of the members ahead of it', async () => {
    const q = await story({ ...pairs, batchingMinSize: 3, concurrency: 1 });
    await q.submit(1, 2);

    expect(waitOf(q, 1)?.remedy).toMatch(alone(1));
    expect(waitOf(q, 2)?.remedy).toMatch(/ UTC at the latest\.$/);
  });

  test('noBatch is suggested in a filling batch unless no slot is free', async () => {
    const q = await story({ ...pairs, batchingMinSize: 2, concurrency: 1 });
    await q.submit(1, { noBatch: true });
    await q.submit(2);

    expect(waitOf(q, 2)?.remedy).toMatch(
      /, if a test slot is free then\. The test run that it waits for times out at /,
    );
  });
});

describe('a batch that waits for its retry', () => {
  test('a batch that waits for its retry shows the same for all members: the slot kept for them is free for each', async () => {
    const q = await story({ ...pairs, concurrency: 1 });
    await q.submit(1, 2);
    await q.breaksDown('main+1+2');

    for (const pr of [1, 2])
      expect(waitOf(q, pr)?.remedy).toMatch(/is tested again in its place at 2026-01-01 00:00:30 UTC\.$/);
  });
});

describe('a conflict with one ahead', () => {
  test('a conflict with one ahead is not the only cause while the queue starts nothing', async () => {
    const q = await story({ concurrency: 2 });
    await q.opens(1, { number: 2, conflictsWith: 1 });
    await q.submit(1, 2);
    await q.drains();

    expect(chainOf(q, 2)).toEqual(['conflict_ahead', 'queue_draining', 'checks']);
    expect(waitOf(q, 2)?.remedy).toBe('Set the queue running.');
    await q.cancel(1);
    q.waitsFor(2, 'queue_draining');
  });
});
