import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, type StatsFs, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { openPGlite, type StoreProblem } from '../src/index.js';
import { filesOf } from './files-of.js';

/** The simulated fault of the disk: real ones need rights that a test does not have. */
const disk = vi.hoisted(() => ({
  blocks: 2_000,
  freeMegabytes: 1_000,
  foreign: null as string | null,
  stuck: null as string | null,
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const access: typeof real.access = async (path, mode) => {
    if (disk.foreign !== null && String(path).endsWith(disk.foreign))
      throw Object.assign(new Error(`EACCES: permission denied, access '${path}'`), { code: 'EACCES' });
    return real.access(path, mode);
  };
  const rename: typeof real.rename = async (from, to) => {
    if (disk.stuck !== null && String(from).endsWith(disk.stuck))
      throw Object.assign(new Error(`EBUSY: resource busy or locked, rename '${from}'`), { code: 'EBUSY' });
    return real.rename(from, to);
  };
  const statfs = async () =>
    ({ blocks: disk.blocks, bavail: disk.freeMegabytes, bsize: 1024 * 1024 }) as StatsFs;
  return { ...real, access, rename, statfs };
});

const folderOf = (holds: 'a database' | 'nothing'): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-pglite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (holds === 'a database') cpSync(inject('pgliteFolder'), folder, { recursive: true });
  return folder;
};

const problemWith = async (folder: string, state: Partial<typeof disk>): Promise<StoreProblem> => {
  const before = { ...disk };
  Object.assign(disk, state);
  onTestFinished(() => void Object.assign(disk, before));
  const left = filesOf(folder);
  const problem = await openPGlite({ folder }).then(
    () => {
      throw new Error('it was opened');
    },
    (error: StoreProblem) => error,
  );
  expect(filesOf(folder)).toEqual(left);
  return problem;
};

test.each([
  ['a database', 'the disk is full (3 MB free, 32 MB needed)'],
  ['nothing', 'the disk is full (3 MB free, 80 MB needed)'],
] as const)('a folder with %s on a nearly full disk is refused and left unchanged', async (holds, said) => {
  const { code, problem, remedy } = await problemWith(folderOf(holds), { freeMegabytes: 3 });
  expect(code).toBe('FOLDER_UNWRITABLE');
  expect(problem).toContain(said);
  expect(remedy).toContain('Free disk space');
});

test('a file system without a reported size counts as having room', async () => {
  Object.assign(disk, { blocks: 0, freeMegabytes: 0 });
  onTestFinished(() => void Object.assign(disk, { blocks: 2_000, freeMegabytes: 1_000 }));
  const database = await openPGlite({ folder: folderOf('a database') });
  await expect(database.query('select 1 as one', [])).resolves.toEqual([{ one: 1 }]);
  await database.close();
});

test('a folder with a file in place of its database is refused', async () => {
  const folder = folderOf('nothing');
  writeFileSync(join(folder, 'pgdata'), 'no folder');
  const { code, problem } = await problemWith(folder, {});
  expect(code).toBe('FOLDER_UNWRITABLE');
  expect(problem).toContain('pgdata');
});

test('a folder with a file of another user is refused, and the file is named', async () => {
  const folder = folderOf('a database');
  const { code, problem } = await problemWith(folder, { foreign: join('global', 'pg_control') });
  expect([code, problem.includes(join(folder, 'pgdata', 'global', 'pg_control'))]).toEqual([
    'FOLDER_UNWRITABLE',
    true,
  ]);
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});

test('a database opens although its old copy cannot be removed, and the next start removes it', async () => {
  const folder = folderOf('a database');
  disk.stuck = 'pgdata.before';
  onTestFinished(() => void Object.assign(disk, { stuck: null }));
  const first = await openPGlite({ folder });
  await expect(first.query('select 1 as one', [])).resolves.toEqual([{ one: 1 }]);
  await first.close();

  disk.stuck = null;
  await (await openPGlite({ folder })).close();
  expect(readdirSync(folder)).toEqual(['pgdata']);
});
