import { createMergeQueue, type MergeQueue, type QueueRef } from '@mq/core';
import { fakeHost, virtualClock } from '@mq/testkit';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type Database, migrate, openPGlite, postgresStore } from '../src/index.js';
import { migrateBy } from '../src/migrate.js';
import { migrations } from '../src/migrations/migrations.js';
import { namesIn } from '../src/statement.js';
import { freshName, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const ref: QueueRef = {
  repo: { host: 'fake.example', owner: 'acme', name: 'widgets' },
  targetBranch: 'main',
};

const prs = [1, 2, 3, 4, 5];

/** A host, and engines with a store each in one schema, which is as a release before the steps left it. */
const world = async (database: Database) => {
  const schema = freshName();
  await migrateBy(migrations.slice(0, 1), database, namesIn(schema));
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: ref.repo });
  repository.reportTipChecks('main', { test: 'success' });
  const engine = async (on = database) => {
    const store = await postgresStore({ database: on, schema });
    return createMergeQueue({ store, hosts: { [ref.repo.host]: host }, clock });
  };
  const submit = async (by: MergeQueue, ...numbers: readonly number[]) => {
    for (const pr of numbers) {
      repository.openPullRequest({ number: pr });
      await by.submit({ ...ref, pr });
      await by.settled();
    }
  };
  const pass = async (by: MergeQueue, which: 'all' | 'all but the first') => {
    const waiting = repository.ci.checks().filter(({ status }) => status !== 'completed');
    for (const { commit } of which === 'all' ? waiting : waiting.slice(1))
      repository.ci.finish(commit, null, 'success');
    await by.notice({ repo: ref.repo, what: 'checks' });
    await by.settled();
  };
  const statesIn = async (by: MergeQueue) =>
    (await by.getSubmissions({ ...ref, prs })).found.map(({ submission }) => submission.state);
  const first = await engine();
  await first.createQueue({ ...ref, concurrency: prs.length });
  return { schema, engine, first, submit, pass, statesIn };
};

const allButTheFirstPassed = ['testing', ...Array(prs.length - 1).fill('tests_passed')];

test('what is under way while replicas are replaced, and while the step is taken that waited for that, lands as if nothing had been', async () => {
  const { schema, engine, first, submit, pass, statesIn } = await world(server);
  await submit(first, 1, 2);
  const second = await engine();
  await submit(second, 3);
  await migrate({ database: server, schema, isEarlierGone: true });
  const third = await engine();
  await submit(third, 4);
  await submit(second, 5);
  // Those of before the step are written anew by who writes parts, and then by who does not.
  await pass(third, 'all but the first');
  expect(await statesIn(third)).toEqual(allButTheFirstPassed);
  await first.updateQueue({ ...ref, testingTimeoutMinutes: 100 });
  await first.settled();

  const fourth = await engine();
  const runs = (await fourth.listRuns(ref)).map(({ run }) => run);
  expect(runs.map(({ batch }) => batch.map(({ pr }) => pr))).toEqual(prs.map((pr) => [pr]));
  expect(runs.filter(({ trial }) => trial === null)).toEqual([]);
  await pass(fourth, 'all');

  expect(await statesIn(fourth)).toEqual(prs.map(() => 'merged'));
});

test('what is under way in a folder lands as well, whose steps are taken when it is opened', async () => {
  const folder = await openPGlite();
  onTestFinished(() => folder.close());
  const { engine, first, submit, pass, statesIn } = await world({ ...folder, isExclusive: false });
  await submit(first, ...prs);

  await pass(await engine(folder), 'all but the first');
  const again = await engine(folder);
  expect(await statesIn(again)).toEqual(allButTheFirstPassed);
  await pass(again, 'all');

  expect(await statesIn(again)).toEqual(prs.map(() => 'merged'));
});
