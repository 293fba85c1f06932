import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shareDataFolder, takeDataFolder } from './data-folder.js';
import { StartProblem } from './problem.js';

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-data-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

test('a folder that is in use is refused until it is released', async () => {
  const path = join(temporaryFolder(), 'made/for/it');
  const first = await takeDataFolder(path);
  await expect(takeDataFolder(path)).rejects.toThrow(`in use by another server (process ${process.pid})`);
  await first.release();
  const second = await takeDataFolder(path);
  // Releasing it twice does not take it from its new owner.
  await first.release();
  expect(existsSync(join(path, 'server.lock'))).toBe(true);
  await second.release();
  expect(readdirSync(path)).toEqual(['repos']);
});

test('of many who want a folder at once, also over a stale lock, one gets it', async () => {
  const path = temporaryFolder();
  writeFileSync(
    join(path, 'server.lock'),
    JSON.stringify({ machine: hostname(), pid: 1, began: 'long ago' }),
  );
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => takeDataFolder(path)));
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test.each([
  ['of a process that is gone', JSON.stringify({ machine: hostname(), pid: 2 ** 22 - 3, began: 'long ago' })],
  [
    'of an earlier process with an id that is in use again',
    JSON.stringify({ machine: hostname(), pid: process.pid, began: 'before' }),
  ],
  ['that a crash cut off', '{"mach'],
])('a lock %s is taken over', async (_, lock) => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'server.lock'), lock);
  await takeDataFolder(path);
  expect(readFileSync(join(path, 'server.lock'), 'utf8')).toContain(`"pid":${process.pid}`);
});

test('a stale lock is taken over although the process that removed it has crashed', async () => {
  const path = temporaryFolder();
  const turn = join(path, 'server.lock.turn');
  writeFileSync(join(path, 'server.lock'), '{"mach');
  mkdirSync(turn);
  utimesSync(turn, 0, 0);

  const taken = await takeDataFolder(path);

  await taken.release();
  expect(readdirSync(path)).toEqual(['repos']);
});

test('a server that shares a folder leaves only the repositories in it', async () => {
  const path = temporaryFolder();
  await (await shareDataFolder(path)).release();

  expect(readdirSync(path)).toEqual(['repos']);
});

test('a folder in the place of the lock is reported at the start, and stays', async () => {
  const lock = join(temporaryFolder(), 'server.lock');
  mkdirSync(lock);
  await expect(takeDataFolder(dirname(lock))).rejects.toBeInstanceOf(StartProblem);
  expect(existsSync(lock)).toBe(true);
});

test('a folder is made with those above it, and found again', async () => {
  const path = join(temporaryFolder(), 'some', 'where');
  for (const take of [shareDataFolder, shareDataFolder, takeDataFolder]) {
    const { repositories } = await take(path);
    expect(existsSync(repositories)).toBe(true);
  }
});

test('a place that allows no new folders is refused', async () => {
  for (const take of [shareDataFolder, takeDataFolder])
    await expect(take('/proc/mq/data')).rejects.toThrow(/data folder \/proc\/mq\/data/);
});

test('a lock of another machine is left alone, since its process cannot be checked', async () => {
  const path = temporaryFolder();
  const lock = JSON.stringify({ machine: 'elsewhere.example', pid: 7, began: 'today' });
  writeFileSync(join(path, 'server.lock'), lock);
  await expect(takeDataFolder(path)).rejects.toThrow('on the machine elsewhere.example');
  expect(readFileSync(join(path, 'server.lock'), 'utf8')).toBe(lock);
});
