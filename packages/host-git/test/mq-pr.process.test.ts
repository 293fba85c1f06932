import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HostPullRequest } from '@mq/core';
import { git } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../src/index.js';
import { type GitWorld, gitWorld, mqPr, repo } from './git-world.js';
import { shownBy } from './requests.js';

let world: GitWorld;
let bare: string;

beforeEach(async () => {
  world = await gitWorld();
  bare = world.place.bare;
});

afterEach(() => world.close());

const pr = async (...args: readonly string[]) => (await mqPr(bare, ...args)) as HostPullRequest;

const refusal = async (...args: readonly string[]): Promise<unknown> =>
  mqPr(bare, ...args).then(
    () => null,
    (error: { readonly code?: unknown }) => error.code,
  );

const refs = () => git(bare, 'for-each-ref', 'refs/mq');

describe('plain git and mq-pr', () => {
  test('plain git and mq-pr can open, update, close and reopen a pull request', async () => {
    const clone = join(world.place.root, 'clone');
    await git(world.place.root, 'clone', '--quiet', bare, clone);
    const change = async (text: string) => {
      await writeFile(join(clone, 'a.txt'), text);
      await git(clone, 'add', '.');
      await git(clone, 'commit', '--quiet', '-m', `Write ${text.trim()}\n\nWith a body.`);
      await git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/feature');
      return (await git(clone, 'rev-parse', 'HEAD')).trim();
    };
    const first = await change('one\n');
    const opened = await pr('open', '--head', 'feature', '--base', 'main');
    expect(opened).toMatchObject({
      number: 1,
      title: 'Write one',
      author: 'Ada',
      head: first,
      state: 'open',
    });
    const second = await change('two\n');
    expect(await pr('show', '1')).toMatchObject({ head: second, title: 'Write one' });
    expect(await pr('close', '#1')).toMatchObject({ state: 'closed', head: second });
    await change('three\n');
    expect(await pr('show', '1')).toMatchObject({ state: 'closed', head: second });
    const reopened = await pr('reopen', '1');
    expect(reopened.state).toBe('open');
    expect(await pr('edit', '1', '--title=--draft', '--label', 'x', '--label', 'y')).toMatchObject({
      title: '--draft',
      labels: ['x', 'y'],
      draft: false,
    });
    expect(await shownBy(world.host, [1])).toEqual([await pr('show', '1')]);
  });

  test('pull requests that are opened at the same time get different numbers', async () => {
    const branches = ['a', 'b', 'c', 'd', 'e'];
    for (const branch of branches) await world.place.commit(branch, { [branch]: `${branch}\n` }, 'main');
    const opened = await Promise.all(branches.map((branch) => pr('open', `--head=${branch}`, '--base=main')));
    expect(opened.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4, 5]);
    const listed = (await mqPr(bare, 'list')) as readonly HostPullRequest[];
    expect(listed.map(({ headBranch }) => headBranch).sort()).toEqual(branches);
  });

  test('concurrent edits of a pull request do not undo each other', async () => {
    const number = String(await world.open({ files: { 'a.txt': 'a\n' } }));
    await Promise.all([
      pr('edit', number, '--title=New'),
      pr('edit', number, '--body=Text'),
      pr('draft', number),
    ]);
    expect(await pr('show', number)).toMatchObject({ title: 'New', body: 'Text', draft: true });
  });

  test('the installed mq-pr prints text for people, and exits with code 1 and the reason on an error', async () => {
    const number = await world.open({ files: { 'a.txt': 'a\n' }, title: 'Add a' });
    const main = fileURLToPath(new URL('../src/mq-pr.ts', import.meta.url));
    const call = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, ['--conditions=mq-source', '--import=tsx', main, ...args], {
        cwd: fileURLToPath(new URL('..', import.meta.url)),
      });
    const { stdout } = await call('list', '--repo', bare);
    expect(stdout).toMatch(
      new RegExp(`^#${number} {2}Add a {2}\\(change/1 → main, open, [0-9a-f]{12}, by Ada\\)\n$`),
    );
    await expect(call('close', '99', '--repo', bare)).rejects.toMatchObject({
      code: 1,
      stderr:
        'mq-pr: There is no pull request #99 in this repository. See mq-pr list --state all. (PULL_REQUEST_UNKNOWN)\n',
    });
  });
});

