import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, test } from 'vitest';

const story = stories(afterEach);

describe('readiness', () => {
  test('a pull request that is not ready says what it waits for, and joins the line when it is ready', async () => {
    const q = await story();
    await q.drafts(1);
    await q.submit(1);
    q.isIn({ 1: 'not_ready' });
    q.explains(1, /draft/);

    await q.marksReady(1);

    q.isIn({ 1: 'testing' });
  });

  test('a push to a pull request that is not ready moves its head, and it stays', async () => {
    const q = await story();
    await q.drafts(1);
    await q.submit(1);

    await q.pushes(1);
    q.isOnAttempt(1, 1);
    await q.marksReady(1);
    await q.passes('main+1');

    q.hasLanded('main+1');
  });

  test('a pull request that never becomes ready is cancelled', async () => {
    const q = await story({ notReadyTimeoutHours: 2 });
    await q.drafts(1);
    await q.submit(1);

    await q.after('119m');
    q.isIn({ 1: 'not_ready' });
    await q.after('1m');

    q.isIn({ 1: 'cancelled' });
    q.explains(1, /did not become ready/);
  });

  test('a closed pull request that is not ready waits to be reopened', async () => {
    const q = await story();
    await q.drafts(1);
    await q.submit(1);
    await q.closes(1);
    q.waitsFor(1, 'reopening');

    await q.reopens(1);
    await q.marksReady(1);

    q.isIn({ 1: 'testing' });
  });

  test('without required checks nothing is merged untested', async () => {
    const q = await story({}, { checks: [] });

    await q.submit(1);

    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'START_TEST_RUN_NO_REQUIRED_STATUSES');
    q.explains(1, /No required check/);
    q.hasLanded('main');
  });

  test('without required checks a batch fails as a whole when it is full', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 }, { checks: [] });

    await q.submit(1, 2);

    q.isIn({ 1: 'failed', 2: 'failed' });
    q.hasReason(2, 'START_TEST_RUN_NO_REQUIRED_STATUSES');
  });

  test('a waiting pull request shows what happens if no required checks are known', async () => {
    const q = await story({ concurrency: 1 });
    await q.submit(1, 2);
    await q.requires(null);
    await q.after('2m');

    q.waitsFor(2, 'required_checks');
    q.explains(2, /^No required checks are known, .*: #2 will fail when its turn to be tested comes\.$/);
    await q.requires(['test']);
    await q.after('2m');
    q.waitsFor(2, 'turn');
  });

  test('with an empty list of required checks, a candidate is enough', async () => {
    const q = await story({ requiredStatuses: [] });

    await q.submit(1);

    q.hasLanded('main+1');
  });

  test('the checks of the queue override the rules of the branch', async () => {
    const q = await story({ requiredStatuses: ['lint'] }, { checks: ['lint', 'test'] });
    await q.submit(1);

    await q.passes('main+1', 'lint');

    q.hasLanded('main+1');
  });
});

