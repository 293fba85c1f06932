import { memoryStore } from '@mq/store-memory';
import { fakeHost, VIRTUAL_START, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { QueueSettings } from '../model/settings.js';
import { createMergeQueue } from './create-merge-queue.js';
import { SUBMISSIONS_PER_READ } from './reads.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const ref = { repo, targetBranch: 'main' };

/** A queue with these pull requests submitted; those above 100 are drafts. */
const withSubmitted = async (prs: readonly number[], settings: Partial<QueueSettings> = {}) => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: repo });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: host }, clock });
  await mq.createQueue({ ...ref, requiredStatuses: ['test'], ...settings });
  for (const number of prs) {
    repository.openPullRequest({ number, draft: number > 100 });
    await mq.submit({ ...ref, pr: number });
    await clock.advance(10);
  }
  await mq.settled();
  const finish = async (pr: number, conclusion: 'success' | 'failure' = 'success') => {
    const run = (await mq.listRuns({ ...ref, pr }))[0]?.run;
    repository.ci.finish(run!.candidate!.commit, 'test', conclusion);
    await mq.notice({ repo, what: 'checks' });
    await mq.settled();
  };
  return { clock, mq, repository, finish };
};
const code = async (answer: Promise<unknown>) =>
  answer.then(
    () => null,
    (error) => error.code,
  );

describe('reading a queue', () => {
  test('getQueue lists the line in order, and separately what is not ready', async () => {
    const { mq } = await withSubmitted([1, 101, 2], { concurrency: 1 });
    await mq.submit({ ...ref, pr: 2, priority: 10 });

    const view = await mq.getQueue(ref);

    expect(view).toMatchObject({
      status: 'running',
      requiredChecks: { names: ['test'], source: 'repo_provider_branch_protection' },
    });
    expect(view.enqueued.map(({ submission, waiting }) => [submission.pr, waiting?.code])).toEqual([
      [1, 'checks'],
      [2, 'turn'],
    ]);
    expect(view.notReady.map(({ submission }) => submission.pr)).toEqual([101]);
  });

  test('every read of a missing queue is refused', async () => {
    const { mq } = await withSubmitted([]);
    const other = { repo, targetBranch: 'next' };

    for (const read of [
      mq.getQueue(other),
      mq.getSubmission({ ...other, pr: 1 }),
      mq.getSubmissions({ ...other, prs: [] }),
      mq.listSubmissions(other),
      mq.timeline({ ...other, pr: 1 }),
      mq.listRuns(other),
      mq.listTestingResults({ ...other, since: 0 }),
    ])
      expect(await code(read)).toBe('QUEUE_NOT_FOUND');
  });
});

