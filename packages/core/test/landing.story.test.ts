import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

describe('landing', () => {
  for (const mergeMethod of ['merge_commit', 'squash', 'rebase'] as const)
    test(`the tested commit lands by ${mergeMethod}, for a stack as for a single pull request`, async () => {
      const q = await story({ concurrency: 3, mergeMethod });
      await q.opens({ number: 1, commits: [{ 'a.txt': '1\n' }, { 'a.txt': '2\n' }] }, 2, 3);
      await q.submit(1, 2, 3);

      await q.passes('main+1');
      await q.passes('main+1+2+3');
      await q.passes('main+1+2');

      q.hasLanded('main+1+2+3');
      q.hasFiles({ 'a.txt': '2\n', 'pr-2.txt': 'change 2\n', 'pr-3.txt': 'change 3\n' });
      q.hasTested('main+1+2+3', 1);
    });

  test('a merge commit keeps the commits of the pull request behind it', async () => {
    const q = await story({ mergeMethod: 'merge_commit' });
    await q.opens({ number: 1, title: 'Make it faster' });
    await q.submit(1);
    await q.passes('main+1');

    const { repository } = q.world;
    const tip = repository.git.get(repository.branches.get('main')!);
    expect(tip.parents[1]).toBe(repository.pulls.get(1)?.head);
    q.hasTitle(/^Merge pull request #1: Make it faster$/);
  });

  test('a title from the body is used, and has no effect on a rebase', async () => {
    const body = 'Why.\n\nmerge-commit-title: Speed up the start\n';
    const squash = await story({ mergeMethod: 'squash' });
    await squash.opens({ number: 1, body });
    await squash.submit(1);
    await squash.passes('main+1');
    squash.hasTitle(/^Speed up the start$/);

    const rebase = await story({ mergeMethod: 'rebase' });
    await rebase.opens({ number: 1, body });
    await rebase.submit(1);
    await rebase.passes('main+1');
    rebase.hasTitle(/^Change 1$/);
  });

  test('a change of the merge method changes the message of pull requests that wait', async () => {
    const paused = await story({ mergeMethod: 'squash' });
    await paused.opens({ number: 1, title: 'Make it faster' });
    await paused.submit(1);
    await paused.pauses();
    await paused.configures({ mergeMethod: 'merge_commit' });
    await paused.resumes();
    await paused.passes('main+1');
    paused.hasTitle(/^Merge pull request #1: Make it faster$/);

    const failed = await story({ mergeMethod: 'squash', batch: true, batchingMinSize: 2, concurrency: 1 });
    await failed.opens({ number: 2, title: 'Make it faster' });
    await failed.submit(1, 2);
    await failed.after('6m');
    await failed.fails('main+1+2');
    await failed.configures({ mergeMethod: 'merge_commit' });
    await failed.passes('main+1+2');
    failed.hasTitle(/^Merge pull request #2: Make it faster$/);
  });

  test('a title edited during the test is not what lands: each test run has one commit', async () => {
    const q = await story();
    await q.opens({ number: 1, title: 'As it was submitted' });
    await q.submit(1);

    await q.edits(1, { title: 'As it was edited' });
    await q.restart(1);
    await q.passes('main+1');

    q.hasTitle(/^As it was submitted/);
  });

  test('a push to the target at the last moment lands nothing that was not tested on it', async () => {
    const q = await story();
    await q.submit(1);
    await q.beforeLanding(() => q.pushesToTarget());

    await q.passes('main+1');

    q.hasLanded('main+push');
    q.isTesting('main+push+1');
    await q.passes('main+push+1');
    q.hasLanded('main+push+1');
  });

  test('a landing whose answer was lost is detected, and reported once', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.losesAnswer('land', 'fails_after');

    await q.passes('main+1');
    await q.after('10m');

    q.hasLanded('main+1');
    q.isIn({ 1: 'merged' });
    q.hasReason(1, 'MERGE_GRAPH_MERGE');
    q.explains(1, /The queue merged it/);
    q.hasTested('main+1+2', 1);
  });

  test('while the result of a landing is unknown, nothing else lands', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.losesAnswer('land', 'fails_before');

    await q.passes('main+1');
    await q.passes('main+1+2');
    q.isIn({ 1: 'tests_passed', 2: 'tests_passed' });
    q.waitsFor(1, 'landing');
    q.hasLanded('main');

    await q.after('10m');
    q.hasLanded('main+1+2');
  });

  test('an engine that dies after the landing is followed by one that learns the result', async () => {
    const q = await story();
    await q.submit(1);
    await q.losesAnswer('land', 'fails_after');
    await q.passes('main+1');

    await q.crashes();
    await q.after('10m');

    q.isIn({ 1: 'merged' });
    q.hasLanded('main+1');
  });

  test('a landing that the host delays is retried without another test', async () => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings({ class: 'wait', pr: 1, message: 'checks of the head are running' });
    await q.passes('main+1');
    q.hasLanded('main');

    await q.refusesLandings(null);
    await q.after('10m');

    q.hasLanded('main+1');
    q.hasTested('main+1', 1);
  });

  for (const [what, keepsItBack] of [
    [
      'that the host delays',
      (q: Story) => q.refusesLandings({ class: 'wait', pr: 1, message: 'checks of the head are running' }),
    ],
    [
      'without a candidate at the host',
      (q: Story) => q.beforeLanding(async () => q.world.repository.candidates.clear()),
    ],
  ] as const)
    test(`a pull request ${what} lands as it was tested, not only after the tests of the next one`, async () => {
      const q = await story({ concurrency: 1 });
      await q.submit(1, 2);
      await keepsItBack(q);
      await q.passes('main+1');
      await q.refusesLandings(null);
      await q.after('1m');

      q.isIn({ 1: 'merged', 2: 'testing' });
      await q.passes('main+1+2');

      q.hasLanded('main+1+2');
      q.hasTested('main+1', 1);
      q.hasTested('main+1+2', 1);
    });

  test('a batch that the host delays lands as it was tested, whatever is behind it', async () => {
    const q = await story({ concurrency: 1, batch: true, batchingMinSize: 2 });
    await q.submit(1, 2, 3, 4);
    await q.refusesLandings({ class: 'wait', pr: null, message: 'Frozen.' });
    await q.passes('main+1+2');
    q.waitsFor(1, 'host');

    await q.refusesLandings(null);
    await q.after('1m');

    q.hasLanded('main+1+2');
    q.isIn({ 3: 'testing', 4: 'testing' });
    q.hasTested('main+1+2', 1);
  });

  test('a refusal of one pull request fails that one, and those behind are tested without it', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.refusesLandings({ class: 'pull_request', pr: 1, message: 'a review is missing' });

    await q.passes('main+1');
    await q.refusesLandings(null);

    q.isIn({ 1: 'failed', 2: 'testing' });
    q.explains(1, /refused to merge it.*a review is missing/);
    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a refusal because of settings pauses the queue and fails no pull request', async () => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings({ class: 'setting', pr: null, message: 'squash is not allowed' });

    await q.passes('main+1');

    q.queueIs('paused');
    q.explains(1, /squash is not allowed/);
    await q.refusesLandings(null);
    await q.resumes();
    await q.after('10m');
    q.hasLanded('main+1');
  });

  test('a host that lands another tree than was tested pauses the queue with an alarm', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.rewritesLandings();

    await q.passes('main+1');

    q.queueIs('paused');
    expect(q.world.seen.history.some((row) => row.type === 'alarm' && row.code === 'TREE_MISMATCH')).toBe(
      true,
    );
    q.isIn({ 1: 'merged', 2: 'pending' });
    q.isTesting();
  });

  test('a target that is forced back raises an alarm, and candidates built on it are built again', async () => {
    const q = await story();
    await q.submit(1);
    await q.passes('main+1');
    await q.submit(2);

    await q.rewinds();

    expect(q.world.seen.history.some((row) => row.type === 'alarm' && row.code === 'TARGET_REWOUND')).toBe(
      true,
    );
    q.isTesting('main+2');
  });

  test('a target that is deleted and restored to an old commit raises the same alarm', async () => {
    const q = await story();
    await q.submit(1);
    await q.passes('main+1');
    await q.submit(2);
    await q.deletesTarget();
    await q.after('5m');
    expect(q.world.seen.history.filter(({ type }) => type === 'alarm')).toEqual([]);

    await q.unseen(async () => {
      await q.restoresTarget();
      await q.rewinds();
    });
    await q.after('5m');

    q.hasOnRecord(/ALARM TARGET_REWOUND/);
    q.isTesting('main+2');
  });

  test('a target that a landing finds moved back raises the same alarm', async () => {
    const q = await story({ concurrency: 1 });
    await q.opens(1, 2);
    await q.submit(1);
    await q.passes('main+1');
    await q.submit(2);
    await q.beforeLanding(() => q.rewinds(1));

    await q.passes('main+1+2');

    q.hasOnRecord(/ALARM TARGET_REWOUND/);
    q.isTesting('main+2');
  });
});

