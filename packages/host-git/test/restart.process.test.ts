import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Candidate, LandRequest, Sha, TestRunId } from '@mq/core';
import { git, NAME, OWNER } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GitHost, gitHost } from '../src/index.js';
import { recordIntent } from '../src/landing-intents.js';
import { openRepository } from '../src/repositories.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { shownBy } from './requests.js';

const RUN = '00000003-0000-4000-8000-000000000001' as TestRunId;

let world: GitWorld;
const others: GitHost[] = [];

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const other of others.splice(0)) await other.close();
  await world.close();
});

const anotherHost = (options: { readonly workFolder?: string } = {}): GitHost => {
  const host = gitHost({ repositories: { root: world.place.root }, killGraceMs: 500, ...options });
  others.push(host);
  return host;
};

const headOf = async (pr: number): Promise<Sha> => (await shownBy(world.host, [pr]))[0]!.head;

const build = async (
  prs: readonly number[],
  method: 'squash' | 'merge_commit' = 'squash',
): Promise<Candidate> => {
  const parts = [];
  for (const pr of prs)
    parts.push({ pr, head: await headOf(pr), message: { title: `Land #${pr}`, body: '' } });
  const base = await world.place.tip('main');
  const request = { repo, runId: RUN, branch: 'main', base, parts, method, decidedAt: Date.now() };
  const outcome = await world.host.buildCandidate(request);
  if (outcome.kind !== 'built') throw new Error(JSON.stringify(outcome));
  return outcome.candidate;
};

const landingOf = async (candidate: Candidate): Promise<LandRequest> => ({
  repo,
  runId: RUN,
  branch: 'main',
  onto: await world.place.tip('main'),
  candidate,
  members: candidate.steps.map(({ pr, head }) => ({ pr, head, forced: false })),
});

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};

const isGone = async (pid: string): Promise<boolean> => {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '0 (gone) Z');
  return /\) Z/.test(status);
};