describe('reading submissions', () => {
  test('getSubmission finds a pull request by number, also after it ended', async () => {
    const { mq } = await withSubmitted([1]);
    await mq.cancel({ ...ref, pr: 1 });

    expect(await mq.getSubmission({ ...ref, pr: 1 })).toMatchObject({
      submission: { pr: 1, state: 'cancelled' },
      waiting: null,
      queue: { branch: 'main' },
    });
    expect(await code(mq.getSubmission({ ...ref, pr: 2 }))).toBe('NOT_SUBMITTED');
  });

  test('getSubmission finds a pull request by head branch, live or not', async () => {
    const { mq } = await withSubmitted([1]);
    const byBranch = (headBranch: string) => mq.getSubmission({ ...ref, headBranch });

    expect((await byBranch('change-1')).submission.pr).toBe(1);
    await mq.cancel({ ...ref, pr: 1 });
    expect((await byBranch('change-1')).submission).toMatchObject({ pr: 1, state: 'cancelled' });
    expect(await code(byBranch('unknown'))).toBe('NOT_SUBMITTED');
  });

  test('getSubmissions answers found and missing pull requests in order, up to a limit', async () => {
    const { mq } = await withSubmitted([1, 2]);

    const { found, notFound } = await mq.getSubmissions({ ...ref, prs: [7, 2, 8, 1] });

    expect(found.map(({ submission }) => submission.pr)).toEqual([2, 1]);
    expect(notFound).toEqual([7, 8]);
    const most = Array.from({ length: SUBMISSIONS_PER_READ }, (_, index) => index + 1);
    expect((await mq.getSubmissions({ ...ref, prs: most })).notFound).toHaveLength(48);
    expect(await code(mq.getSubmissions({ ...ref, prs: [...most, 99] }))).toBe('INVALID_REQUEST');
  });

  test('listSubmissions lists by state and time, page by page', async () => {
    const { mq, clock } = await withSubmitted([1, 2, 3]);
    await mq.cancel({ ...ref, pr: 2 });
    const numbers = async (request: Partial<Parameters<typeof mq.listSubmissions>[0]>) =>
      (await mq.listSubmissions({ ...ref, ...request })).items.map(({ submission }) => submission.pr).sort();

    expect(await numbers({})).toEqual([1, 2, 3]);
    expect(await numbers({ states: ['cancelled'] })).toEqual([2]);
    expect(await numbers({ since: clock.now() })).toEqual([2]);
    expect(await numbers({ until: VIRTUAL_START })).toEqual([1]);
    const first = await mq.listSubmissions({ ...ref, take: 2 });
    expect(first.items).toHaveLength(2);
    expect((await mq.listSubmissions({ ...ref, take: 2, cursor: first.next! })).items).toHaveLength(1);
  });

  test('timeline lists the history of one pull request, newest first', async () => {
    const { mq } = await withSubmitted([1, 2]);
    await mq.cancel({ ...ref, pr: 1 });

    const { items } = await mq.timeline({ ...ref, pr: 1 });

    expect(items.filter((row) => row.type === 'moved').map((row) => row.to)).toEqual([
      'cancelled',
      'testing',
      'pending',
      'not_ready',
    ]);
    expect((await mq.timeline({ ...ref, pr: 1, take: 1 })).items).toHaveLength(1);
    const whole: unknown[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; pages < items.length && cursor !== null; pages += 1) {
      const page = await mq.timeline({
        ...ref,
        pr: 1,
        take: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      whole.push(...page.items);
      cursor = page.next;
    }
    expect(whole).toEqual(items);
  });

  test('history lists all rows in the requested order, by default newest first', async () => {
    const { mq } = await withSubmitted([1, 2]);
    const sequences = async (request: Partial<Parameters<typeof mq.history>[0]>) =>
      (await mq.history({ ...ref, ...request })).items.map(({ sequence }) => sequence);
    const whole = await sequences({ order: 'oldest_first' });

    expect(whole.slice(0, 3)).toEqual([1, 2, 3]);
    expect(await sequences({})).toEqual(whole.toReversed());
    expect(await sequences({ order: 'oldest_first', take: 2 })).toEqual([1, 2]);
  });

  test('explain tells the whole story of each attempt, also of earlier ones', async () => {
    const { mq } = await withSubmitted([1]);
    await mq.cancel({ ...ref, pr: 1 });
    await mq.submit({ ...ref, pr: 1 });

    for (const attempt of [1, 2])
      expect(await mq.explain({ ...ref, pr: 1, attempt })).toMatchObject({
        isComplete: true,
        story: { attempt, state: attempt === 1 ? 'cancelled' : 'testing' },
      });
  });
});

describe('reading runs', () => {
  test('listRuns lists open test runs in queue order, or those of one pull request', async () => {
    const { mq } = await withSubmitted([1, 2, 3], { concurrency: 2 });
    const tested = (views: Awaited<ReturnType<typeof mq.listRuns>>) =>
      views.map(({ run }) => run.batch.map(({ pr }) => pr));

    expect(tested(await mq.listRuns(ref))).toEqual([[1], [2]]);
    expect(tested(await mq.listRuns({ ...ref, pr: 2 }))).toEqual([[2]]);
    expect(await mq.listRuns({ ...ref, pr: 3 })).toEqual([]);
  });

  test('getRun shows batch and stack, also after the test run was closed', async () => {
    const { mq } = await withSubmitted([1, 2], { concurrency: 2 });
    const [, second] = await mq.listRuns(ref);
    const runId = second!.run.id;

    expect(second).toMatchObject({
      waitsOn: [1],
      tested: [{ submission: { pr: 2 } }],
      requiredChecks: { names: ['test'] },
    });
    expect(second!.checks).toHaveLength(1);
    await mq.cancel({ ...ref, pr: 2 });
    expect(await mq.getRun({ ...ref, testRunId: runId })).toMatchObject({
      run: { closedBecause: 'member_left' },
      tested: [{ submission: { state: 'cancelled' } }],
    });
    expect(await code(mq.getRun({ ...ref, testRunId: 'nothing' as typeof runId }))).toBe('RUN_NOT_FOUND');
  });

  test('getRun unites the targets of batch and stack if all are known', async () => {
    const { mq } = await withSubmitted([1, 2], { concurrency: 2 });
    const targets = async () => {
      const [, second] = await mq.listRuns(ref);
      return [second!.impactedTargets, second!.impactedTargetsOfStack];
    };

    expect(await targets()).toEqual([null, null]);
    await mq.setImpactedTargets({ ...ref, pr: 2, impactedTargets: ['b', 'a'] });
    expect(await targets()).toEqual([['a', 'b'], null]);
    await mq.setImpactedTargets({ ...ref, pr: 1, impactedTargets: ['c', 'a'] });
    expect(await targets()).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
    await mq.setImpactedTargets({ ...ref, pr: 1, impactedTargets: 'ALL' });
    expect(await targets()).toEqual([['a', 'b'], 'ALL']);
  });

  test('getRun shows the targets of the tested head, also after uploads for a later one', async () => {
    const { mq, repository } = await withSubmitted([1]);
    await mq.setImpactedTargets({ ...ref, pr: 1, impactedTargets: ['a'] });
    const [{ run }] = (await mq.listRuns(ref)) as [Awaited<ReturnType<typeof mq.getRun>>];
    repository.push(1);
    await mq.setImpactedTargets({ ...ref, pr: 1, impactedTargets: ['z'] });

    expect(await mq.getRun({ ...ref, testRunId: run.id })).toMatchObject({ impactedTargets: ['a'] });
  });

  test('a test run closed before its tests began is not a testing result', async () => {
    const { mq, repository } = await withSubmitted([]);
    repository.openPullRequest({ number: 5 });
    await mq.submit({ ...ref, pr: 5 });
    await mq.cancel({ ...ref, pr: 5 });
    await mq.settled();

    expect(await mq.listTestingResults({ ...ref, since: 0 })).toEqual({ items: [], total: 0 });
  });

  test('listTestingResults lists ended and interrupted test runs, newest first', async () => {
    const { mq, clock, finish } = await withSubmitted([1, 2, 3]);
    await finish(1);
    await clock.advance(1_000);
    await finish(2, 'failure');
    await clock.advance(1_000);
    await mq.cancel({ ...ref, pr: 3 });

    const all = await mq.listTestingResults({ ...ref, since: 0 });

    expect(all.items.map(({ pr, outcome, attempt }) => [pr, outcome, attempt])).toEqual([
      [3, 'interrupted', 1],
      [2, 'failed', 1],
      [1, 'passed', 1],
    ]);
    expect(all.total).toBe(3);
    const some = await mq.listTestingResults({ ...ref, since: 0, offset: 1, take: 1 });
    expect([some.items.map(({ pr }) => pr), some.total]).toEqual([[2], 3]);
    expect((await mq.listTestingResults({ ...ref, since: clock.now() })).items.map(({ pr }) => pr)).toEqual([
      3,
    ]);
    expect(
      (await mq.listTestingResults({ ...ref, since: 0, until: clock.now() - 1_500 })).items.map(
        ({ pr }) => pr,
      ),
    ).toEqual([1]);
  });
});

describe('reading metrics', () => {
  test('metrics list all families also without a queue', async () => {
    const { mq } = await withSubmitted([]);
    await mq.deleteQueue(ref);

    expect(await mq.metrics()).toContain('# TYPE mq_depth_current gauge');
  });

  test('metrics cover all queues, or those of one repository', async () => {
    const { mq } = await withSubmitted([1]);

    for (const text of [await mq.metrics(), await mq.metrics({ repo })])
      expect(text).toContain('mq_depth_current{repo="acme/widgets",branch="main",queue_type="main"} 1');
    expect(await code(mq.metrics({ repo: { ...repo, name: 'other' } }))).toBe('REPOSITORY_NOT_FOUND');
  });

  test('metrics count the last hour', async () => {
    const { mq, clock } = await withSubmitted([1]);
    await mq.cancel({ ...ref, pr: 1 });
    const cancelled = async () =>
      /^mq_pr_conclusions_1h_total\{.*queue_type="main",conclusion="cancelled"\} (\d+)$/m.exec(
        await mq.metrics(),
      )?.[1];

    expect(await cancelled()).toBe('1');
    await clock.advance(3_600_001);
    expect(await cancelled()).toBe('0');
  });
});

describe('receipts', () => {
  test('receipts of a deleted queue are kept, and a new queue starts its own chain', async () => {
    const { mq, finish } = await withSubmitted([1]);
    await finish(1);
    const before = await mq.receipts(ref);
    const queueId = (await mq.getQueue(ref)).queue.id;
    expect(await mq.receipts({ ...ref, queueId })).toEqual(before);
    await mq.deleteQueue(ref);
    await mq.createQueue(ref);

    expect(before.items.map(({ pr }) => pr)).toEqual([1]);
    expect(await mq.receipts(ref)).toMatchObject({ items: [], head: { count: 0, hash: null } });
    expect(before.head).toEqual({ count: 1, hash: before.items[0]?.hash });
    expect(await mq.receipts({ ...ref, queueId })).toEqual({ ...before, head: null });
    const unknown = '00000000-0000-4000-8000-00000000dead' as typeof queueId;
    expect(await code(mq.receipts({ ...ref, queueId: unknown }))).toBe('QUEUE_NOT_FOUND');
    expect(await code(mq.receipts({ repo, targetBranch: 'next', queueId }))).toBe('QUEUE_NOT_FOUND');
    expect(await code(mq.receipts({ ...ref, take: 0 }))).toBe('INVALID_REQUEST');
  });

  test('receipts of a queue are answered only for its own repository, also after its deletion', async () => {
    const { mq, finish } = await withSubmitted([1]);
    await finish(1);
    const queueId = (await mq.getQueue(ref)).queue.id;
    const elsewhere = { repo: { ...repo, name: 'gadgets' }, targetBranch: ref.targetBranch, queueId };

    expect(await code(mq.receipts(elsewhere))).toBe('QUEUE_NOT_FOUND');
    await mq.deleteQueue(ref);
    expect(await code(mq.receipts(elsewhere))).toBe('QUEUE_NOT_FOUND');
    expect((await mq.receipts({ ...ref, queueId })).items).toHaveLength(1);
  });
});
