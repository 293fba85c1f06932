import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

const changesOf = (q: Story): readonly string[] =>
  q.world.seen.history.flatMap((row) =>
    row.type === 'adapted' ? [`${row.what} ${row.from} -> ${row.to}: ${row.sentence}`] : [],
  );

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('a failure that stops most test runs lowers how many are made at once, and merges raise it again', async () => {
  const q = await story({ concurrency: 5, autoConcurrency: true });
  await q.submit(1, 2, 3, 4, 5, 6, 7);
  q.isTesting('main+1', 'main+1+2', 'main+1+2+3', 'main+1+2+3+4', 'main+1+2+3+4+5');

  await q.fails('main+1');
  q.isIn({ 1: 'failed' });
  q.isTesting('main+2', 'main+2+3', 'main+2+3+4', 'main+2+3+4+5');
  q.explains(6, /4 of 4 \(autoConcurrency, at most 5\) in use/);
  await q.passes('main+2');
  q.isTesting('main+2+3', 'main+2+3+4', 'main+2+3+4+5', 'main+2+3+4+5+6', 'main+2+3+4+5+6+7');
  expect(changesOf(q)).toEqual([
    'concurrency 5 -> 4: The failure of #1 stopped 4 of 5 test runs.',
    'concurrency 4 -> 5: #2 merged while all 4 test slots were in use.',
  ]);
});

test('a test run that began before test runs at once were lowered does not lower them again', async () => {
  const q = await story({ mode: 'parallel', concurrency: 20, autoConcurrency: true });
  const [first, second] = [numbers(1, 11), numbers(12, 20)];
  for (const pr of first) await q.touches(pr, ['//a']);
  for (const pr of second) await q.touches(pr, ['//b']);
  await q.submit(...first, ...second);
  await q.after('1m');
  await q.fails('main+1');
  // All eight on top of #12 are still under test: half of the sixteen that are left.
  await q.fails('main+12');
  expect(changesOf(q)).toEqual(['concurrency 20 -> 16: The failure of #1 stopped 10 of 20 test runs.']);
});

test('a failure that stops few test runs does not lower how many are made at once', async () => {
  const q = await story({ mode: 'parallel', concurrency: 4, autoConcurrency: true });
  for (const pr of [1, 2]) await q.touches(pr, ['//a']);
  for (const pr of [3, 4]) await q.touches(pr, [`//${pr}`]);
  await q.submit(1, 2, 3, 4);
  await q.fails('main+1');
  q.isIn({ 1: 'failed' });
  expect(changesOf(q)).toEqual([]);
});

test('a merge while slots are free does not raise how many tests are made at once', async () => {
  const q = await story({ concurrency: 5, autoConcurrency: true });
  await q.submit(1, 2, 3, 4, 5);
  await q.fails('main+1');
  await q.passes('main+2');
  q.isIn({ 2: 'merged' });
  await q.passes('main+2+3');
  expect(changesOf(q)).toEqual(['concurrency 5 -> 4: The failure of #1 stopped 4 of 5 test runs.']);
});

test('the size of batches follows the share of pull requests that fail', async () => {
  const q = await story({ batch: true, batchingMinSize: 4, autoBatching: true });
  for (const pr of [1, 2, 3, 4, 5]) {
    await q.submit(pr, { noBatch: true });
    await q.fails(`main+${pr}`);
  }
  await q.submit(6, 7, 8);
  q.isTesting('main+6+7+8');
  expect(changesOf(q)).toEqual(['batch_size 4 -> 3: About 21 % of pull requests fail.']);
});

test('a queue begins again with its bounds when it is set to adapt', async () => {
  const q = await story({ concurrency: 5, autoConcurrency: true });
  await q.submit(1, 2, 3, 4, 5);
  await q.fails('main+1');
  q.isTesting('main+2', 'main+2+3', 'main+2+3+4', 'main+2+3+4+5');
  await q.configures({ autoConcurrency: false });
  await q.submit(6);
  q.isTesting('main+2', 'main+2+3', 'main+2+3+4', 'main+2+3+4+5', 'main+2+3+4+5+6');
  await q.configures({ autoConcurrency: true });
  await q.fails('main+2');
  expect(changesOf(q)).toEqual([
    'concurrency 5 -> 4: The failure of #1 stopped 4 of 5 test runs.',
    'concurrency 5 -> 4: The failure of #2 stopped 4 of 5 test runs.',
  ]);
});