describe('after a restart', () => {
  test('pull requests, candidates and results survive a restart', async () => {
    await world.setChecks([{ name: 'unit', failsWhen: 'BROKEN' }]);
    const pr = await world.open({ files: { 'a.txt': 'BROKEN\n' }, title: 'One', draft: true });
    const candidate = await build([pr]);
    await world.host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['unit'] });
    await world.host.checksEnded();
    const other = anotherHost();
    expect(await shownBy(other, [pr])).toEqual(await shownBy(world.host, [pr]));
    expect(await other.listCandidates(repo)).toEqual([RUN]);
    const before = await world.host.getChecks(repo, [candidate.commit]);
    expect(await other.getChecks(repo, [candidate.commit])).toEqual(before);
    expect(before.get(candidate.commit)?.map(({ conclusion }) => conclusion)).toEqual(['failure']);
  });

  test('a check that another live server runs keeps running', async () => {
    const go = join(world.place.root, 'go');
    await world.configure('slow', `until test -e ${go}; do sleep 0.02; done`);
    const candidate = await build([await world.open({ files: { 'a.txt': 'a\n' } })]);
    await world.host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['slow'] });
    const other = anotherHost();
    const request = { repo, runId: RUN, commit: candidate.commit, names: ['slow'] };
    await other.startChecks(request);
    const seen = (await other.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? [];
    expect(seen.map(({ status, conclusion }) => [status === 'completed', conclusion])).toEqual([
      [false, null],
    ]);
    await writeFile(go, '');
    await world.host.checksEnded();
    const after = (await other.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? [];
    expect(after.map(({ conclusion }) => conclusion)).toEqual(['success']);
  });

  /** Starts the check `slow` in a server of another process, and kills that server while the check runs. */
  const killedWhile = async (command: string, isBegun: () => Promise<boolean>, work: string) => {
    await world.configure('slow', command);
    const candidate = await build([await world.open({ files: { 'a.txt': 'a\n' } })]);
    const fixture = fileURLToPath(new URL('serve-slowly.fixture.ts', import.meta.url));
    const args = [world.place.root, OWNER, NAME, RUN, candidate.commit, 'slow', work];
    const server = spawn(process.execPath, ['--conditions=mq-source', '--import=tsx', fixture, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await until(async () => {
      const [check] = (await world.host.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? [];
      return check?.status === 'running' && (await isBegun());
    });
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
    return candidate;
  };

  const linesOf = async (path: string): Promise<readonly string[]> =>
    (await readFile(path, 'utf8').catch(() => '')).split('\n').slice(0, -1);

  test('a check whose server was killed is restarted, and its leftover processes are killed', async () => {
    const [pids, go] = [join(world.place.root, 'pids'), join(world.place.root, 'go')];
    const work = join(world.place.root, 'work');
    const command = `echo $$ >> ${pids}; until test -e ${go}; do sleep 0.05; done`;
    const candidate = await killedWhile(command, async () => (await linesOf(pids)).length === 1, work);
    const others = [anotherHost({ workFolder: work }), anotherHost({ workFolder: work })];
    const read = async (host: GitHost) =>
      ((await host.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? []).map(
        ({ id, conclusion }) => [id, conclusion] as const,
      );
    const seen = await Promise.all(others.map(read));
    expect(seen.flat().map(([, conclusion]) => conclusion)).toEqual([null, null]);

    await until(async () => (await linesOf(pids)).length > 1);
    const [left, again] = await linesOf(pids);
    expect(await isGone(left!)).toBe(true);
    expect(await isGone(again!)).toBe(false);
    await writeFile(go, '');
    for (const host of others) await host.checksEnded();
    expect(await read(world.host)).toEqual([[seen[0]![0]![0], 'success']]);
    expect(await linesOf(pids)).toHaveLength(2);
  });

  test('a check whose server was killed and whose command has changed ends as an infrastructure failure', async () => {
    const pids = join(world.place.root, 'pids');
    const work = join(world.place.root, 'work');
    const isBegun = async () => (await linesOf(pids)).length === 1;
    const candidate = await killedWhile(`echo $$ >> ${pids}; sleep 600`, isBegun, work);
    await world.configure('slow', 'true');
    const other = anotherHost({ workFolder: work });
    const read = async () =>
      ((await other.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? []).map(
        ({ conclusion, summary }) => [conclusion, summary],
      );
    const stopped = ['infrastructure', 'The CI was stopped while it ran.'];
    expect(await read()).toEqual([stopped]);
    expect(await read()).toEqual([stopped]);

    await other.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['slow'] });
    await other.checksEnded();
    expect((await read()).map(([conclusion]) => conclusion).sort()).toEqual(['infrastructure', 'success']);
    expect(await isGone((await readFile(pids, 'utf8')).trim())).toBe(true);
    await other.close();
    expect(await readdir(work)).toEqual([]);
  });
});

describe('a landing that was killed after the target had moved', () => {
  test('a landing killed after the target moved counts as landed, and a read adds its marks', async () => {
    const prs = [
      await world.open({ files: { 'a.txt': 'a\n' } }),
      await world.open({ files: { 'b.txt': 'b\n' } }),
    ];
    const candidate = await build(prs);
    const request = await landingOf(candidate);
    const repository = await openRepository(world.place.bare);
    await recordIntent(repository!, request);
    await git(world.place.bare, 'update-ref', 'refs/heads/main', candidate.commit, request.onto);
    const pulls = await shownBy(anotherHost(), prs);
    expect(pulls.map(({ state, merged }) => [state, merged?.commit])).toEqual(
      candidate.steps.map(({ commit }) => ['merged', commit]),
    );
    expect((await world.host.land(request)).kind).toBe('landed');
    expect(await world.host.listCandidates(repo)).toEqual([]);
  });

  test('a landing killed after the target moved counts as landed, and a repeated call adds its marks', async () => {
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const candidate = await build([pr]);
    const request = await landingOf(candidate);
    await git(world.place.bare, 'update-ref', 'refs/heads/main', candidate.commit, request.onto);
    expect(await world.host.land(request)).toEqual({
      kind: 'landed',
      head: candidate.commit,
      tree: candidate.tree,
    });
    const [pull] = await shownBy(world.host, [pr]);
    expect([pull?.state, pull?.merged?.commit]).toEqual(['merged', candidate.commit]);
    expect(await world.host.listCandidates(repo)).toEqual([]);
  });

  test('a landing killed before the target moved has no marks and can still land', async () => {
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const request = await landingOf(await build([pr]));
    const repository = await openRepository(world.place.bare);
    await recordIntent(repository!, request);
    const [pull] = await shownBy(world.host, [pr]);
    expect(pull?.state).toBe('open');
    expect((await world.host.land(request)).kind).toBe('landed');
  });
});

describe('marks', () => {
  test('merge marks count only while the target contains their commit', async () => {
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const before = await world.place.tip('main');
    const request = await landingOf(await build([pr]));
    await world.host.land(request);
    await world.rewind(before);
    expect((await shownBy(world.host, [pr]))[0]?.state).toBe('open');
    const forged = await world.open({ files: { 'b.txt': 'b\n' } });
    await git(world.place.bare, 'update-ref', `refs/mq/pulls/${forged}/merged`, await headOf(forged));
    expect((await shownBy(world.host, [forged]))[0]?.state).toBe('open');
  });

  test('a merge by hand is detected, and a branch that is reset to the target does not count as merged', async () => {
    const byHand = await world.open({ files: { 'a.txt': 'a\n' } });
    const setBack = await world.open({ files: { 'b.txt': 'b\n' } });
    const head = await headOf(byHand);
    const branch = (await shownBy(world.host, [setBack]))[0]?.headBranch;
    await git(world.place.bare, 'update-ref', 'refs/heads/main', head);
    await git(world.place.bare, 'update-ref', `refs/heads/${branch}`, head);
    const read = async () =>
      (await shownBy(anotherHost(), [byHand, setBack])).map(({ state, merged }) => [state, merged]);
    const wanted = [
      ['merged', { branch: 'main', commit: head }],
      ['open', null],
    ];
    expect(await read()).toEqual(wanted);
    expect(await read()).toEqual(wanted);
  });
});

test('a hundred pull requests are read with few git processes, and the second time with even fewer', async () => {
  const { bare, root } = world.place;
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
  const first = await world.open({ files: { 'a.txt': 'a\n' } });
  const refs = await git(bare, 'for-each-ref', '--format=%(objectname)', `refs/mq/pulls/${first}`);
  const [head = '', meta = ''] = refs.trim().split('\n');
  for (const number of numbers.slice(1)) {
    await git(bare, 'update-ref', `refs/mq/pulls/${number}/meta`, meta);
    await git(bare, 'update-ref', `refs/mq/pulls/${number}/head`, head);
  }
  const folder = join(root, 'counted');
  const count = join(root, 'count');
  const real = (await git(root, '--exec-path')).trim();
  await mkdir(folder);
  await writeFile(join(folder, 'git'), `#!/bin/sh\necho . >> ${count}\nexec ${real}/git "$@"\n`);
  await chmod(join(folder, 'git'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  const reads = async (): Promise<number> => {
    await writeFile(count, '');
    expect((await shownBy(world.host, numbers)).length).toBe(100);
    return (await readFile(count, 'utf8')).trim().split('\n').length;
  };
  expect(await reads()).toBeLessThanOrEqual(15);
  expect(await reads()).toBeLessThanOrEqual(4);
});
