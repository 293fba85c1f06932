import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres, type TestPostgres } from '@mq/test-postgres';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase } from './fresh-database.js';
import {
  makeRepository,
  program,
  type Server,
  serverWith,
  temporaryFolder,
  until,
} from './server-process.js';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** Takes the steps back that wait, as long as nothing is in the tables: so the release before leaves them. */
const withoutThoseThatWait = [
  'queues',
  'effects',
  'submissions',
  'runs',
  'targets',
  'verdicts',
  'receipts',
  'history',
]
  .map((table) => `alter table mq.${table} alter column value type jsonb using value::text::jsonb;`)
  .concat(`alter table mq.submissions drop constraint submissions_pkey, add primary key (queue_id, id);
drop index mq.submissions_live, mq.submissions_left, mq.runs_live, mq.runs_left;
create index submissions_pr on mq.submissions (queue_id, pr);
create index submissions_changed on mq.submissions (queue_id, version);
create index submissions_live on mq.submissions (queue_id) where live_from is not null;
create index runs_changed on mq.runs (queue_id, version);
create index runs_live on mq.runs (queue_id) where closed is null;
alter table mq.runs alter column made type json using made::json, alter column trial type json using trial::json;
alter table mq.history drop constraint history_pkey, drop column pr, drop column version, add column turn bigint, add primary key (queue_id, turn);
alter table mq.history rename column types to type;
create index history_order on mq.history (queue_id, at, sequence);
alter table mq.history_prs drop constraint history_prs_pkey, drop column version, add column turn bigint, add primary key (queue_id, pr, at, sequence, turn);
create index history_prs_turn on mq.history_prs (queue_id, turn);
delete from mq.migrations where number > 2;`)
  .join('\n');

const clientOf = async (url: URL, name: string): Promise<Client> => {
  const client = new Client({ connectionString: url.href, application_name: name });
  await client.connect();
  return client;
};

const earlierDatabase = async (): Promise<URL> => {
  const url = await freshDatabase(postgres.url);
  const server = await serverWith({ DATABASE_URL: url.href });
  server.child.kill('SIGTERM');
  await server.ended;
  const client = await clientOf(url, 'a test');
  await client.query(withoutThoseThatWait);
  await client.end();
  return url;
};

const finishUpgrade = async (env: Readonly<Record<string, string>>, args: readonly string[] = []) => {
  const run = program('finish-upgrade.ts', { MQ_DATA: temporaryFolder(), ...env }, args);
  const { code } = await run.ended;
  expect(run.stderr()).not.toMatch(/\n\s+at /);
  return { code, told: run.stdout(), problem: run.stderr() };
};

const landsIn = async (server: Server, number: number): Promise<void> => {
  await until(
    async () => (await server.call('getSubmittedPullRequest', { pr: { number } })).json.state,
    (state) => state === 'merged',
  );
};

test('the step that waits is taken by the command, once no server of an earlier release is seen, under servers that go on', async () => {
  const url = await earlierDatabase();
  const env = { DATABASE_URL: url.href, MQ_TOKEN: 'shared', MQ_DATA: temporaryFolder() };
  const go = join(temporaryFolder(), 'go');
  const command = `while ! test -f ${go}; do sleep 0.2; done`;
  await makeRepository(env.MQ_DATA, command, { one: '1\n', two: '2\n' });
  const server = await serverWith(env);
  expect(server.stderr()).toContain('mq-finish-upgrade takes them');
  expect((await server.call('createQueue')).status).toBe(200);
  expect((await server.call('submitPullRequest', { pr: { number: 1 } })).status).toBe(200);
  await until(
    async () => (await server.call('getSubmittedPullRequest', { pr: { number: 1 } })).json.state,
    (state) => state === 'testing',
  );

  const earlier = await clientOf(url, 'mq');
  const refused = await finishUpgrade(env);
  expect(refused).toMatchObject({ code: 1, told: '' });
  expect(refused.problem).toContain('do not understand step 4 (narrow_rows)');
  expect(refused.problem).toContain('from 127.0.0.1');
  expect(refused.problem).toContain('Nothing was changed.');
  await earlier.end();

  expect(await finishUpgrade(env)).toMatchObject({
    code: 0,
    told: expect.stringMatching(
      /Step 3 \(lean_rows\) of the tables was taken\.\nStep 4 \(narrow_rows\) of the/,
    ),
  });
  expect((await finishUpgrade(env)).told).toContain('Nothing waits');
  // It took up what the first one has begun, and writes runs in parts.
  const next = await serverWith(env);
  expect(next.stderr()).not.toContain('mq-finish-upgrade');
  writeFileSync(go, '');
  await landsIn(next, 1);
  expect((await server.call('submitPullRequest', { pr: { number: 2 } })).status).toBe(200);
  await landsIn(next, 2);
});

test('without a database to share there is nothing to finish, and what is wrong is told', async () => {
  expect(await finishUpgrade({})).toMatchObject({ code: 0, told: expect.stringContaining('Nothing waits') });
  const url = await freshDatabase(postgres.url);
  expect((await finishUpgrade({ DATABASE_URL: url.href })).told).toContain('Nothing waits');
  url.pathname = 'nowhere';
  const { code, problem } = await finishUpgrade({ DATABASE_URL: url.href });
  expect([code, problem]).toEqual([
    1,
    expect.stringContaining(`There is no such database: ${url.host}/nowhere`),
  ]);
  expect((await finishUpgrade({}, ['now'])).problem).toContain('was given "now"');
  expect((await finishUpgrade({}, ['--help'])).told).toContain('DATABASE_URL');
});
