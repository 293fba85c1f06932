import type { PullRequestAnswer } from '@mq/core';
import { hostileCommit } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GitWorld, gitWorld, mqPr, openAt, repo } from './git-world.js';
import { build, built, headOf, methods } from './requests.js';
import { wrapGit } from './wrapped-git.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

const openBad = async (): Promise<number> => {
  const { bare } = world.place;
  const branch = `bad/${Math.random()}`;
  await world.place.commit(branch, { 'bad.txt': branch }, 'main');
  await hostileCommit(bare, branch, 'slash');
  return openAt(bare, branch);
};

const read = async (...numbers: readonly number[]): Promise<readonly PullRequestAnswer[]> => {
  const answers = await world.host.getPullRequests(repo, numbers, { merging: 'squash' });
  return [...answers].sort((one, other) => one.number - other.number);
};

const FAULTY = { mergeability: 'unspecified', mergeFault: expect.stringContaining('merge-tree') };

describe('whether a failure of git belongs to one pull request', () => {
  test('two pull requests that git cannot merge are opened and read if there is no other one', async () => {
    const bad = [await openBad(), await openBad()];
    expect(await read(...bad)).toMatchObject([FAULTY, FAULTY]);
    for (const method of methods)
      expect(await build(world, bad, method)).toMatchObject({ kind: 'faulty', pr: bad[0], with: 'target' });
  });

  test('sound pull requests are read and built wherever those that git cannot merge stand', async () => {
    for (let count = 0; count < 3; count += 1) await openBad();
    await world.open({ files: { 'a.txt': 'a\n' } });
    await world.open({ files: { 'b.txt': 'b\n' } });
    for (let count = 0; count < 3; count += 1) await openBad();
    expect(await read(1, 4)).toMatchObject([FAULTY, { mergeability: 'mergeable' }]);
    expect(await mqPr(world.place.bare, 'list')).toHaveLength(8);
    expect(await build(world, [4, 1])).toMatchObject({ kind: 'faulty', pr: 1, with: 'target' });
    await built(world, [4, 5]);
  });

  test('a pull request is no fault of its own if git cannot merge a change of one file either', async () => {
    await openBad();
    await openBad();
    await wrapGit(world.place, 'case "$*" in *merge-tree*) exit 128;; esac');
    await expect(read(1)).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
  });
});

test.each(methods)(
  'an object that a full disk does not take is no fault of its pull request (%s)',
  async (method) => {
    const many: Record<string, string> = {};
    for (let count = 0; count < 1_500; count += 1) many[`many/${count} ${'long name '.repeat(8)}`] = 'same\n';
    await world.push(many);
    const large = await world.open({ files: { 'many/new': 'new\n' } });
    const small = await world.open({ files: { 'a.txt': 'a\n' } });
    for (const pr of [large, small]) await headOf(world, pr);
    await world.push({ 'many/other': 'other\n' });
    // Only the objects of the probe and of the other pull request are small enough.
    await wrapGit(world.place, "trap '' XFSZ; ulimit -f 6");
    await built(world, [small], method);
    await expect(build(world, [large], method)).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
    const [shown] = await read(large, small);
    expect(shown).toMatchObject({ mergeability: 'unspecified' });
    expect(shown).not.toHaveProperty('mergeFault');
  },
);

test('a read answers for the other pull requests while the host fails on one of them', async () => {
  const one = await world.open({ files: { 'a.txt': 'a\n' } });
  const other = await world.open({ files: { 'b.txt': 'b\n' } });
  const head = await headOf(world, one);
  await world.push({ 'c.txt': 'c\n' });
  await wrapGit(world.place, `case "$*" in *merge-tree*${head}*|*hash-object*) exit 128;; esac`);
  const [failing, sound] = await read(one, other);
  expect(sound).toMatchObject({ mergeability: 'mergeable' });
  expect(failing).toMatchObject({ mergeability: 'unspecified' });
  expect(failing).not.toHaveProperty('mergeFault');
  expect(await mqPr(world.place.bare, 'list')).toHaveLength(2);
  await expect(read(one)).rejects.toMatchObject({ name: 'HostError', retry: 'later' });
});
