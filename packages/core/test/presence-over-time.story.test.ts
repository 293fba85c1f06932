import { QUEUE_ACCOUNT, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const presence = { presence: true } as const;

describe('what people see at a pull request over time', () => {
  test('one that fails again and again has a bounded number of comments', async () => {
    const q = await story({}, presence);
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      await q.submit(41);
      await q.fails('main+41');
      await q.after('20s');
    }

    q.sees(41, { comment: /Attempt 12/, notices: 10 });
  });

  test('an end that was overtaken by the next attempt before it was shown is announced all the same', async () => {
    const q = await story({}, presence);
    await q.submit(41);
    q.world.host.setReachable(false);
    await q.cancel(41);
    q.world.host.setReachable(true);
    await q.submit(41);
    await q.after('10m');

    q.sees(41, { comment: /is being tested/, notices: 1 });
    expect(q.noticesOn(41)[0]).toContain('Attempt 1');
  });

  test('a pull request that becomes the next to be tested is shown as such', async () => {
    const q = await story({}, presence);
    await q.submit(41, 42, 43);
    q.sees(43, { comment: /^\*\*#43 is waiting in/ });
    await q.passes('main+41');
    await q.after('1m');

    q.sees(43, { comment: /^\*\*#43 is next in/ });
  });

  test('nothing is written while nothing changes', async () => {
    const q = await story({}, presence);
    await q.submit(1, 2, 3);
    const { writes } = q.world.repository.discussion;
    const before = writes.length;
    await q.after('20m');

    expect(writes.slice(before)).toEqual([]);
  });

  test('state labels follow the state, other labels stay, and go when they are switched off', async () => {
    const q = await story({ stateLabelsEnabled: true }, presence);
    await q.opens({ number: 41, labels: ['bug'] }, { number: 42 });
    await q.submit(41, 42);
    q.sees(41, { labels: ['bug', 'mq:testing'] });
    q.sees(42, { labels: ['mq:queued'] });
    await q.passes('main+41');
    q.sees(41, { labels: ['bug', 'mq:merged'] });
    await q.configures({ stateLabelsEnabled: false });
    await q.after('2m');
    q.sees(42, { labels: [] });
  });
});

describe('after an end', () => {
  test('after an end what is shown is read back once and repaired, later than any earlier presenter could write', async () => {
    const q = await story({ stateLabelsEnabled: true }, presence);
    await q.submit(41);
    const { discussion, pulls } = q.world.repository;
    const [stale] = discussion.of(41);
    await q.passes('main+41');
    discussion.edit(41, stale?.id ?? '', stale?.body ?? '');
    discussion.comment(41, stale?.body ?? '', QUEUE_ACCOUNT);
    discussion.setStatus(pulls.get(41)!.head, {
      ...{ name: 'Merge Queue (main)', state: 'pending', description: 'Stale', url: null },
    });
    q.world.repository.edit(41, { labels: ['mq:testing'] });
    await q.after('10m');

    q.sees(41, { comment: /was merged/, status: /^success/, labels: ['mq:merged'] });
    const writes = discussion.writes.length;
    discussion.edit(41, stale?.id ?? '', 'Edited by a maintainer.');
    await q.after('20m');
    expect(discussion.writes).toHaveLength(writes);
  });

  test('what a stopped presenter writes once the next one has shown the end is removed', async () => {
    const q = await story({}, presence);
    await q.submit(41);
    const { discussion } = q.world.repository;
    const [stale] = discussion.of(41);
    q.world.host.setReachable(false);
    await q.cancel(41);
    await q.after('1m');
    q.world.host.setReachable(true);
    await q.after('2m');
    q.sees(41, { comment: /was cancelled/ });
    discussion.comment(41, stale?.body ?? '', QUEUE_ACCOUNT);
    await q.after('10m');

    expect(discussion.of(41).filter(({ body }) => body.includes('mq:presence'))).toHaveLength(1);
    q.sees(41, { comment: /was cancelled/ });
  });
});

describe('the budget of writes', () => {
  test('an end is shown at once, while what waits is shown as the budget allows', async () => {
    const q = await story(
      { statusCheckEnabled: false },
      { presence: { limits: { perMinute: 5, perHour: 1_000 } } },
    );
    await q.submit(1, 2, 3, 4, 5, 6);
    const shown = () => [1, 2, 3, 4, 5, 6].filter((pr) => q.commentOn(pr) !== null);
    expect(shown()).toEqual([1, 2]);
    await q.passes('main+1');
    q.sees(1, { comment: /was merged/ });
    await q.after('61s');
    expect(shown()).toEqual([1, 2, 3]);
    await q.after('2m');
    expect(shown()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
