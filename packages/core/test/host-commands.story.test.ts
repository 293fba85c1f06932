// Commands that people give by comments and labels at the code host.
import type { HostAccount, HostCommandStore, QueueSettings } from '@mq/core';
import { memoryHostCommandStore } from '@mq/store-memory';
import { personNamed, type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

const roles = { ada: 'write', mia: 'maintain', root: 'admin', rita: 'read' } as const;

const withCommands = async (
  settings: Partial<QueueSettings> = {},
  setup: Parameters<typeof story>[1] = {},
): Promise<Story> => {
  const q = await story(settings, {
    commands: (clock) => ({ store: memoryHostCommandStore({ clock }) }),
    ...setup,
  });
  await q.gives(roles);
  return q;
};

const bot: HostAccount = { id: 'bot-1', name: 'robot', isBot: true };
const lastOf = (q: Story, pr: number) => q.answersAt(pr).at(-1) ?? '';

describe('a command in a comment', () => {
  test('a command in a comment submits the pull request, with the person as its actor', async () => {
    const q = await withCommands();
    const comment = await q.comments(1, 'Looks good.\n\n/mq merge');

    q.isIn({ 1: 'testing' });
    expect(q.reactionsTo(comment)).toEqual(['accepted']);
    expect(q.answersAt(1)).toEqual([]);
    expect(q.world.seen.submissions.get(1)?.submission.submittedBy).toMatchObject({
      kind: 'host',
      name: 'ada',
      person: 'ada',
    });
    q.hasOnRecord(/ada/);
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('a command is not stored if the host takes no commands, and a waiting one is removed', async () => {
    const commands: HostCommandStore[] = [];
    const q = await withCommands(
      {},
      {
        lacks: ['commands', 'drafts'],
        commands: (clock) => {
          const store = memoryHostCommandStore({ clock });
          commands.push(store);
          return { store };
        },
      },
    );
    const [store] = commands;
    const waiting = { repo: q.world.ref.repo, at: Number.MAX_SAFE_INTEGER, limit: 10 };
    await q.comments(1, '/mq merge');
    await q.labels(1, 'merge-queue-submit');
    expect(await store?.due(waiting)).toEqual([]);

    const [seenAt, repo] = [await store!.now(), q.world.ref.repo];
    await store?.add([
      {
        ...{ repo, key: 'comment 7', pr: 1, source: { kind: 'comment', id: '7' }, seenAt, dueAt: seenAt },
        ...{ person: personNamed('ada'), request: { kind: 'why' }, writtenAt: seenAt },
        ...{ state: 'waiting', result: null, isExplained: false, version: 1 },
      },
    ]);
    await q.after('30m');
    expect(await store?.due(waiting)).toHaveLength(1);
    await q.after('1h');
    expect(await store?.due(waiting)).toEqual([]);
  });

  test('a command with force is refused at submit if the host does not let the queue bypass its rules', async () => {
    const q = await withCommands({}, { lacks: ['force', 'drafts'] });
    const comment = await q.comments(1, '/mq merge --force', { by: 'root' });

    expect(q.reactionsTo(comment)).toEqual(['refused']);
    expect(lastOf(q, 1)).toMatch(/fake\.example does not let the queue land past its rules/);
    await q.comments(1, '/mq merge', { by: 'root' });
    q.isIn({ 1: 'testing' });
  });

  test('a command in a comment passes priority and noBatch on to the submit', async () => {
    const q = await withCommands({ batch: true, batchingMinSize: 2 });
    await q.comments(1, '/trunk merge --priority=low --no-batch');

    q.isIn({ 1: 'testing' });
    expect(q.world.seen.submissions.get(1)?.submission).toMatchObject({
      priority: { value: 200 },
      noBatch: true,
    });
  });

  test('a command in a comment cancels and restarts', async () => {
    const q = await withCommands();
    await q.submit(1);
    await q.comments(1, '/mq restart');
    q.hasTested('main+1', 2);
    await q.comments(1, '/mq cancel');

    q.isIn({ 1: 'cancelled' });
    expect(q.reactionsTo({ id: '2' })).toEqual(['accepted']);
  });

  test('why answers with the reason of the wait', async () => {
    const q = await withCommands();
    await q.submit(1);
    await q.comments(1, '/mq why', { by: 'rita' });

    expect(lastOf(q, 1)).toMatch(/^rita asked: .*test/i);
  });

  test('a command in a comment that is refused by the queue is answered with its sentence', async () => {
    const q = await withCommands();
    const comment = await q.comments(1, '/mq restart');

    expect(q.reactionsTo(comment)).toEqual(['refused']);
    expect(q.answersAt(1)).toEqual([expect.stringMatching(/`restart` of ada was not carried out/)]);
  });

  test('a command in a comment acts once, however often its event arrives', async () => {
    const q = await withCommands({}, { engines: 2 });
    const comment = await q.comments(1, '/mq merge');
    await q.cancel(1);
    await q.deliversComment(1, comment.id);
    await q.after('2m');

    q.isIn({ 1: 'cancelled' });
    q.isOnAttempt(1, 1);
  });

  test('a command in a comment acts once although the answer of its submit was lost', async () => {
    const q = await withCommands();
    await q.losesAnswer('commit', 'fails_after');
    await q.comments(1, '/mq merge');
    await q.after('2m');
    await q.cancel(1);
    await q.after('30m');

    q.isIn({ 1: 'cancelled' });
    q.isOnAttempt(1, 1);
  });

  test('a command in a comment acts once although it could not be stored that it was carried out', async () => {
    let failsOnce = true;
    const q = await withCommands(
      {},
      {
        commands: (clock) => {
          const store = memoryHostCommandStore({ clock });
          const replace: typeof store.replace = async (command) => {
            if (failsOnce && command.state === 'answering') {
              failsOnce = false;
              throw new Error('connection lost');
            }
            return store.replace(command);
          };
          return { store: { ...store, replace } };
        },
      },
    );
    const comment = await q.comments(1, '/mq merge');
    expect(q.reactionsTo(comment)).toEqual([]);
    await q.cancel(1);
    await q.after('1m');

    expect(q.reactionsTo(comment)).toEqual(['accepted']);
    q.isIn({ 1: 'cancelled' });
    q.isOnAttempt(1, 1);
  });

  test('a command in a comment is found by a poll if its event was lost', async () => {
    const q = await withCommands();
    await q.comments(1, '/mq merge', { event: 'lost' });
    q.isUnknown(1);
    await q.after('1m');

    q.isIn({ 1: 'testing' });
  });

  test('a command in a comment is found although the host lists it after a later one', async () => {
    const q = await withCommands();
    const { unlisted } = q.world.repository.timeline;
    unlisted.add('1');
    await q.comments(1, '/mq merge', { event: 'lost' });
    await q.after('1m');
    await q.comments(2, '/mq merge', { event: 'lost' });
    await q.after('30s');
    q.isIn({ 2: 'testing' });
    unlisted.clear();
    await q.after('1m');

    q.isIn({ 1: 'pending' });
  });

  test('a command in a comment is asked for with one call for each poll, whatever the number of comments', async () => {
    const q = await withCommands();
    for (let n = 0; n < 60; n += 1) await q.comments(1, `comment ${n}`, { event: 'lost' });
    const before = q.world.asked.get('commentsSince') ?? 0;
    await q.submit(2);
    await q.after('10m');

    expect((q.world.asked.get('commentsSince') ?? 0) - before).toBeLessThanOrEqual(21);
  });

  test('a command in a comment survives the end of the process right after its event was answered', async () => {
    const q = await withCommands();
    await q.goesDown();
    await q.comments(1, '/mq merge');
    q.isUnknown(1);
    await q.crashes();
    await q.comesBack();
    await q.after('1m');

    q.isIn({ 1: 'testing' });
  });

  test('a command in a comment is given up after an hour without the host, and says so', async () => {
    const q = await withCommands();
    await q.goesDown();
    await q.comments(1, '/mq merge');
    await q.after('2h');
    await q.comesBack();
    await q.after('10m');

    q.isUnknown(1);
    expect(q.answersAt(1)).toEqual([expect.stringMatching(/could not.*Repeat the command/)]);
  });
});

describe('a comment that was edited', () => {
  test('a comment that was edited is not a command, whether the command was added or was there before', async () => {
    const q = await withCommands();
    const added = await q.comments(1, 'Nice work.');
    await q.editsComment(1, added.id, '/mq merge');
    const before = await q.comments(2, '/mq merge', { event: 'lost' });
    await q.editsComment(2, before.id, '/mq merge --priority=low');
    await q.after('5m');

    q.isUnknown(1);
    q.isUnknown(2);
  });

  test('a comment that was edited does not command the queue a second time', async () => {
    const q = await withCommands();
    const comment = await q.comments(1, '/mq merge');
    await q.editsComment(1, comment.id, '/mq cancel');
    await q.after('5m');

    q.isIn({ 1: 'testing' });
  });
});

describe('a command that comes late', () => {
  test('a command that comes late is refused when it is first seen more than 15 min after it was written', async () => {
    const q = await withCommands();
    await q.goesDown();
    const comment = await q.comments(1, '/mq merge', { event: 'lost' });
    await q.after('16m');
    await q.comesBack();
    await q.after('2m');

    q.isUnknown(1);
    expect(q.reactionsTo(comment)).toEqual(['refused']);
    expect(q.answersAt(1)).toEqual([expect.stringMatching(/too late.*Repeat it/)]);
  });

  test('a command that comes late is refused when it is older than the queue', async () => {
    const q = await withCommands({}, { queue: false });
    const comment = await q.comments(1, '/mq merge', { event: 'lost' });
    await q.after('1m');
    await q.createsQueue();
    await q.deliversComment(1, comment.id);

    q.isUnknown(1);
    expect(lastOf(q, 1)).toMatch(/too late/);
  });

  test('a command that comes late of a repository without a queue asks nothing of the host, and is forgotten', async () => {
    const q = await withCommands({}, { queue: false });
    const comment = await q.comments(1, '/mq merge');
    await q.after('1m');

    expect(q.world.asked.get('permissionOf') ?? 0).toBe(0);
    expect(q.reactionsTo(comment)).toEqual([]);
  });

  test('a command that comes late is refused after a push, unless it names the commit', async () => {
    const q = await withCommands();
    const comment = await q.comments(1, '/mq merge', { event: 'lost' });
    await q.world.clock.advance(10_000);
    await q.pushes(1);
    await q.deliversComment(1, comment.id);
    q.isUnknown(1);
    expect(lastOf(q, 1)).toMatch(/pushed since, or the queue cannot tell/);

    const head = q.world.headOf(1) ?? '';
    await q.comments(1, `/mq merge ${head.slice(0, 10)}`);
    q.isIn({ 1: 'testing' });
  });

  test('a command that comes late that names another commit than the head is refused', async () => {
    const q = await withCommands();
    await q.comments(1, `/mq merge ${'d'.repeat(40)}`);

    q.isUnknown(1);
    expect(lastOf(q, 1)).toMatch(/The head of the pull request is/);
  });

  test('a command that comes late is refused for a fork more than 60 s after it was written, even if no push is shown', async () => {
    const q = await withCommands();
    await q.opens({ number: 1, fork: true }, { number: 2, fork: true }, { number: 3 });
    q.world.repository.timeline.showsPushes = false;
    const first = await q.comments(1, '/mq merge', { event: 'lost' });
    const own = await q.comments(3, '/mq merge', { event: 'lost' });
    await q.world.clock.advance(61_000);
    await q.deliversComment(1, first.id);
    await q.deliversComment(3, own.id);
    await q.comments(2, '/mq merge');

    q.isUnknown(1);
    expect(lastOf(q, 1)).toMatch(/Repeat the command, or name the commit/);
    q.isIn({ 2: 'pending', 3: 'testing' });
  });

  test('a command that comes late submits the head that was read, and no later one', async () => {
    const q = await withCommands();
    q.world.repository.timeline.showsPushes = false;
    q.world.beforeCall.set('originOf', () => q.world.repository.push(1));
    await q.comments(1, '/mq merge');

    q.isUnknown(1);
    expect(lastOf(q, 1)).toMatch(/The head of #1 is/);
  });
});

describe('rights', () => {
  test.each([
    ['/mq merge', 'rita'],
    ['/mq merge', 'stranger'],
    ['/mq merge --priority=high', 'ada'],
    ['/mq merge --priority=0', 'ada'],
    ['/mq merge --force', 'mia'],
  ])('%s is refused for %s, with a reaction', async (text, by) => {
    const q = await withCommands();
    const comment = await q.comments(1, text, { by });

    q.isUnknown(1);
    expect(q.reactionsTo(comment)).toEqual(['refused']);
  });

  test.each([
    ['/mq merge', 'ada'],
    ['/mq merge --priority=high', 'mia'],
    ['/mq merge --priority=urgent', 'mia'],
    ['/mq merge --force', 'root'],
  ])('%s is allowed for %s', async (text, by) => {
    const q = await withCommands();
    const comment = await q.comments(1, text, { by });

    q.isIn({ 1: 'testing' });
    expect(q.reactionsTo(comment)).toEqual(['accepted']);
  });

  test('a priority above the default needs maintain, and force needs admin', async () => {
    const q = await withCommands();
    await q.comments(1, '/mq merge --priority=high');
    await q.comments(1, '/mq merge --force', { by: 'mia' });

    q.isUnknown(1);
  });

  test('a restart needs write, also for the author', async () => {
    const q = await withCommands();
    await q.opens({ number: 1, author: 'stranger' });
    await q.submit(1);
    await q.comments(1, '/mq restart', { by: 'stranger' });

    q.hasTested('main+1', 1);
  });

  test('the author may cancel without a role, the submitter after losing one, and others may not', async () => {
    const q = await withCommands();
    await q.opens({ number: 1, author: 'stranger' });
    await q.submit(1);
    await q.comments(1, '/mq cancel', { by: 'rita' });
    await q.comments(1, '/mq cancel', { by: { id: 'user-x', name: 'stranger', isBot: false } });
    q.isIn({ 1: 'testing' });
    await q.comments(1, '/mq cancel', { by: 'stranger' });
    q.isIn({ 1: 'cancelled' });

    await q.comments(2, '/mq merge');
    await q.gives({ ada: 'none' });
    await q.comments(2, '/mq cancel');
    q.isIn({ 2: 'cancelled' });
  });

  test('rights are those of the account, not of its name', async () => {
    const q = await withCommands();
    await q.comments(1, '/mq merge', { by: { id: 'user-mallory', name: 'ada', isBot: false } });

    q.isUnknown(1);
  });

  test('a bot is ignored unless the queue names it', async () => {
    const q = await withCommands();
    const comment = await q.comments(1, '/mq merge', { by: bot });
    q.isUnknown(1);
    expect(q.reactionsTo(comment)).toEqual([]);

    await q.configures({ allowedBotSubmitters: ['robot'] });
    await q.comments(1, '/mq merge --priority=urgent', { by: bot });
    q.isUnknown(1);
    await q.comments(1, '/mq merge', { by: bot });
    q.isIn({ 1: 'testing' });
  });

  test('the own account never commands the queue', async () => {
    const q = await withCommands({ allowedBotSubmitters: ['mq'] });
    q.world.repository.timeline.setRole({ id: '1000' }, 'admin');
    await q.comments(1, '/mq merge', { by: { id: '1000', name: 'mq', isBot: true } });

    q.isUnknown(1);
  });
});

describe('abuse', () => {
  test('a hundred commands without rights get 30 reactions, and no comment for a person without a role', async () => {
    const q = await withCommands();
    for (let n = 0; n < 100; n += 1) await q.comments(1, '/mq merge', { by: 'stranger' });

    q.isUnknown(1);
    expect(q.world.repository.timeline.reactions).toHaveLength(30);
    expect(q.answersAt(1)).toEqual([]);
  });

  test('a person gets one explanation for each pull request', async () => {
    const q = await withCommands();
    for (const pr of [1, 1, 1, 2]) await q.comments(pr, '/mq merge', { by: 'rita' });
    await q.comments(1, '/mq merg', { by: 'ada' });

    expect(q.answersAt(1)).toEqual([
      expect.stringMatching(/of rita was not carried out. You need a write role/),
      expect.stringMatching(/of ada was not carried out. The command is not valid: `merg` is not a command/),
    ]);
    expect(q.answersAt(2)).toHaveLength(1);
  });

  test('a repository gets ten explanations an hour', async () => {
    const q = await withCommands();
    const prs = Array.from({ length: 12 }, (_, n) => n + 1);
    for (const pr of prs) await q.comments(pr, '/mq merge', { by: 'rita' });
    expect(prs.flatMap((pr) => q.answersAt(pr))).toHaveLength(10);
    await q.after('61m');
    await q.comments(12, '/mq merge', { by: 'rita' });

    expect(q.answersAt(12)).toHaveLength(1);
  });

  test('neither an error nor a name that people chose can mention or close anything', async () => {
    const q = await withCommands();
    const by = { id: 'user-rita', name: '@everyone fixes #1', isBot: false };
    await q.comments(1, '/mq @everyone', { by });

    expect(lastOf(q, 1)).toBe(
      'The command of A person was not carried out. The command is not valid: one of its words is not a command: use `merge`, `cancel`, `restart` or `why`.',
    );
  });
});

describe('settings', () => {
  test('without commandsEnabled comments are no commands, and labels still are', async () => {
    const q = await withCommands({ commandsEnabled: false });
    const comment = await q.comments(1, '/mq merge');
    await q.labels(2, 'merge-queue-submit');

    q.isUnknown(1);
    expect(q.reactionsTo(comment)).toEqual([]);
    q.isIn({ 2: 'testing' });
  });

  test('without labelCommandsEnabled labels are no commands, and comments still are', async () => {
    const q = await withCommands({ labelCommandsEnabled: false });
    await q.labels(1, 'merge-queue-submit');
    await q.comments(2, '/mq merge');
    await q.after('5m');

    q.isUnknown(1);
    q.isIn({ 2: 'testing' });
  });

  test('only enqueueingLabel submits', async () => {
    const q = await withCommands({ enqueueingLabel: 'land it' });
    await q.labels(1, 'merge-queue-submit');
    await q.labels(2, 'land it');

    q.isUnknown(1);
    q.isIn({ 2: 'testing' });
  });

  test('settings are those of the queue of the pull request, whatever other queues of the repository have', async () => {
    const q = await withCommands({ labelCommandsEnabled: false });
    await q.queueBeside('release', { enqueueingLabel: 'ship it' });
    await q.queueBeside('next');
    await q.labels(1, 'ship it');
    await q.labels(1, 'merge-queue-submit');
    q.isUnknown(1);
    await q.configures({ labelCommandsEnabled: true });
    await q.unlabels(1, 'ship it');
    await q.labels(1, 'ship it');
    q.isUnknown(1);
    await q.labels(2, 'merge-queue-submit');

    q.isIn({ 2: 'testing' });
  });

  test('a pull request whose base has no queue is left alone', async () => {
    const q = await withCommands();
    await q.retargets(1, 'other');
    const comment = await q.comments(1, '/mq merge');

    expect(q.reactionsTo(comment)).toEqual([]);
    expect(q.answersAt(1)).toEqual([]);
  });
});

describe('a label', () => {
  const LABEL = 'merge-queue-submit';

  test('a label submits by the person that added it, and cancels when a person removes it', async () => {
    const q = await withCommands();
    await q.labels(1, LABEL);
    q.isIn({ 1: 'testing' });
    expect(q.world.seen.submissions.get(1)?.submission.submittedBy.name).toBe('ada');
    await q.unlabels(1, LABEL);

    q.isIn({ 1: 'cancelled' });
  });

  test('a label needs the same rights as a comment', async () => {
    const q = await withCommands();
    await q.labels(1, LABEL, { by: 'rita' });

    q.isUnknown(1);
    expect(lastOf(q, 1)).toMatch(/You need a write role/);
  });

  test('a label that the queue itself removes cancels nothing', async () => {
    const q = await withCommands();
    await q.labels(1, LABEL);
    await q.unlabels(1, LABEL, { by: { id: '1000', name: 'mq', isBot: true } });

    q.isIn({ 1: 'testing' });
  });

  test('a label that is left behind never submits again', async () => {
    const q = await withCommands();
    await q.labels(1, LABEL);
    await q.fails('main+1');
    q.isIn({ 1: 'failed' });
    await q.after('1h');
    await q.pushes(1);
    await q.crashes();
    await q.after('1h');

    q.isIn({ 1: 'failed' });
    q.isOnAttempt(1, 1);
  });

  test('a label is found by a poll if its event was lost', async () => {
    const q = await withCommands();
    await q.labels(1, LABEL, { event: 'lost' });
    await q.after('1m');

    q.isIn({ 1: 'testing' });
  });

  test('a label is read at once if the host says only that labels changed', async () => {
    const q = await withCommands();
    await q.labels(2, LABEL);
    const readings = () => q.world.asked.get('labelEventsSince') ?? 0;
    const before = readings();
    await q.labels(1, LABEL, { event: 'lost' });
    await q.world.mq.notice({ repo: q.world.ref.repo, what: 'labels' });
    await q.world.settle();

    q.isIn({ 1: 'pending' });
    expect(readings()).toBe(before + 1);
  });

  test('a failed read of labels that changed is repeated before the next poll', async () => {
    const q = await withCommands({}, { lacks: ['drafts'] });
    await q.labels(2, LABEL);
    await q.labels(1, LABEL, { event: 'lost' });
    q.world.faults.set('labelEventsSince', 'fails_before');
    await q.world.mq.notice({ repo: q.world.ref.repo, what: 'labels' });
    await q.world.settle();
    q.isUnknown(1);
    await q.after('11s');

    q.isIn({ 1: 'pending' });
  });

  test('a hint that labels changed starts no read without labelCommandsEnabled', async () => {
    const q = await withCommands({ labelCommandsEnabled: false });
    await q.comments(1, '/mq merge');
    const before = q.world.asked.get('labelEventsSince') ?? 0;
    await q.world.mq.notice({ repo: q.world.ref.repo, what: 'labels' });
    await q.world.settle();

    expect(q.world.asked.get('labelEventsSince') ?? 0).toBe(before);
  });

  test('a label that is removed after the end is no fault', async () => {
    const q = await withCommands();
    await q.labels(1, LABEL);
    await q.passes('main+1');
    await q.unlabels(1, LABEL);

    q.isIn({ 1: 'merged' });
    expect(q.answersAt(1)).toEqual([]);
  });
});