describe('bad input', () => {
  test('mq-pr refuses invalid input with a code, and stores nothing', async () => {
    await world.place.commit('feature', { 'a.txt': 'a\n' }, 'main');
    await git(bare, 'branch', 'same', 'main');
    const open = ['open', '--head=feature', '--base=main'];
    const before = await refs();
    expect([
      await refusal('open', '--head=no-such-branch', '--base=main'),
      await refusal('open', '--head=feature', '--base=no-such-branch'),
      await refusal('open', '--head=main', '--base=main'),
      await refusal('open', '--head=same', '--base=main'),
      await refusal('open', '--base=main'),
      await refusal(...open, '--title='),
      await refusal(...open, '--title=   '),
      await refusal('list', '--state=bogus'),
      await refusal(...open, '--title=two\nlines'),
      await refusal(...open, `--title=${'x'.repeat(1001)}`),
      await refusal(...open, `--body=${'x'.repeat(65_537)}`),
      await refusal(...open, '--author=a\0b'),
      await refusal(...open, '--no-such-option'),
      await refusal('close', '1'),
      await refusal('close', 'one'),
      await refusal('close', '0'),
      await refusal('close', '99999999999'),
      await refusal('merge', '1'),
    ]).toEqual([
      'BRANCH_UNKNOWN',
      'BRANCH_UNKNOWN',
      'BAD_INPUT',
      'NOTHING_TO_MERGE',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'PULL_REQUEST_UNKNOWN',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
      'BAD_INPUT',
    ]);
    expect(await refs()).toBe(before);
  });

  test('a second pull request of the same branches is refused and names the first', async () => {
    await world.place.commit('feature', { 'a.txt': 'a\n' }, 'main');
    await pr('open', '--head=feature', '--base=main');
    const again = mqPr(bare, 'open', '--head=feature', '--base=main');
    await expect(again).rejects.toMatchObject({
      code: 'PULL_REQUEST_EXISTS',
      message: expect.stringContaining('#1'),
    });
    await pr('close', '1');
    expect((await pr('open', '--head=feature', '--base=main')).number).toBe(2);
    expect(await world.host.findPullRequest(repo, 'feature')).toBe(2);
  });

  test('a merged pull request cannot be changed', async () => {
    const number = await world.open({ files: { 'a.txt': 'a\n' } });
    await git(bare, 'update-ref', 'refs/heads/main', 'refs/heads/change/1');
    expect(await refusal('close', String(number))).toBe('PULL_REQUEST_MERGED');
  });

  test('a path without a bare repository is refused', async () => {
    const folder = join(world.place.root, 'empty');
    await mkdir(folder);
    const said: string[] = [];
    const say = (text: string) => said.push(text);
    expect(await runCommand(['list', '--repo', folder], { out: say, err: say })).toBe(1);
    expect(said.join('\n')).toMatch(/--repo <path>.*REPOSITORY_UNKNOWN/);
    expect(await runCommand(['opn', '--repo', folder], { out: say, err: say })).toBe(1);
    expect(said.at(-1)).toMatch(/there is no "opn".*mq-pr --help/);
    expect(await runCommand([], { out: say, err: say })).toBe(2);
  });

  test('a valid record of a pull request is read, whichever tool wrote it', async () => {
    await keepAsSeventh(JSON.stringify(valid()));
    expect((await shownBy(world.host, [7])).map(({ title }) => title)).toEqual(['T']);
  });

  test.each([
    ['text that is not JSON', 'no json'],
    ['a pull request of another shape', '{"version":1,"title":7}'],
    ['a branch that is an option', JSON.stringify({ ...valid(), headBranch: '--upload-pack=x' })],
    ['a title with control characters', JSON.stringify({ ...valid(), title: 'a\u0000b' })],
    ['more than may be read', JSON.stringify({ ...valid(), more: 'x'.repeat(2_000_000) })],
  ])('%s in a ref of pull requests is skipped, and the others are read', async (_what, text) => {
    const number = await world.open({ files: { 'a.txt': 'a\n' } });
    await keepAsSeventh(text);
    const read = await shownBy(world.host, [7, number]);
    expect(read.map((pull) => pull.number)).toEqual([number]);
    expect(await world.host.findPullRequest(repo, 'main')).toBeNull();
  });
});

async function keepAsSeventh(text: string): Promise<void> {
  const file = join(world.place.root, 'meta');
  await writeFile(file, text);
  const blob = (await git(bare, 'hash-object', '-w', file)).trim();
  await git(bare, 'update-ref', 'refs/mq/pulls/7/meta', blob);
  await git(bare, 'update-ref', 'refs/mq/pulls/7/head', 'refs/heads/main');
}

function valid() {
  return {
    version: 1,
    title: 'T',
    body: '',
    author: 'A',
    base: 'main',
    headBranch: 'main',
    state: 'open',
    draft: false,
    labels: [],
    openedAt: 0,
  };
}
