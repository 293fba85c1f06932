import { createMergeQueue, type QueueRef, type Store } from '@mq/core';
import { fakeHost, virtualClock } from '@mq/testkit';
import { afterAll, expect, test } from 'vitest';
import { migrate, postgresStore } from '../src/index.js';
import { migrateBy } from '../src/migrate.js';
import { migrations } from '../src/migrations/migrations.js';
import { namesIn } from '../src/statement.js';
import { freshName, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const ref: QueueRef = {
  repo: { host: 'fake.example', owner: 'acme', name: 'widgets' },
  branch: 'main',
};

test('what is under way while replicas are replaced, and while the step is taken that waited for that, lands as if nothing had been', async () => {
  const schema = freshName();
  await migrateBy(migrations.slice(0, 1), server, namesIn(schema));
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: ref.repo });
  repository.reportTipChecks('main', { test: 'success' });
  const engineOn = (store: Store) => createMergeQueue({ store, hosts: { [ref.repo.host]: host }, clock });
  const replica = async () => engineOn(await postgresStore({ database: server, schema }));
  const first = await replica();
  await first.createQueue({ ...ref, settings: { concurrency: 5 } });
  const submit = async (pr: number, by = first) => {
    repository.openPullRequest({ number: pr });
    await by.submit({ ...ref, pr });
    await by.settled();
  };
  const pass = async (by: typeof first, which: 'all' | 'all but the first') => {
    const waiting = repository.ci.checks().filter(({ status }) => status !== 'completed');
    for (const { commit } of which === 'all' ? waiting : waiting.slice(1))
      repository.ci.finish(commit, null, 'success');
    await by.notice({ repo: ref.repo, what: 'checks' });
    await by.settled();
  };
  const prs = [1, 2, 3, 4, 5];
  const statesOf = async (by = first) =>
    (await by.getSubmissions({ ...ref, prs })).found.map(({ submission }) => submission.state);
  await submit(1);
  await submit(2);

  const second = await replica();
  await submit(3, second);
  await migrate({ database: server, schema, isEarlierGone: true });
  const third = await replica();
  await submit(4, third);
  await submit(5, second);
  // Those of before the step are written anew by who writes parts, and then by who does not.
  await pass(third, 'all but the first');
  expect(await statesOf(third)).toEqual(['testing', ...Array(4).fill('tests_passed')]);
  await first.updateQueue({ ...ref, settings: { testingTimeoutMinutes: 100 } });
  await first.settled();

  const fourth = await replica();
  const runs = (await fourth.listRuns(ref)).map(({ run }) => run);
  expect(runs.map(({ batch }) => batch.map(({ pr }) => pr))).toEqual(prs.map((pr) => [pr]));
  expect(runs.filter(({ trial }) => trial === null)).toEqual([]);
  await pass(fourth, 'all');

  expect(await statesOf(fourth)).toEqual(prs.map(() => 'merged'));
});
