import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LandRequest } from '@mq/core';
import { git } from '@mq/test-git';
import { afterEach, expect, test } from 'vitest';
import { type GitHost, gitHost } from '../src/index.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { built, RUN } from './requests.js';

let world: GitWorld;
const hosts: GitHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
  await world.close();
});

const request = async (): Promise<LandRequest> => {
  const candidate = await built(world, [await world.open({ files: { 'a.txt': 'a\n' } })]);
  const members = candidate.steps.map(({ pr, head }) => ({ pr, head }));
  return { repo, runId: RUN, branch: 'main', onto: await world.place.tip('main'), candidate, members };
};

const due = () => git(world.place.bare, 'for-each-ref', 'refs/mq/after');
/** Waits until no command is pending. */
const settle = async (): Promise<void> => {
  await expect.poll(due, { timeout: 20_000 }).toBe('');
};

test('a command after a landing gets the input of a post-receive hook', async () => {
  world = await gitWorld({
    afterLanding: { command: 'cat > landed.txt; git rev-parse --git-dir >> landed.txt' },
  });
  const landing = await request();
  expect((await world.host.land(landing)).kind).toBe('landed');
  await settle();
  expect(await readFile(join(world.place.bare, 'landed.txt'), 'utf8')).toBe(
    `${landing.onto} ${landing.candidate.commit} refs/heads/main\n${world.place.bare}\n`,
  );
});

test('a failing command after a landing is abandoned after three attempts, and the landing stands', async () => {
  const faults: unknown[] = [];
  world = await gitWorld({
    afterLanding: { command: 'echo x >> tries.txt; exit 3', onFault: (fault) => faults.push(fault) },
  });
  const landing = await request();
  expect((await world.host.land(landing)).kind).toBe('landed');
  await settle();
  expect(await readFile(join(world.place.bare, 'tries.txt'), 'utf8')).toBe('x\nx\nx\n');
  expect(faults).toEqual([expect.objectContaining({ branch: 'main', commit: landing.candidate.commit })]);
  expect(await world.place.tip('main')).toBe(landing.candidate.commit);
});

test('a command whose process died after the landing is run by the next process', async () => {
  world = await gitWorld({ afterLanding: { command: 'while ! test -e go; do sleep 0.05; done; exit 0' } });
  expect((await world.host.land(await request())).kind).toBe('landed');
  await world.host.close();
  expect(await due()).not.toBe('');

  const next = gitHost({
    repositories: { root: world.place.root },
    afterLanding: { command: 'cat > landed.txt' },
  });
  hosts.push(next);
  await next.getBranch(repo, 'main');
  await settle();
  expect(await readFile(join(world.place.bare, 'landed.txt'), 'utf8')).toMatch(/ refs\/heads\/main\n$/);
});

test('a landing that did not happen runs no command', async () => {
  world = await gitWorld({ afterLanding: { command: 'touch landed.txt' } });
  const landing = await request();
  await mkdir(join(world.place.bare, 'refs/mq/landed'), { recursive: true });
  await writeFile(join(world.place.bare, 'refs/mq/landed', RUN), 'broken\n');
  await expect(world.host.land(landing)).rejects.toMatchObject({ name: 'HostError' });
  await world.host.dropCandidate({ repo, runId: RUN });
  const next = gitHost({ repositories: { root: world.place.root }, afterLanding: { command: 'true' } });
  hosts.push(next);
  await next.getBranch(repo, 'main');
  await settle();
  await expect(readFile(join(world.place.bare, 'landed.txt'))).rejects.toThrow('ENOENT');
});
