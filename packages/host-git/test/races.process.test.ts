import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LandRequest, TestRunId } from '@mq/core';
import { git } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { shownBy } from './requests.js';

const RUN = '00000003-0000-4000-8000-000000000001' as TestRunId;

let world: GitWorld;
let request: LandRequest;

beforeEach(async () => {
  world = await gitWorld();
  const pr = await world.open({ files: { 'a.txt': 'a\n' } });
  const [pull] = await shownBy(world.host, [pr]);
  const onto = await world.place.tip('main');
  const parts = [{ pr, head: pull!.head, message: { title: 'T', body: '' } }];
  const outcome = await world.host.buildCandidate({
    decidedAt: Date.now(),
    repo,
    runId: RUN,
    branch: 'main',
    base: onto,
    parts,
    method: 'squash',
  });
  if (outcome.kind !== 'built') throw new Error(JSON.stringify(outcome));
  const members = [{ pr, head: pull!.head, forced: false }];
  request = { repo, runId: RUN, branch: 'main', onto, candidate: outcome.candidate, members };
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

/** Puts a git wrapper on the PATH that runs the commands once, right before the transaction that moves the target. */
const beforeTheTransaction = async (...commands: readonly string[]): Promise<void> => {
  const { root, bare } = world.place;
  const folder = join(root, 'shim');
  const real = `${(await git(root, '--exec-path')).trim()}/git`;
  await mkdir(folder);
  await writeFile(join(folder, 'armed'), '');
  const script = `#!/bin/sh
case " $* " in *" update-ref "*)
  cat > ${folder}/input
  if grep -qa 'update refs/heads/main' ${folder}/input && mv ${folder}/armed ${folder}/fired 2>/dev/null; then
    ${commands.map((command) => `${real} --git-dir=${bare} ${command} </dev/null || exit 99`).join('; ')}
  fi
  exec ${real} "$@" < ${folder}/input ;;
esac
exec ${real} "$@"
`;
  await writeFile(join(folder, 'git'), script);
  await chmod(join(folder, 'git'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
};

const landRefused = async (): Promise<string> => {
  const outcome = await world.host.land(request);
  vi.unstubAllEnvs();
  expect((await world.host.land(request)).kind).not.toBe('landed');
  expect(await world.host.listCandidates(repo)).toEqual([]);
  const marks = await git(
    world.place.bare,
    'for-each-ref',
    '--format=%(refname)',
    'refs/mq/landed',
    'refs/mq/landing',
  );
  expect(marks).toBe('');
  return outcome.kind;
};

describe('right before the target moves', () => {
  test('a push to the head branch right before the target moves refuses the landing', async () => {
    await beforeTheTransaction(`update-ref refs/heads/change/1 ${request.onto}`);
    expect(await landRefused()).toBe('members_changed');
    expect(await world.place.tip('main')).toBe(request.onto);
  });

  test('a deletion of the head branch right before the target moves does not stop the landing of the tested head', async () => {
    await beforeTheTransaction('update-ref -d refs/heads/change/1');
    expect((await world.host.land(request)).kind).toBe('landed');
  });

  test('an edit of the pull request right before the target moves refuses the landing', async () => {
    const text = JSON.stringify({
      version: 1,
      title: 'T',
      body: '',
      author: 'A',
      base: 'main',
      headBranch: 'change/1',
      state: 'closed',
      draft: false,
      labels: [],
      openedAt: 0,
    });
    const file = join(world.place.root, 'meta');
    await writeFile(file, text);
    const blob = (await git(world.place.bare, 'hash-object', '-w', file)).trim();
    await beforeTheTransaction(`update-ref refs/mq/pulls/1/meta ${blob}`);
    expect(await landRefused()).toBe('members_changed');
    expect(await world.place.tip('main')).toBe(request.onto);
  });

  test('a push to the target right before it moves refuses the landing', async () => {
    const other = await world.place.commit('other', { 'b.txt': 'b\n' }, 'main');
    await beforeTheTransaction(`update-ref refs/heads/main ${other}`);
    expect(await landRefused()).toBe('base_moved');
    expect(await world.place.tip('main')).toBe(other);
  });

  test('a drop of the candidate right before the target moves refuses the landing', async () => {
    await beforeTheTransaction(`update-ref -d refs/mq/candidates/${RUN}`);
    expect(await landRefused()).toBe('candidate_gone');
    expect(await world.place.tip('main')).toBe(request.onto);
  });

  test('a landing that a concurrent duplicate has completed counts as landed', async () => {
    await beforeTheTransaction(`update-ref refs/heads/main ${request.candidate.commit}`);
    expect((await world.host.land(request)).kind).toBe('landed');
    expect((await shownBy(world.host, [1]))[0]?.state).toBe('merged');
  });
});

describe('a deleted head branch', () => {
  const rename = async (from: string, to: string): Promise<void> => {
    const { bare } = world.place;
    await git(bare, 'update-ref', '-d', `refs/heads/${from}`);
    await git(bare, 'update-ref', `refs/heads/${to}`, 'refs/heads/main');
  };

  test.each(['change', 'change/1/next', 'change/1/next/more'])(
    'a deleted head branch does not stop the landing if the branch %s was pushed, which git cannot keep beside it',
    async (pushed) => {
      await rename('change/1', pushed);
      expect((await world.host.land(request)).kind).toBe('landed');
      expect(await world.place.tip('main')).toBe(request.candidate.commit);
    },
  );

  test('a deleted head branch does not stop the landing on an alias of a branch that git cannot keep beside it', async () => {
    await rename('change/1', 'change');
    await world.pointAlias?.('trunk', 'refs/heads/change');
    await world.update(1, { base: 'trunk' });
    expect((await world.host.land({ ...request, branch: 'trunk' })).kind).toBe('landed');
    expect(await world.place.tip('change')).toBe(request.candidate.commit);
  });

  test('a deleted head branch that is pushed again right before the target moves refuses the landing', async () => {
    await rename('change/1', 'change/1/next');
    await beforeTheTransaction(
      'update-ref -d refs/heads/change/1/next',
      `update-ref refs/heads/change/1 ${request.onto}`,
    );
    expect(await landRefused()).toBe('members_changed');
    expect(await world.place.tip('main')).toBe(request.onto);
  });
});
