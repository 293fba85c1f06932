import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPGlite, postgresStore } from '@mq/store-postgres';
import { expect, test } from 'vitest';
import { git, makeRepository, refusal, type Server, serverWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

const merged = (server: Server, number: number) =>
  until(
    async () => (await server.call('getSubmittedPullRequest', { pr: { number } })).json,
    ({ state }) => state === 'merged',
  );

test('a check that runs while its server is stopped is run again by the next one, without a charge', async () => {
  const dataFolder = temporaryFolder();
  const [begun, go] = [join(temporaryFolder(), 'begun'), join(temporaryFolder(), 'go')];
  const command = `touch ${begun}; while ! test -f ${go}; do sleep 0.2; done`;
  const bare = await makeRepository(dataFolder, command, { one: '1\n' });
  const stopped = await serverWith({ MQ_DATA: dataFolder });
  await stopped.call('createQueue');
  await stopped.call('submitPullRequest', { pr: { number: 1 } });
  await until(async () => existsSync(begun), Boolean);
  stopped.child.kill('SIGTERM');
  expect((await stopped.ended).code).toBe(0);

  const next = await serverWith({ MQ_DATA: dataFolder });
  writeFileSync(go, '');
  await merged(next, 1);
  // No other check was needed, and so no other run.
  expect(git(bare, 'for-each-ref', 'refs/mq/checks').split('\n')).toHaveLength(1);
});

test('candidates of runs that a queue knows outlive a restart', async () => {
  const begun = join(temporaryFolder(), 'begun');
  const dataFolder = temporaryFolder();
  const bare = await makeRepository(dataFolder, `touch ${begun}; sleep 60`, { one: '1\n' });
  const killed = await serverWith({ MQ_DATA: dataFolder });
  await killed.call('createQueue');
  await killed.call('submitPullRequest', { pr: { number: 1 } });
  await until(async () => existsSync(begun), Boolean);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const candidates = () => git(bare, 'for-each-ref', '--format=%(refname)', 'refs/mq/candidates');
  const before = candidates();
  expect(before).toMatch(/^refs\/mq\/candidates\/\S+$/);

  await serverWith({ MQ_DATA: dataFolder });
  expect(candidates()).toBe(before);
});

const usedFolder = async (
  change: (store: string) => Promise<void> | void,
): Promise<{ readonly said: string; readonly store: string }> => {
  const dataFolder = temporaryFolder();
  const store = join(dataFolder, 'store');
  await change(store);
  return { said: await refusal({ MQ_DATA: dataFolder }), store };
};

test('a folder of a later version is refused', async () => {
  const { said } = await usedFolder(async (folder) => {
    const database = await openPGlite({ folder });
    const store = await postgresStore({ database });
    await database.script(
      `insert into mq.migrations (number, name, understood_from) values (999, 'later', 999)`,
    );
    await store.close();
  });
  expect(said).toContain('was made by a later version (migration 999');
  expect(said).toContain('Use that version or a later one');
});

test('a folder without a readable database is refused, and left unchanged', async () => {
  const { said, store } = await usedFolder((folder) => {
    mkdirSync(join(folder, 'pgdata'), { recursive: true });
    writeFileSync(join(folder, 'pgdata', 'PG_VERSION'), '9\n');
  });
  expect(said).toContain(`PGlite cannot open the database in ${store}`);
  expect(said).toContain('Copy the folder to a safe place');
  expect(existsSync(join(store, 'pgdata', 'PG_VERSION'))).toBe(true);
});

test('a store that another process holds is refused', async () => {
  const dataFolder = temporaryFolder();
  const database = await openPGlite({ folder: join(dataFolder, 'store') });
  const said = await refusal({ MQ_DATA: dataFolder });
  expect(said).toContain(`is in use by process ${process.pid}`);
  await database.close();
  rmSync(join(dataFolder, 'store'), { recursive: true });
});

test.each([
  [
    'postgres://mq:s3cret-word@127.0.0.1:9/mq',
    'PostgreSQL at 127.0.0.1:9/mq cannot be reached (ECONNREFUSED)',
  ],
  ['postgres://mq:s3cret-word@nowhere.invalid/mq', 'The host of nowhere.invalid/mq is not known'],
  [
    'postgres://mq:s3cret-word@127.0.0.1:9/mq?port=none',
    'PostgreSQL at 127.0.0.1:9/mq cannot be used: Port should be',
  ],
  [
    'postgres://mq:s3cret-word@127.0.0.1:9/mq?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
    'The file /nowhere/ca.pem, which DATABASE_URL names, cannot be read (ENOENT)',
  ],
  [
    'mysql://mq:s3cret-word@127.0.0.1/mq',
    'DATABASE_URL: must be postgres://user:password@host:port/database',
  ],
  ['postgres://mq:s3cret-word%@127.0.0.1/mq', 'DATABASE_URL: must be'],
  ['s3cret-word', 'DATABASE_URL: must be'],
])('a DATABASE_URL that leads nowhere is named without its password: %s', async (DATABASE_URL, wrong) => {
  const said = await refusal({ DATABASE_URL });
  expect(said).toContain(wrong);
  expect(said).not.toContain('s3cret-word');
});
