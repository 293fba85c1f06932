import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

const storyOf = async (q: Story, pr: number, attempt?: number) => {
  const asked = { ...q.world.ref, pr, ...(attempt === undefined ? {} : { attempt }) };
  return (await q.world.mq.explain(asked)).story;
};

test('an ended attempt shows what can be done, and an older attempt that a later one followed', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1);
  expect((await storyOf(q, 1)).remedy).toBeNull();
  await q.fails('main+1');
  expect((await storyOf(q, 1)).remedy).toMatch(/^Fix the failing check, push, and submit #1 again\./);

  await q.submit(1);
  expect((await storyOf(q, 1, 1)).remedy).toBe('See attempt 2 of #1, which came later.');
  await q.pushes(1);
  expect((await storyOf(q, 1)).remedy).toBe('Submit #1 again to test its new head.');
  await q.submit(2);
  await q.closes(2);
  expect((await storyOf(q, 2)).remedy).toBe('Reopen #2, then submit it again.');
  await q.submit(3);
  await q.passes('main+3');
  expect((await storyOf(q, 3)).remedy).toBe('#3 is merged.');
});

test('a request is recorded and shown before its effects', async () => {
  const q = await story();
  await q.submit(1);
  await q.restart(1);
  await q.cancel(1);

  const { items } = await q.world.mq.timeline({ ...q.world.ref, pr: 1 });
  const rows = items.toReversed().flatMap((row) => {
    if (row.type === 'commanded') return [row.command];
    if (row.type === 'moved') return [row.to];
    return row.type === 'run' && row.change === 'closed' ? ['run closed'] : [];
  });
  expect(rows).toEqual([
    ...['submit', 'not_ready', 'pending', 'testing'],
    ...['restart_tests', 'run closed', 'pending', 'testing'],
    ...['cancel', 'run closed', 'cancelled'],
  ]);
  const sentences = (await storyOf(q, 1)).events.map(({ sentence }) => sentence);
  const asked = sentences.findIndex((sentence) => /^Requested by/.test(sentence));
  expect(sentences.slice(asked - 1, asked + 3)).toEqual([
    expect.stringMatching(/^Test run .* was started/),
    expect.stringMatching(/^Requested by .*: restart the tests of #1/),
    expect.stringMatching(/^Test run .* was cancelled: a user restarted/),
    expect.stringMatching(/^#1 was requeued: A user restarted/),
  ]);
});

test('a landing without a test shows that nothing was left to test, one with a test how long that took', async () => {
  const q = await story({ directMergeMode: 'always' });
  await q.showsHead(1, 'success');
  await q.submit(1, 2);
  await q.passes('main+1+2');

  const ended = async (pr: number) => {
    const { items } = await q.world.mq.timeline({ ...q.world.ref, pr });
    const runId = items.flatMap((row) =>
      row.type === 'run' && row.change === 'ended' ? [row.runId] : [],
    )[0]!;
    const sentences = (await storyOf(q, pr)).events.map(({ sentence }) => sentence);
    const { explanation } = await q.world.mq.getRun({ ...q.world.ref, testRunId: runId });
    return [
      sentences.find((sentence) => sentence.startsWith('Test run') && sentence.includes('passed')),
      explanation,
    ];
  };
  const untested = expect.stringMatching(/passed at once, as nothing was left to test/);
  const tested = expect.stringMatching(/passed after 0 s/);
  expect(await ended(1)).toEqual([untested, untested]);
  expect(await ended(2)).toEqual([tested, tested]);
});

test('an attempt that did not become ready in time shows what was missing, a cancelled one its actor', async () => {
  const q = await story({ notReadyTimeoutHours: 1 });
  await q.drafts(1);
  await q.saysMergeability(2, 'not_mergeable');
  await q.submit(1, 2, 3);
  await q.cancel(3);
  await q.after('2h');

  expect((await storyOf(q, 1)).sentence).toBe(
    '#1 was cancelled after 1 h: It did not become ready in time (it was a draft). Attempt 1: 0 test runs, 1 h not ready.',
  );
  expect((await storyOf(q, 2)).sentence).toMatch(
    /in time \(the code host said that it could not be merged: The host/,
  );
  expect((await storyOf(q, 3)).sentence).toMatch(/^#3 was cancelled by the embedding program after 0 s/);
});

test('a pull request that was on hold shows when and why', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1, 2);
  await q.saysMergeability(2, 'not_mergeable');
  await q.after('5m');
  await q.saysMergeability(2, 'mergeable');

  const sentences = (await storyOf(q, 2)).events.map(({ sentence }) => sentence);
  expect(sentences.slice(2)).toEqual([
    expect.stringMatching(/^#2 was put on hold: the code host said that it could not be merged: The host/),
    expect.stringMatching(/^#2 could be merged again after 5 min\.$/),
  ]);
});

test('an attempt that left before its landing, or before the verdict on its failure, shows neither', async () => {
  const q = await story({ concurrency: 3 });
  await q.submit(1, 2, 3);
  await q.passes('main+1+2');
  await q.fails('main+1+2+3');
  await q.after('10m');
  await q.closes(2);
  await q.cancel(3);

  expect((await storyOf(q, 2)).sentence).toMatch(/Attempt 1: 1 test run, 10 min waiting to merge\.$/);
  expect((await storyOf(q, 3)).sentence).toMatch(/, 10 min waiting for the verdict on a failure\.$/);
});

test('a repeated submit is shown in the story, the opening submit is not', async () => {
  const q = await story();
  await q.submit(1, 2);
  await q.submit(2, { skipTheLine: true });
  await q.pushes(2);
  await q.submit(2);

  const asked = async (attempt: number) =>
    (await storyOf(q, 2, attempt)).events
      .map(({ sentence }) => sentence)
      .filter((sentence) => sentence.startsWith('Requested by'));
  expect(await asked(1)).toEqual(['Requested by the embedding program: change the options of #2.']);
  expect(await asked(2)).toEqual([]);
});
