import { spawn } from 'node:child_process';
import fs, {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { aCommit, aFact, anEffect, aQueue, aSubmission, queueIdOf, someWrites } from '@mq/testkit';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { openPGlite, postgresStore, type StoreProblem } from '../src/index.js';
import { filesOf } from './files-of.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-pglite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store');
};

const openStore = async (folder: string) => postgresStore({ database: await openPGlite({ folder }) });

const problemOf = async (promise: Promise<unknown>): Promise<StoreProblem> =>
  promise.then(
    () => {
      throw new Error('it was opened');
    },
    (error: StoreProblem) => error,
  );

const submissionsIn = async (folder: string) => {
  const store = await openStore(folder);
  const { items } = await store.submissions({ queueId: queueIdOf(1), limit: 10 });
  await store.close();
  return items;
};

const made = mkdtempSync(join(tmpdir(), 'mq-pglite-'));
beforeAll(async () => {
  cpSync(inject('pgliteFolder'), made, { recursive: true });
  const store = await openStore(made);
  await store.createQueue(aQueue(), 0, null);
  await store.commit(aCommit({ writes: someWrites({ submissions: [aSubmission(1)] }) }));
  await store.close();
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** A folder of the test with a database that has one submission. */
const filledFolder = (): string => {
  const folder = temporaryFolder();
  cpSync(made, folder, { recursive: true });
  return folder;
};

test('the content of a folder is there after reopening it', async () => {
  const folder = filledFolder();
  expect(await submissionsIn(folder)).toEqual([aSubmission(1)]);
});

// Only Linux shows which file a descriptor belongs to.
test.skipIf(process.platform !== 'linux')(
  'a confirmed write has reached the disk: the log is synced with each write',
  async () => {
    const store = await openStore(filledFolder());
    const real = fs.fsyncSync;
    const synced: boolean[] = [];
    fs.fsyncSync = (descriptor) => {
      synced.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`).includes('pg_wal'));
      real(descriptor);
    };
    syncBuiltinESMExports();
    onTestFinished(async () => {
      fs.fsyncSync = real;
      syncBuiltinESMExports();
      await store.close();
    });
    for (const n of [1, 2, 3]) {
      synced.length = 0;
      await store.push(queueIdOf(1), [aFact(n)]);
      expect(synced).toContain(true);
    }
  },
);

test('leases and claims of a dead process are offered once its folder is reopened', async () => {
  const folder = filledFolder();
  const before = await openStore(folder);
  await before.push(queueIdOf(1), [aFact(1)]);
  await before.commit(aCommit({ expected: 2, effects: [anEffect(1), anEffect(2)] }));
  const [held, postponed] = await before.lease({ owner: 'before', forMs: 3_600_000, limit: 2 });
  await before.postpone(postponed!, 3_600_000, 'unreachable');
  expect(await before.due({ forMs: 3_600_000, limit: 1 })).toEqual([queueIdOf(1)]);
  await before.close();

  const after = await openStore(folder);
  expect(await after.settle(held!, [])).toBe(false);
  expect(await after.due({ forMs: 1, limit: 1 })).toEqual([queueIdOf(1)]);
  const leases = await after.lease({ owner: 'after', forMs: 1, limit: 9 });
  expect(leases.map(({ effect, tries }) => ({ effect, tries }))).toEqual([{ effect: anEffect(1), tries: 2 }]);
  await after.close();
});

test('a copy of a closed folder is a backup', async () => {
  const folder = filledFolder();
  cpSync(folder, `${folder}-copy`, { recursive: true });
  const store = await openStore(folder);
  await store.commit(aCommit({ expected: 2, writes: someWrites({ submissions: [aSubmission(2)] }) }));
  await store.close();
  rmSync(folder, { recursive: true });
  cpSync(`${folder}-copy`, folder, { recursive: true });
  expect(await submissionsIn(folder)).toEqual([aSubmission(1)]);
});

test('an open folder cannot be opened a second time', async () => {
  const folder = filledFolder();
  const store = await openStore(folder);
  const { code, message } = await problemOf(openPGlite({ folder }));
  expect(code).toBe('FOLDER_IN_USE');
  expect(message).toContain(`in use by process ${process.pid} on ${hostname()}`);
  await store.close();
  expect(await submissionsIn(folder)).toEqual([aSubmission(1)]);
});

test('a folder locked by another machine is refused, since its process cannot be checked', async () => {
  const folder = filledFolder();
  const lock = JSON.stringify({ machine: 'elsewhere.example', pid: 7, began: 'today' });
  writeFileSync(join(folder, 'lock'), lock);
  const { code, message } = await problemOf(openPGlite({ folder }));
  expect([code, message.includes(join(folder, 'lock'))]).toEqual(['FOLDER_IN_USE', true]);
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(lock);
});

/** The writes confirmed to a process that was killed in the middle of writing. */
const writtenAndKilled = async (folder: string): Promise<number> => {
  const child = spawn(
    process.execPath,
    ['--conditions=mq-source', '--import=tsx', fileURLToPath(new URL('writer.ts', import.meta.url)), folder],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let confirmed = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    confirmed = Math.max(confirmed, ...text.trim().split('\n').map(Number));
    if (confirmed >= 20) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return confirmed;
};

test('writes confirmed to a killed process are there for the next one', async () => {
  const folder = filledFolder();
  const confirmed = await writtenAndKilled(folder);
  const store = await openStore(folder);
  const delta = await store.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
  await store.close();
  expect(confirmed).toBeGreaterThanOrEqual(20);
  expect(delta?.version).toBeGreaterThanOrEqual(confirmed);
  expect(delta?.submissions.map(({ retries }) => retries)).toEqual([delta?.version]);
});

test('a partly created database is created again', async () => {
  const folder = filledFolder();
  cpSync(join(folder, 'pgdata', 'base'), join(folder, 'pgdata.making', 'base'), { recursive: true });
  rmSync(join(folder, 'pgdata'), { recursive: true });
  expect(await submissionsIn(folder)).toEqual([]);
  expect(existsSync(join(folder, 'pgdata.making'))).toBe(false);
});

/** A catalog file of each database of a folder, read at every start. */
const cataloguesIn = (folder: string): readonly string[] =>
  readdirSync(join(folder, 'pgdata', 'base')).map((one) => join(folder, 'pgdata', 'base', one, '1259'));

const damages: readonly (readonly [string, (folder: string) => Promise<void> | void])[] = [
  ['of another PostgreSQL', (folder) => writeFileSync(join(folder, 'pgdata', 'PG_VERSION'), '12\n')],
  ['without a version file', (folder) => rmSync(join(folder, 'pgdata', 'PG_VERSION'))],
  ['without its control file', (folder) => writeFileSync(join(folder, 'pgdata', 'global', 'pg_control'), '')],
  [
    'with a damaged catalog',
    (folder) => {
      for (const file of cataloguesIn(folder)) writeFileSync(file, 'x'.repeat(8192));
      symlinkSync('PG_VERSION', join(folder, 'pgdata', 'a-link'));
    },
  ],
  [
    'of a killed process, with a damaged catalog behind its log',
    async (folder) => {
      await writtenAndKilled(folder);
      for (const file of cataloguesIn(folder)) writeFileSync(file, 'x'.repeat(8192));
      rmSync(join(folder, 'lock'));
    },
  ],
];

test.each(damages)('a database %s is refused and stays the same byte for byte', async (_, damage) => {
  const folder = filledFolder();
  await damage(folder);
  const before = filesOf(folder);
  const { code, message } = await problemOf(openPGlite({ folder }));
  expect([code, message.includes(folder)]).toEqual(['FOLDER_UNREADABLE', true]);
  expect(filesOf(folder)).toEqual(before);
});

test('a database of a later version is refused and stays the same byte for byte', async () => {
  const folder = filledFolder();
  const later = await openPGlite({ folder });
  await later.script("insert into mq.migrations (number, name, understood_from) values (999, 'later', 999)");
  await later.close();
  const before = filesOf(folder);
  expect((await problemOf(openPGlite({ folder }))).code).toBe('SCHEMA_NEWER');
  expect(filesOf(folder)).toEqual(before);
});

const contentsOf = (folder: string): readonly string[] => readdirSync(folder).sort();

test('a closed folder contains only the database', async () => {
  const folder = filledFolder();
  cpSync(join(folder, 'pgdata', 'base'), join(folder, 'pgdata.copying', 'base'), { recursive: true });
  cpSync(join(folder, 'pgdata'), join(folder, 'pgdata.before'), { recursive: true });
  cpSync(join(folder, 'pgdata'), join(folder, 'pgdata.tried'), { recursive: true });
  const store = await openStore(folder);
  expect(contentsOf(folder)).toEqual(['lock', 'pgdata']);
  await store.close();
  expect(contentsOf(folder)).toEqual(['pgdata']);
});

test('a database whose restore was interrupted by a crash is restored', async () => {
  const folder = filledFolder();
  renameSync(join(folder, 'pgdata'), join(folder, 'pgdata.before'));
  cpSync(join(folder, 'pgdata.before', 'base'), join(folder, 'pgdata.tried', 'base'), { recursive: true });
  expect(await submissionsIn(folder)).toEqual([aSubmission(1)]);
  expect(contentsOf(folder)).toEqual(['pgdata']);
});

test('a folder that cannot be created is refused', async () => {
  const folder = temporaryFolder();
  writeFileSync(folder, 'a file');
  expect((await problemOf(openPGlite({ folder }))).code).toBe('FOLDER_UNWRITABLE');
});
