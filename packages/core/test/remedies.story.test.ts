import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const remedyOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.waiting?.remedy ?? '';

describe('a suggestion for a pull request that waits for a slot works', () => {
  test('skipTheLine is suggested if the slot is only kept for a retry', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await q.breaksDown('main+1');
    expect(remedyOf(q, 2)).toMatch(/, raise concurrency \(now 1\) or set skipTheLine\./);

    await q.submit(2, { skipTheLine: true });

    q.isTesting('main+2');
  });

  test('skipTheLine is not suggested if the slot is kept for an urgent pull request', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, { skipTheLine: true });
    await q.submit(2);
    await q.breaksDown('main+1');
    expect(remedyOf(q, 2)).toMatch(/, raise concurrency \(now 1\)\./);

    await q.submit(2, { skipTheLine: true });

    q.isTesting();
  });
});

test('a pull request behind a filling batch shows that more slots alone do not start it', async () => {
  const q = await story({ mode: 'parallel', concurrency: 3, batch: true });
  await q.touches(1, ['//x']);
  await q.touches(4, ['//z']);
  await q.touches(5, ['//y']);
  for (const pr of [1, 4, 5]) await q.submit(pr, { noBatch: true });
  await q.touches(2, ['//a']);
  await q.touches(3, ['//a', '//x']);
  await q.submit(2);
  await q.submit(3, { noBatch: true });
  expect(remedyOf(q, 3)).toMatch(
    /^#3 starts when its turn comes and #2, whose batch is not due yet, has started\. /,
  );

  await q.configures({ concurrency: 5 });
  q.isTesting('main+1', 'main+4', 'main+5');
  await q.submit(2, { noBatch: true });

  q.isTesting('main+1', 'main+4', 'main+5', 'main+2', 'main+1+2+3');
});

describe('a time is conditional if another pull request may have the slot by then', () => {
  test('a time is conditional if another pull request may have the slot by then because one of another lane is tested again earlier', async () => {
    const q = await story({ mode: 'parallel', concurrency: 1, batch: true, batchingMaxWaitTimeMinutes: 5 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, { noBatch: true });
    await q.submit(2);
    await q.breaksDown('main+1');
    q.waitsFor(2, 'batch');
    expect(remedyOf(q, 2)).toMatch(/at 2026-01-01 00:05:00 UTC at the latest, if a test slot is free then/);

    await q.after('5m');

    q.isTesting('main+1');
    q.waitsFor(2, 'turn');
  });

  test('a time is conditional if another pull request may have the slot by then because a batch of another lane is tested again earlier, one by one', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3, batch: true, batchingMinSize: 2 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//a']);
    await q.touches(3, ['//b']);
    await q.touches(4, ['//c']);
    await q.submit(4, { noBatch: true });
    await q.submit(1, 2);
    await q.breaksDown('main+1+2');
    await q.submit(1, { noBatch: true });
    await q.submit(3);
    expect(remedyOf(q, 3)).toMatch(/at 2026-01-01 00:05:00 UTC at the latest, if a test slot is free then/);

    await q.after('5m');

    q.isTesting('main+4', 'main+1', 'main+1+2');
    q.waitsFor(3, 'turn');
  });

  test('a time is conditional if another pull request may have the slot by then because one that it was tested with is urgent now, and it is tested alone', async () => {
    const q = await story({ concurrency: 1, batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.breaksDown('main+1+2');
    await q.submit(1, { noBatch: true });
    await q.submit(2, { skipTheLine: true });
    expect(remedyOf(q, 1)).toMatch(/at 2026-01-01 00:00:30 UTC, if a test slot is free then/);

    await q.after('30s');

    q.isTesting('main+2');
  });
});

test('a queue with a broken target names the pull requests that fix it as soon as it runs', async () => {
  const q = await story({ concurrency: 2 }, { showsTip: false });
  await q.submit(1, 2);
  await q.fails('main+1');
  await q.fails('main');
  await q.fails('main');
  expect(remedyOf(q, 2)).toBe(
    'Fix the target branch (push to it, or make the pull request with the fix urgent), then set the queue running.',
  );
  await q.passes('main+2');
  expect(remedyOf(q, 2)).toBe(
    'Fix the target branch (#2 has passed on it, and merges next once the queue runs), then set the queue running.',
  );

  await q.resumes();

  q.isIn({ 2: 'merged' });
});

test('an urgent pull request fixes a broken target once the queue runs, though it pauses again meanwhile', async () => {
  const q = await story({}, { showsTip: false });
  await q.submit(1);
  await q.fails('main+1');
  await q.fails('main');
  await q.fails('main');
  await q.submit(9, { skipTheLine: true });
  expect(remedyOf(q, 9)).toMatch(
    /or make the pull request with the fix urgent\), then set the queue running/,
  );

  await q.resumes();
  q.isTesting('main', 'main+9');
  await q.fails('main');
  await q.fails('main');
  q.queueIs('paused');
  await q.passes('main+9');
  expect(remedyOf(q, 9)).toMatch(/\(#9 has passed on it, and merges next once the queue runs\)/);
  await q.resumes();

  q.isIn({ 9: 'merged', 1: 'testing' });
});

describe('a failure names the pull requests that make it stale by landing first', () => {
  test('a failure names the pull requests that make it stale by landing first while the target itself is tested', async () => {
    const q = await story({ concurrency: 2 }, { showsTip: false });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    q.waitsFor(1, 'control');
    expect(remedyOf(q, 1)).toMatch(/; if one of #2 and #3 merges before that, #1 is tested again\./);

    await q.passes('main+2');

    q.isIn({ 2: 'merged' });
    expect(q.world.seen.history.some((row) => row.type === 'moved' && row.reason === 'OVERTAKEN')).toBe(true);
  });

  test('a failure names the pull requests that make it stale by landing first while the target itself is tested, without pull requests that touch something else', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 }, { showsTip: false });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.fails('main+1');
    expect(remedyOf(q, 1)).not.toMatch(/merges before that/);

    await q.passes('main+2');

    q.isIn({ 1: 'pending_failure', 2: 'merged' });
  });

  test('a failure names the pull requests that make it stale by landing first if an urgent pull request came ahead of those that it was tested on', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.submit(3, { skipTheLine: true });
    expect(remedyOf(q, 2)).toMatch(
      /one behind it or #3 ahead of it, which it was tested without, merges before it, #2 is tested again/,
    );

    await q.passes('main+3');
    await q.passes('main+3+1');

    q.isIn({ 1: 'merged', 2: 'testing', 3: 'merged' });
  });
});

