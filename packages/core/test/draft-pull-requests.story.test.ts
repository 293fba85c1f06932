// Draft pull requests for candidates, and checks that ran on the merge of a candidate with the target.
import type { Conclusion, QueueSettings } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);
const withDrafts = (settings: Partial<QueueSettings> = {}) => story(settings, { lacks: [] });

const statesOf = (q: Story) =>
  q.world.repository.drafts.all().map(({ title, state }) => `${title}: ${state}`);

describe('a candidate', () => {
  test('a candidate has a draft pull request until it has landed or is dropped, which links to no pull request', async () => {
    const q = await withDrafts({ concurrency: 2 });
    await q.submit(1, 2);
    const drafts = q.world.repository.drafts.all();
    expect(drafts.map(({ branch, state, title }) => [branch, state, title])).toEqual([
      ['main', 'open', 'Merge queue: test of 1'],
      ['main', 'open', 'Merge queue: test of 1, 2'],
    ]);
    for (const { title, body } of drafts) expect(`${title} ${body}`).not.toMatch(/[#@]/);

    await q.cancel(2);
    await q.passes('main+1');
    await q.after('1m');
    expect(statesOf(q)).toEqual(['Merge queue: test of 1: closed', 'Merge queue: test of 1, 2: closed']);
  });

  test('a candidate of many pull requests has a draft whose title names the first five', async () => {
    const q = await withDrafts({ batch: true, batchingMinSize: 7 });
    await q.submit(1, 2, 3, 4, 5, 6, 7);

    expect(statesOf(q)).toEqual(['Merge queue: test of 1, 2, 3, 4, 5 and 2 more: open']);
  });

  test('a candidate has no draft pull request without createPrsForTestingBranches', async () => {
    const q = await withDrafts({ createPrsForTestingBranches: false });
    await q.submit(1);
    await q.passes('main+1');

    q.hasLanded('main+1');
    expect(statesOf(q)).toEqual([]);
  });
});

/** A CI that tests pull requests and no branches: what the queue asks for starts nothing. */
const onlyByDrafts = async (settings: Partial<QueueSettings> = {}): Promise<Story> => {
  const q = await withDrafts(settings);
  q.world.repository.ci.startsBy = 'silence';
  return q;
};

/**
 * The CI shows a check of the newest draft for these pull requests, or ends the one that it shows as running. It started
 * `agoMs` before.
 */
const shows = async (q: Story, prs: string, conclusion: Conclusion | 'running', agoMs = 0): Promise<void> => {
  const { repository, clock } = q.world;
  const draft = repository.drafts.all().findLast(({ title }) => title.endsWith(` ${prs}`));
  if (draft === undefined) throw new Error(`There is no draft for ${prs}.`);
  const isRunning = conclusion === 'running';
  const begun = repository.ci
    .checks()
    .find(({ commit, status }) => commit === draft.commit && status === 'running');
  await q.world.act(() => {
    if (begun !== undefined && !isRunning) return void repository.ci.finish(draft.commit, 'test', conclusion);
    const part = { name: 'test', isOnMerge: true, startedAt: clock.now() - agoMs } as const;
    if (isRunning) repository.ci.report(draft.commit, { ...part, status: 'running' });
    else repository.ci.report(draft.commit, { ...part, conclusion });
  });
  await q.after('1m');
};

describe('a check on the merge of a candidate with the target', () => {
  test('a check on a merge counts while the target stands where the candidate was built, or on a step of it that has landed', async () => {
    const q = await onlyByDrafts({ concurrency: 2 });
    await q.submit(1, 2);
    await q.after('1m');
    await shows(q, '1', 'success');
    q.hasLanded('main+1');
    await shows(q, '1, 2', 'success');
    q.hasLanded('main+1+2');
  });

  test('a check on a merge says nothing if it started after a push to the target that the queue has not seen', async () => {
    const q = await onlyByDrafts();
    await q.submit(1);
    q.world.host.setSilent(true);
    q.world.repository.pushTo('main');
    await shows(q, '1', 'failure');
    await q.after('5m');

    q.isIn({ 1: 'testing' });
    await shows(q, '1', 'success');
    q.isIn({ 1: 'merged' });
  });

  test('a check on a merge says nothing if it started after another lane had landed: the candidate is built on that', async () => {
    const q = await onlyByDrafts({ mode: 'parallel', concurrency: 4 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.after('1m');
    await shows(q, '2', 'success');
    q.hasLanded('main+2');

    await q.after('4m');
    await shows(q, '1', 'failure', 120_000);
    q.hasOnRecord(/OVERTAKEN/);
    q.isIn({ 1: 'testing' });
    await shows(q, '1', 'success');
    q.hasLanded('main+2+1');
  });

  test('a check on a merge counts if it started before another lane landed', async () => {
    const q = await onlyByDrafts({ mode: 'parallel', concurrency: 4 });
    await q.touches(1, ['//a']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.after('1m');
    await shows(q, '1', 'running');
    await shows(q, '2', 'success');
    await shows(q, '1', 'success');

    q.hasLanded('main+2+1');
  });

  test.each(['failure', 'running'] as const)(
    'a check on a merge that runs again after another lane has landed has its pull request tested again and lets others land (%s)',
    async (rerun) => {
      const q = await onlyByDrafts({ mode: 'parallel', concurrency: 4 });
      for (const pr of [1, 2, 3]) await q.touches(pr, [`//${pr}`]);
      await q.submit(1, 2, 3);
      await q.after('1m');
      await q.refusesLandings({ class: 'wait', pr: 2, message: 'not approved' });
      await shows(q, '2', 'success');
      await shows(q, '1', 'success');
      q.isIn({ 1: 'merged', 2: 'tests_passed' });

      await shows(q, '2', rerun);
      await q.refusesLandings(null);
      q.isIn({ 2: 'testing' });
      q.hasOnRecord(/OVERTAKEN/);
      await q.after('10m');
      await shows(q, '3', 'success');
      q.isIn({ 2: 'testing', 3: 'merged' });
    },
  );
});