describe('a pull request under test', () => {
  test('a pull request under test ends when it is pushed to, and returns as a new attempt of the same submission', async () => {
    const q = await story();
    await q.submit(1);
    const before = q.world.seen.submissions.get(1)?.submission.id;

    await q.pushes(1);
    q.isIn({ 1: 'cancelled' });
    q.explains(1, /pushed to/);
    await q.submit(1);

    q.isOnAttempt(1, 2);
    if (q.world.seen.submissions.get(1)?.submission.id !== before) throw new Error('The id has changed.');
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('a pull request under test ends at once by a submit that reads another head', async () => {
    const q = await story();
    await q.submit(1);
    await q.unseen(() => q.pushes(1));

    await q.submit(1);

    q.isOnAttempt(1, 2);
    q.isTesting('main+1');
    q.hasTested('main+1', 2);
  });

  test('a pull request under test ends when it is merged into another branch', async () => {
    const q = await story();
    await q.submit(1);

    await q.unseen(async () => {
      await q.retargets(1, 'develop');
      await q.mergesByHand(1);
    });
    await q.after('15m');

    q.isIn({ 1: 'cancelled' });
    q.hasReason(1, 'PR_MERGED_INTO_OTHER_BRANCH');
    q.explains(1, /another branch/);
  });

  test('a pull request under test is merged when it is merged by hand, and those behind are tested on the new tip', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.mergesByHand(1);

    q.isIn({ 1: 'merged', 2: 'testing' });
    q.explains(1, /merged outside of the queue/);
    q.isTesting('main+1+2');
    await q.passes('main+1+2');
    q.hasLanded('main+1+2');
  });

  test.each([
    ['while it is tested', (q: Story, merge: () => Promise<void>) => merge().then(() => q.after('5m'))],
    [
      'when it is about to land',
      (q: Story, merge: () => Promise<void>) => q.beforeLanding(merge).then(() => q.passes('main+1')),
    ],
  ])(
    'a pull request under test that is merged by hand %s is detected without a hint',
    async (_, meanwhile) => {
      const q = await story({ concurrency: 2 });
      await q.submit(1, 2);

      await meanwhile(q, () => q.unseen(() => q.mergesByHand(1)));

      q.hasReason(1, 'MANUAL_MERGE');
      q.isTesting('main+1+2');
    },
  );

  test('a pull request under test that was merged by hand does not fail for a later conflict', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.unseen(async () => {
      await q.mergesByHand(1);
      await q.pushesToTarget({ 'pr-1.txt': 'otherwise' });
    });
    await q.after('5m');

    q.hasReason(1, 'MANUAL_MERGE');
    q.isTesting('main+1+push+2');
  });

  test('a pull request under test that was pushed to does not fail for an old conflict', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.unseen(async () => {
      await q.pushes(1);
      await q.pushesToTarget({ 'pr-1.txt': 'otherwise' });
    });
    await q.after('5m');

    q.hasReason(1, 'PR_PUSHED_TO');
    q.isTesting('main+push+2');
  });

  test('a pull request under test leaves after a grace period when the host no longer finds it', async () => {
    const q = await story();
    await q.submit(1, 2);

    await q.deletesPullRequest(1);
    q.isIn({ 1: 'testing' });
    await q.after('1h');

    q.hasReason(1, 'PR_NOT_FOUND');
    q.explains(1, /no longer finds/);
    q.isTesting('main+2');
  });

  test('a pull request under test goes on hold when the host no longer allows the merge, and continues when it does again', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);

    await q.saysMergeability(1, 'not_mergeable');
    await q.after('1m');
    q.isTesting('main+2');
    q.isIn({ 1: 'pending' });
    await q.passes('main+2');
    q.hasLanded('main+2');

    await q.saysMergeability(1, 'mergeable');
    await q.after('1m');
    await q.passes('main+2+1');
    q.hasLanded('main+2+1');
  });

  test('a pull request under test is neither failed nor put on hold for a conflict that the host shows: its candidate decides', async () => {
    const q = await story();
    await q.opens(1, { number: 2, commits: [{ 'README.md': 'by 2\n' }] });
    await q.submit(1, 2);

    await q.pushesToTarget({ 'README.md': 'by hand\n' });
    await q.after('5m');
    q.isTesting('main+push+1');
    q.isIn({ 1: 'testing', 2: 'pending' });

    await q.passes('main+push+1');
    q.hasReason(2, 'START_TEST_RUN_MERGE_CONFLICT');
  });

  test('an unknown mergeability right after a landing stops no pull request in line', async () => {
    const q = await story();
    await q.submit(1);

    await q.saysMergeability(1, 'unspecified');
    await q.passes('main+1');

    q.hasLanded('main+1');
  });
});

test('a pull request that loses readiness during a pause returns behind those that have started', async () => {
  const q = await story({ concurrency: 3 });
  await q.submit(1, 2, 3);
  await q.pauses();
  await q.saysMergeability(1, 'not_mergeable');
  await q.resumes();
  q.isTesting('main+2', 'main+2+3');

  await q.saysMergeability(1, 'mergeable');
  q.isTesting('main+2', 'main+2+3', 'main+2+3+1');
});