describe('a refusal of a batch that names no pull request', () => {
  test('a refusal of a batch that names no pull request tests each member alone, and fails only the one that is refused', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.refusesLandings({ class: 'pull_request', pr: null, message: 'A hook says no.' });
    await q.passes('main+1+2');

    q.isIn({ 1: 'testing', 2: 'pending' });
    q.hasReason(2, 'BATCH_REFUSED');
    await q.passes('main+1');
    q.isIn({ 1: 'failed', 2: 'testing' });
    await q.refusesLandings(null);
    await q.passes('main+2');
    q.isIn({ 2: 'merged' });
  });

  test('a refusal of a batch that names no pull request lands each member by itself, also if a pass clears those below', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.refusesLandings({ class: 'pull_request', pr: null, message: 'Not these.' });
    await q.passes('main+1+2');
    q.isIn({ 1: 'testing', 2: 'tests_passed' });
    q.isTesting('main+1');

    await q.refusesLandings(null);
    await q.passes('main+1');

    q.hasLanded('main+1+2');
    q.hasMoved(2);
    q.hasTested('main+1+2', 1);
  });

  test('a refusal of a batch that names no pull request makes a batch land by itself, also if a pull request of another lane is between its members', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3, batch: true, batchingMinSize: 2 });
    for (const pr of [1, 3, 9]) await q.touches(pr, ['//api']);
    await q.touches(2, ['//web']);
    await q.submit(1, 9);
    await q.submit(2, { noBatch: true });
    await q.submit(3);
    await q.cancel(9);
    q.isTesting('main+1+3', 'main+2');
    await q.pauses();
    await q.passes('main+1+3');
    await q.passes('main+2');
    await q.beforeLanding(async () => {
      await q.refusesLandings({ class: 'pull_request', pr: null, message: 'Not these.' });
      await q.beforeLanding(() => q.refusesLandings(null));
    });
    await q.resumes();

    q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });
    q.hasMoved(2);
  });
});

test('a pull request whose landing was delayed is tested again without that delay', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1, 2);
  await q.refusesLandings({ class: 'wait', pr: 1, message: 'A review is asked for.' });
  await q.passes('main+1');
  await q.submit(9, { priority: 0 });
  await q.refusesLandings(null);
  await q.passes('main+9');

  q.isTesting('main+9+1');
});
