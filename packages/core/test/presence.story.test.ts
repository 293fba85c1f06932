import { HostError } from '@mq/core';
import { personNamed, QUEUE_ACCOUNT, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const presence = { presence: true } as const;
const ada = { kind: 'api', id: null, name: 'ada' } as const;

/** Test runs have random ids. */
const withoutIds = (text: string | null): string | undefined =>
  text?.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<run>');

describe('what people see at a pull request', () => {
  test('one comment is edited in place from submit to merge, with a status on the head', async () => {
    const q = await story({}, presence);
    await q.submit(41, 42);
    q.sees(41, {
      comment: /^\*\*#41 is being tested in the merge queue of `main`\.\*\*/,
      status: /^pending Testing: /,
    });
    q.sees(42, { comment: /^\*\*#42 is next in the merge queue of `main`\.\*\*/ });
    const waiting = q.commentOn(42);

    await q.passes('main+41');
    q.sees(41, {
      comment: /^\*\*#41 was merged by the merge queue of `main`\.\*\*/,
      status: /^success Merged: /,
      notices: 0,
    });
    await q.passes('main+41+42');
    await q.after('10m');
    q.sees(42, { comment: /was merged/, notices: 0, labels: [] });

    expect(waiting).toMatchInlineSnapshot(`
      "**#42 is next in the merge queue of \`main\`.** #42 waits for a test slot (1 of 1 in use, by #41); it is next.

      **What to do:** #42 starts when its turn comes. To start it sooner, raise concurrency (now 1) or set skipTheLine.

      Its position is on [its page](https://mq.example/main/42). Written at 2026-01-01 00:00:00 UTC.

      <details><summary>The last 2 events</summary>

      - 2026-01-01 00:00:00 UTC: #42 was submitted by the embedding program.
      - 2026-01-01 00:00:00 UTC: #42 joined the queue: It became ready and joined the queue.

      </details>"
    `);
    expect(withoutIds(q.commentOn(41))).toMatchInlineSnapshot(`
      "**#41 was merged by the merge queue of \`main\`.** #41 was merged after 0 s: The queue merged it. Attempt 1: 1 test run.

      Details are on [its page](https://mq.example/main/41).

      <details><summary>The last 7 events</summary>

      - 2026-01-01 00:00:00 UTC: #41 was submitted by the embedding program.
      - 2026-01-01 00:00:00 UTC: #41 joined the queue: It became ready and joined the queue.
      - 2026-01-01 00:00:00 UTC: The tests of #41 started: A test slot was free and its tests started, test run <run>.
      - 2026-01-01 00:00:00 UTC: Test run <run> was started to test #41.
      - 2026-01-01 00:00:00 UTC: Test run <run> of #41 passed after 0 s.
      - 2026-01-01 00:00:00 UTC: #41 passed: All required checks passed, test run <run>.
      - 2026-01-01 00:00:00 UTC: #41 was merged: The queue merged it, test run <run>.

      </details>"
    `);
  });

  test('after its token was replaced by that of another account, the queue edits one comment of the new account', async () => {
    const q = await story({}, presence);
    await q.submit(41, 42);
    const { discussion } = q.world.repository;
    const account = { id: '2000', name: 'mq-next', isBot: true };
    discussion.account = account;
    await q.passes('main+41');
    await q.passes('main+41+42');
    await q.after('10m');

    const presences = discussion.of(42).filter(({ author }) => author.id === account.id);
    expect(presences.map(({ body }) => body)).toEqual([expect.stringMatching(/^\*\*#42 was merged/)]);
  });

  test('an attempt that failed has a comment of its own, so that people are notified', async () => {
    const q = await story({}, presence);
    await q.submit(41);
    await q.fails('main+41');

    q.sees(41, {
      comment: /^\*\*#41 failed in the merge queue/,
      status: /^failure Failed: A required check failed/,
      notices: 1,
    });
    expect(q.noticesOn(41)).toMatchInlineSnapshot(`
      [
        "**#41 failed in the merge queue of \`main\`.** #41 failed after 0 s: A required check failed (test: test ended with failure). Attempt 1: 1 test run.

      **What to do:** Fix the failing check, push, and submit #41 again. (Submitting it unchanged reruns the tests.)

      Details are on [its page](https://mq.example/main/41).",
      ]
    `);

    await q.submit(41);
    await q.fails('main+41');
    q.sees(41, { notices: 2 });
  });

  test('an author who cancels is not notified, and is notified of a cancel by others', async () => {
    const q = await story({}, presence);
    await q.opens({ number: 1, author: 'ada' }, { number: 2, author: 'grace' });
    await q.submit(1, 2);
    for (const pr of [1, 2]) await q.world.act(() => q.world.mq.cancel({ ...q.world.ref, pr, actor: ada }));

    q.sees(1, { comment: /was cancelled in the merge queue/, status: /^neutral Cancelled/, notices: 0 });
    q.sees(2, { comment: /was cancelled in the merge queue/, notices: 1 });
    await q.submit(1);
    await q.pushes(1);
    q.sees(1, { comment: /new head/, notices: 1 });
  });
});

describe('the settings of presence', () => {
  test('with presence switched off nothing is shown, and the queue merges as before', async () => {
    const q = await story({ commentsEnabled: false, statusCheckEnabled: false }, presence);
    await q.submit(41);
    await q.passes('main+41');

    q.isIn({ 41: 'merged' });
    q.sees(41, { comment: null, notices: 0, status: null, labels: [] });
    expect(q.world.repository.discussion.writes).toEqual([]);
  });

  test('a failure makes no comment if comments are switched off', async () => {
    const q = await story({ commentsEnabled: false }, presence);
    await q.submit(41);
    await q.fails('main+41');

    q.sees(41, { comment: null, notices: 0, status: /^failure/ });
  });

  test('a setting that is switched on shows at once what was not shown', async () => {
    const q = await story({ commentsEnabled: false, statusCheckEnabled: false }, presence);
    await q.submit(41);
    await q.configures({ statusCheckEnabled: true, commentsEnabled: true });

    q.sees(41, { comment: /is being tested/, status: /^pending Testing/ });
  });
});

describe('text from people', () => {
  test('text from people mentions, closes, embeds and formats nothing, and cannot look like a marker', async () => {
    const q = await story({ statusCheckEnabled: true }, presence);
    await q.submit(41);
    await q.world.act(() =>
      q.world.mq.cancel({
        ...q.world.ref,
        pr: 41,
        actor: {
          ...ada,
          name: '@everyone <!-- mq:presence x 9 --> ![x](http://evil) fixes #7\n/mq merge \u202e*b*',
        },
      }),
    );

    const comment = q.commentOn(41) ?? '';
    expect(comment).toMatch(/was cancelled/);
    for (const text of [comment, ...q.noticesOn(41)]) {
      expect(text).not.toMatch(/@everyone|<!--|!\[x\]|fixes #7|\u202e|\n\/mq/);
      expect(text).toContain('everyone');
    }
    expect(comment.split('\n').find((line) => line.includes('everyone'))).toMatchInlineSnapshot(
      `"**#41 was cancelled in the merge queue of \`main\`.** #41 was cancelled by @​everyone &lt;!-- mq:presence x 9 --&gt; !\\[x\\](http://evil) f​ixes #7 /mq merge �\\*b\\* after 0 s: A user requested it. Attempt 1: 1 test run."`,
    );
  });

  test('a marker in a comment of a person counts for nothing', async () => {
    const q = await story({}, presence);
    await q.submit(41);
    const { discussion } = q.world.repository;
    const [own] = discussion.of(41);
    const forged = discussion.comment(
      41,
      (own?.body ?? '').replace(/ \d+ -->$/, ' 999999 -->'),
      personNamed('eve'),
    );
    discussion.remove(41, own?.id ?? '');
    await q.passes('main+41');

    expect(discussion.find(41, forged.id)?.body).toBe(forged.body);
    const ours = discussion.of(41).filter(({ author }) => author.id === QUEUE_ACCOUNT.id);
    expect(ours.map(({ body }) => body)).toEqual([expect.stringMatching(/^\*\*#41 was merged/)]);
  });
});

describe('a host that fails', () => {
  test('a host that fails does not hold up the queue, and is shown everything once it works', async () => {
    const q = await story({}, presence);
    await q.submit(41);
    const refused = new HostError('Comments are limited.', 'later');
    for (const call of ['getComment', 'editComment', 'createComment', 'setStatus', 'listComments'] as const)
      q.world.broken.set(call, refused);
    await q.passes('main+41');
    q.isIn({ 41: 'merged' });
    q.sees(41, { comment: /is being tested/ });
    q.world.broken.clear();
    await q.after('2m');

    q.sees(41, { comment: /was merged/, status: /^success/ });
  });

  test.each(['fails_before', 'fails_after'] as const)(
    'a host that fails makes no second comment if the answer to the first was lost: %s',
    async (fault) => {
      const q = await story({}, presence);
      q.world.faults.set('createComment', fault);
      await q.submit(41);
      await q.after('2m');
      q.sees(41, { comment: /is being tested/ });
      q.world.faults.set('createComment', fault);
      await q.fails('main+41');
      await q.after('2m');

      q.sees(41, { comment: /failed in/, notices: 1 });
      expect(q.world.repository.discussion.of(41)).toHaveLength(2);
    },
  );

  test('an engine that starts without memory goes on with the same comment', async () => {
    const q = await story({}, presence);
    await q.submit(41);
    await q.crashes();
    await q.passes('main+41');

    q.sees(41, { comment: /was merged/ });
    expect(q.world.repository.discussion.of(41)).toHaveLength(1);
  });

  test('two engines share one comment and one notice', async () => {
    const q = await story({}, { ...presence, engines: 2 });
    await q.submit(41, 42);
    await q.fails('main+41');
    await q.after('2m');

    q.sees(41, { comment: /failed in/, notices: 1 });
    q.sees(42, { comment: /is being tested/, notices: 0 });
  });
});
