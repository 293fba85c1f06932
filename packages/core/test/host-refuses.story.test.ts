import { HostError } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test, vi } from 'vitest';

const story = stories(afterEach);

const gone = new HostError('Not Found', 'never', null, { reach: 'repository' });
const forbidden = new HostError('Bad credentials', 'never', null, { reach: 'access' });
const unexplained = new HostError('Forbidden', 'never');

const questions = ['getBranch', 'getPullRequests', 'getChecks'];

const asked = (q: Story, ...names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (q.world.asked.get(name) ?? 0), 0);

const refuses = async (q: Story, error: HostError | null): Promise<void> => {
  q.world.host.refuseAll(error);
  await q.after('2m');
};

const retriesOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.submission.retries;

describe('a host that permanently refuses to answer', () => {
  test.each([
    ['as the repository is gone', gone],
    ['as access was lost', forbidden],
    ['for no stated reason', unexplained],
  ])('%s: a passed deadline leads to no endless questions, and uses up nothing', async (_, error) => {
    const q = await story({ testingTimeoutMinutes: 30, concurrency: 2 });
    await q.submit(1, 2);
    await refuses(q, error);
    const before = { questions: asked(q, ...questions), commits: asked(q, 'commit') };

    await q.after('1h');

    expect(asked(q, ...questions) - before.questions).toBeLessThanOrEqual(3 * 61);
    expect(asked(q, 'commit') - before.commits).toBeLessThanOrEqual(10);
    q.isIn({ 1: 'testing', 2: 'testing' });
    expect([retriesOf(q, 1), retriesOf(q, 2)]).toEqual([0, 0]);
  });

  test.each([
    ['access was lost', forbidden],
    ['no reason is stated', unexplained],
  ])(
    '%s: the queue is on hold, says so, and continues by itself with the remaining time',
    async (_, error) => {
      const q = await story({ testingTimeoutMinutes: 30 });
      await q.submit(1, 2);
      await q.after('10m');
      await refuses(q, error);
      await q.after('3h');
      q.queueIs('running');
      q.waitsFor(1, 'checks');
      q.waitsFor(2, 'queue_held');
      q.explains(
        1,
        /The queue is on hold: the code host has refused to answer for acme\/widgets for .* \((Bad|Forbidden)/,
      );

      await refuses(q, null);
      await q.after('16m');
      q.isIn({ 1: 'testing' });
      await q.after('4m');
      q.hasReason(1, 'TEST_RUN_TIMEOUT');
      q.isTesting('main+2');
    },
  );

  test('a repository that is gone pauses the queue after the second read in a row', async () => {
    const q = await story();
    await q.submit(1);
    await refuses(q, gone);

    q.queueIs('paused');
    q.explains(1, /The code host has no repository acme\/widgets any more: Not Found/);

    await refuses(q, null);
    await q.resumes();
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('a single refusal does not stop the queue', async () => {
    const q = await story();
    await q.submit(1);
    q.world.host.refuseAll(gone);
    await q.after('31s');
    await refuses(q, null);

    q.queueIs('running');
    await q.passes('main+1');
    q.hasLanded('main+1');
  });

  test('the time to become ready does not pass', async () => {
    const q = await story({ notReadyTimeoutHours: 1 });
    await q.drafts(1);
    await q.submit(1);
    await refuses(q, forbidden);
    await q.after('5h');
    q.isIn({ 1: 'not_ready' });

    await refuses(q, null);
    await q.after('50m');
    q.isIn({ 1: 'not_ready' });
    await q.after('10m');
    q.hasReason(1, 'NOT_READY_TIMEOUT_EXPIRED');
  });

  test('a landing that is asked for when access is lost is not repeated in a loop, and takes place once access is back', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.unseen(() => q.passes('main+1'));
    q.world.beforeCall.set('land', () => q.world.host.refuseAll(forbidden));
    await q.after('3h');
    q.waitsFor(1, 'landing');
    q.explains(1, /The queue is on hold: the code host has refused to answer/);
    expect(asked(q, 'land')).toBeLessThanOrEqual(181);
    q.hasLanded('main');

    await refuses(q, null);
    await q.after('5m');
    q.isIn({ 1: 'merged', 2: 'testing' });
    q.hasMoved(1);
  });

  test('a check that is awaited again keeps its remaining time while access is lost', async () => {
    const q = await story({ testingTimeoutMinutes: 30 });
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.after('1s');
    await q.unseen(() => q.reruns('main+1'));
    await q.after('1s');
    await q.resumes();
    q.waitsFor(1, 'check_run_again');
    await refuses(q, forbidden);
    await q.after('3h');
    q.isIn({ 1: 'testing' });

    await refuses(q, null);
    await q.after('20m');
    q.isIn({ 1: 'testing' });
    await q.passes('main+1');
    q.isIn({ 1: 'merged' });
  });
});

test.each([77, 2, 1])(
  'a host that names #%s as the one below #1 that it conflicts with is asked again with a growing delay',
  async (other) => {
    const q = await story({ concurrency: 1 });
    let builds = 0;
    vi.spyOn(q.world.repository, 'build').mockImplementation(() => {
      builds += 1;
      return { kind: 'conflicted', pr: 1, with: other, paths: [] };
    });
    await q.submit(1, 2);
    expect(builds).toBeLessThan(5);
    q.explains(1, new RegExp(`#${other} is not below #1`));

    await q.after('1h');
    expect(builds).toBeLessThan(100);
    vi.restoreAllMocks();
    await q.after('1h');
    q.isTesting('main+1');
  },
);