test('a member of a failed batch shows which members do not land by a pass, as another pull request came ahead of them', async () => {
  const q = await story({ batch: true, batchingMinSize: 3, concurrency: 2 });
  await q.submit(2, 3);
  await q.submit(1, { skipTheLine: true });
  await q.fails('main+1+2+3');
  expect(remedyOf(q, 1)).toMatch(/^Pull requests of the batch that pass merge, the culprit is failed/);
  await q.submit(4, { skipTheLine: true });
  expect(remedyOf(q, 1)).toMatch(
    /^Pull requests of the batch that pass \(except #3, which is behind #4 now\) merge, the culprit/,
  );

  await q.passes('main+1+2'); // by an urgent one's own tests, which came before #4

  q.hasLanded('main+1+2');
  q.isIn({ 3: 'testing', 4: 'testing' });
});

describe('a passed pull request names failed ones that its tests left out and that may be ahead again', () => {
  test('a passed pull request names failed ones that its tests left out and that may be ahead again if it is urgent and is tested once more', async () => {
    const q = await story({ concurrency: 3, pendingFailureDepth: 1, confirmBeforeFailing: true });
    await q.submit(1, { skipTheLine: true });
    await q.submit(2, 3);
    await q.fails('main+1');
    await q.passes('main+2+3');
    expect(remedyOf(q, 3)).toMatch(
      /if one of them leaves the queue, or if #1, which it was tested without, is ahead of it again\./,
    );

    await q.passes('main+1+2');

    q.isIn({ 1: 'testing', 3: 'tests_passed' });
    await q.passes('main+1');
    q.isIn({ 1: 'merged', 3: 'testing' });
  });

  test('a passed pull request names no failed ones if all pull requests ahead are in its tests', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.passes('main+1+2');

    expect(remedyOf(q, 2)).toMatch(/and is tested again if one of them leaves the queue\./);
  });
});

test('a failure that is being confirmed shows the timeout of that test run', async () => {
  const q = await story({ confirmBeforeFailing: true, testingTimeoutMinutes: 10 });
  await q.submit(1);
  await q.fails('main+1');

  expect(remedyOf(q, 1)).toMatch(/#1 merges if they pass now; .* times out at 2026-01-01 00:10:00 UTC\.$/);
});

test('a failure that is being confirmed behind others shows that those have to land too', async () => {
  const q = await story({ confirmBeforeFailing: true, concurrency: 2 });
  await q.submit(1);
  await q.fails('main+1');
  await q.submit(9, { skipTheLine: true });
  q.isTesting('main+9', 'main+9+1');

  expect(remedyOf(q, 1)).toMatch(/#1 merges if they pass now and #9 ahead of it merges; /);
  await q.passes('main+9+1');
  await q.cancel(9);
  q.isTesting('main+1');
});

test('no time is shown for a wait that depends on a code host that does not answer', async () => {
  const q = await story({ testingTimeoutMinutes: 30, notReadyTimeoutHours: 1 });
  await q.opens(1, 2, { number: 3, draft: true });
  await q.submit(1, 2, 3);
  await q.goesDown();
  await q.after('10m');

  const until = (pr: number) => q.world.seen.submissions.get(pr)?.waiting?.untilAt;
  expect([until(1), until(2)]).toEqual([null, null]);
  expect(until(3)).toBe(q.world.clock.now() + 50 * 60_000);
  await q.after('25m');
  q.isIn({ 1: 'testing', 2: 'pending' });
  await q.after('25m');
  q.isIn({ 3: 'cancelled' });
  await q.comesBack();
  await q.after('2m');
});

test('a wait for a test run without a timeout says so', async () => {
  const q = await story({ testingTimeoutMinutes: 0, concurrency: 1 });
  await q.submit(1, 2);
  await q.after('1h');

  expect(remedyOf(q, 1)).toMatch(/; the test run has no timeout \(testingTimeoutMinutes is 0\)\.$/);
  expect(remedyOf(q, 2)).toMatch(
    /set skipTheLine\. Test run \S+ has no timeout \(testingTimeoutMinutes is 0\)\.$/,
  );
  await q.configures({ testingTimeoutMinutes: 90 });
  expect(remedyOf(q, 2)).toMatch(/ times out at 2026-01-01 01:30:00 UTC\.$/);
});

test('a partial landing is not reported as a landing of another tree', async () => {
  const q = await story({ batch: true, batchingMinSize: 3 });
  await q.submit(1, 2, 3);
  await q.stopsLandingAfter(1);
  await q.passes('main+1+2+3');

  q.explains(2, /Only 1 of 3 pull requests were merged: /);
  expect(remedyOf(q, 2)).toMatch(/^Find out why .* or only a part of it, then set the queue running\.$/);
});
