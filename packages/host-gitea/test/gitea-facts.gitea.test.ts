import type { HostError, LandOutcome } from '@mq/core';
import { git } from '@mq/test-git';
import { forgeAt, proxyTo } from '@mq/test-gitea';
import { HostUnderTest } from '@mq/testkit';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { GiteaHostOptions } from '../src/index.js';
import type { UnmarkedPull } from '../src/mark.js';
import { type GiteaWorld, giteaWorld } from './gitea-world.js';

const ACCOUNT = 'queue';
const OTHERS = 'others';

const forge = forgeAt(inject('gitea'));

beforeAll(async () => {
  await forge.person(ACCOUNT);
  await forge.api('POST', '/orgs', { username: OTHERS });
});

const worldWith = async (options: Partial<GiteaHostOptions> = {}) => {
  const world = await giteaWorld(forge, options);
  onTestFinished(() => world.close());
  const under = new HostUnderTest(world, expect);
  const open = () => under.open({ 'a.txt': 'a\n' });
  return { world, under, open, pull: (pr: number) => forge.api('GET', `${world.path}/pulls/${pr}`) };
};

/** A host behind a proxy that a test makes slow or wrong. */
const worldBehindWay = async (options: Partial<GiteaHostOptions> = {}) => {
  const way = await proxyTo(forge.gitea.url);
  const parts = await worldWith({ ...options, url: way.url });
  onTestFinished(() => way.close());
  return { way, ...parts };
};

const faultOf = async (promise: Promise<unknown>): Promise<HostError> => {
  const fault = await promise.then(
    () => null,
    (error: HostError) => error,
  );
  if (fault === null) throw new Error('It did not fail.');
  return fault;
};

const tipOf = async ({ world }: { readonly world: GiteaWorld }): Promise<string> =>
  (await git(forge.bare(world.repo.name), 'rev-parse', 'refs/heads/main')).trim();

const isMark = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === 'POST' && path.endsWith('/merge');

test('a pull request names its author with the address, unless the token may see hidden addresses', async () => {
  const { token } = await forge.issueToken(ACCOUNT, ['write:repository']);
  let read = token;
  const { world } = await worldWith({ token: () => read });
  await forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission: 'write' });
  const pr = await world.open({ files: { 'a.txt': 'a\n' }, author: 'Ada' });
  const shown = async () => (await world.host.getPullRequests(world.repo, [pr]))[0];
  expect(await shown()).toMatchObject({
    author: 'Ada',
    authorIdentity: expect.stringMatching(/^Ada <[^<>@]+@[^<>@]+>$/),
  });
  read = forge.gitea.token;
  expect(await shown()).toMatchObject({ author: 'Ada', authorIdentity: 'Ada' });
});

test('a token that may only write repositories, of a collaborator, is enough to read, build, land and mark', async () => {
  const { token } = await forge.issueToken(ACCOUNT, ['write:repository']);
  const parts = await worldWith({ token: () => token });
  const { world, under, open, pull } = parts;
  await forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission: 'write' });
  const pr = await open();
  const built = await under.build([pr]);
  expect(await under.land(built)).toMatchObject({ kind: 'landed', head: built.candidate.commit });
  expect(await tipOf(parts)).toBe(built.candidate.commit);
  expect(await pull(pr)).toMatchObject({ merged: true, merge_commit_sha: built.candidate.commit });
});

test('a revoked token is lost access to the API and to git, and the next token counts at once', async () => {
  let issued = await forge.issueToken(ACCOUNT, ['write:repository']);
  const parts = await worldWith({ token: () => issued.token });
  const { world, under, open } = parts;
  const { host, repo } = world;
  await forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission: 'write' });
  const built = await under.build([await open()]);
  const before = await tipOf(parts);
  await issued.revoke();
  const lost = { retry: 'never', reach: 'access' };
  expect(await faultOf(host.getBranch(repo, 'main'))).toMatchObject(lost);
  expect(await faultOf(host.listCandidates(repo))).toMatchObject(lost);
  expect(await faultOf(under.land(built))).toMatchObject(lost);
  expect(await tipOf(parts)).toBe(before);
  issued = await forge.issueToken(ACCOUNT, ['write:repository']);
  expect((await under.land(built)).kind).toBe('landed');
});

test('a token that may only read cannot land, and that is lost access and no refusal by a rule', async () => {
  const write = await forge.issueToken(ACCOUNT, ['write:repository']);
  const read = await forge.issueToken(ACCOUNT, ['read:repository']);
  let { token } = write;
  const { world, under, open } = await worldWith({ token: () => token });
  await forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission: 'write' });
  const built = await under.build([await open()]);
  ({ token } = read);
  expect(await faultOf(under.land(built))).toMatchObject({ retry: 'never', reach: 'access' });
});

test.each([
  ['seconds', 429, () => '7'],
  ['a date', 503, () => new Date(Date.now() + 7_500).toUTCString()],
])('a wait that the host asks for in %s is passed on and not slept through', async (_form, status, after) => {
  const { way, world } = await worldBehindWay();
  await world.host.getBranch(world.repo, 'main');
  way.instead = () => ({ status, headers: { 'retry-after': after() } });
  const askedAt = Date.now();
  const { retry, retryAt } = await faultOf(world.host.getBranch(world.repo, 'main'));
  expect(retry).toBe('later');
  expect((retryAt ?? 0) - askedAt).toBeGreaterThan(5_000);
  expect((retryAt ?? 0) - askedAt).toBeLessThan(20_000);
  way.instead = () => null;
  expect(await world.host.getBranch(world.repo, 'main')).not.toBeNull();
});

test('a host that is slow is waited for, and one that breaks off is unavailable', async () => {
  const { way, world } = await worldBehindWay();
  way.delayMs = 500;
  expect(await world.host.getBranch(world.repo, 'main')).not.toBeNull();
  await way.close();
  expect(await faultOf(world.host.getBranch(world.repo, 'main'))).toMatchObject({ retry: 'later' });
  expect(await faultOf(world.host.listCandidates(world.repo))).toMatchObject({ retry: 'later' });
});

test('an answer that is not JSON, or of another shape, is a fault of the host that passes', async () => {
  const { way, world } = await worldBehindWay();
  for (const body of ['<html>', '{}', '[]', 'null', '{"commit":{"id":7}}']) {
    way.instead = () => ({ status: 200, body });
    expect(await faultOf(world.host.getBranch(world.repo, 'main'))).toMatchObject({ retry: 'later' });
  }
});

test('a mark that conflicts is set again, by the same landing or by a repeated one', async () => {
  const { way, under, open, pull } = await worldBehindWay();
  const [first, second] = [await open(), await under.open({ 'b.txt': 'b\n' })];
  let refusals = 2;
  way.instead = (request) => {
    if (!isMark(request) || refusals === 0) return null;
    refusals -= 1;
    return { status: 409, body: '{"message":"Wrong commit ID"}' };
  };
  expect((await under.land(await under.build([first]))).kind).toBe('landed');
  expect(await pull(first)).toMatchObject({ merged: true });
  refusals = 1_000;
  const built = await under.build([second]);
  expect(await faultOf(under.land(built))).toMatchObject({ retry: 'later' });
  expect(await under.tip()).toBe(built.candidate.commit);
  refusals = 0;
  expect((await under.land(built)).kind).toBe('landed');
  expect(await pull(second)).toMatchObject({ merged: true });
});

test('without manual marks a pull request lands, and is reported because the host shows it as open', async () => {
  const unmarked: UnmarkedPull[] = [];
  const parts = await worldWith({ onUnmarked: (fault) => unmarked.push(fault) });
  const { world, under, open, pull } = parts;
  await forge.api('PATCH', world.path, { has_pull_requests: true, allow_manual_merge: false });
  const pr = await open();
  const built = await under.build([pr]);
  expect((await under.land(built)).kind).toBe('landed');
  expect(unmarked).toMatchObject([{ pr, message: expect.stringMatching(/not allowed/) }]);
  expect(await pull(pr)).toMatchObject({ merged: false, state: 'open' });
  await forge.api('PATCH', world.path, { has_pull_requests: true, allow_manual_merge: true });
  expect((await under.land(built)).kind).toBe('landed');
  expect(await pull(pr)).toMatchObject({ merged: true });
});

test('if the host marks by itself, each pull request of a batch ends up merged and none is reported', async () => {
  const unmarked: UnmarkedPull[] = [];
  const { world, under, open, pull } = await worldWith({ onUnmarked: (fault) => unmarked.push(fault) });
  await forge.api('PATCH', world.path, { has_pull_requests: true, autodetect_manual_merge: true });
  const prs = [await open(), await under.open({ 'b.txt': 'b\n' }), await under.open({ 'c.txt': 'c\n' })];
  const built = await under.build(prs, { method: 'merge_commit' });
  expect((await under.land(built)).kind).toBe('landed');
  for (const { pr, commit } of built.candidate.steps)
    expect(await pull(pr)).toMatchObject({ merged: true, merge_commit_sha: commit });
  expect(unmarked).toEqual([]);
});

test('a pull request from a fork is tested, lands and is marked', async () => {
  const parts = await worldWith();
  const { world, under, pull } = parts;
  const { name } = world.repo;
  await forge.api('POST', `${world.path}/forks`, {}, { as: 'Ada' });
  await forge.until(`/repos/Ada/${name}`, ({ empty }) => empty === false);
  const content = Buffer.from('of the fork\n').toString('base64');
  const file = { content, message: 'Add', branch: 'main', new_branch: 'change' };
  await forge.api('POST', `/repos/Ada/${name}/contents/fork.txt`, file, { as: 'Ada' });
  const wanted = { head: 'Ada:change', base: 'main', title: 'From a fork' };
  const { number } = await forge.api('POST', `${world.path}/pulls`, wanted, { as: 'Ada' });
  const pr = Number(number);
  expect(await under.pull(pr)).toMatchObject({ fork: true, state: 'open', mergeability: 'mergeable' });
  const built = await under.build([pr]);
  expect((await under.land(built)).kind).toBe('landed');
  expect(await world.filesAt(built.candidate.commit)).toMatchObject({ 'fork.txt': 'of the fork\n' });
  expect(await pull(pr)).toMatchObject({ merged: true });
});

const moved: Readonly<Record<string, (world: GiteaWorld) => Promise<unknown>>> = {
  renamed: ({ path, repo }) => forge.api('PATCH', path, { name: `${repo.name}-now` }),
  transferred: ({ path }) => forge.api('POST', `${path}/transfer`, { new_owner: OTHERS }),
  deleted: ({ path }) => forge.api('DELETE', path),
  'deleted and recreated': async ({ path, repo }) => {
    await forge.api('DELETE', path);
    await forge.repository(repo.name);
  },
};

test.each(Object.entries(moved))(
  'a repository that was %s is one that a person has to look at: nothing is built or landed there',
  async (_how, move) => {
    const { world, under, open } = await worldWith();
    const { host, repo } = world;
    const pr = await open();
    const built = await under.build([pr]);
    await move(world);
    const gone = { retry: 'never', reach: 'repository' };
    expect(await faultOf(host.getBranch(repo, 'main'))).toMatchObject(gone);
    expect(await faultOf(host.getPullRequests(repo, [pr], { merging: 'squash' }))).toMatchObject(gone);
    expect((await under.land(built).catch((error: HostError) => error)) as LandOutcome).not.toMatchObject({
      kind: 'landed',
    });
  },
);

test('a repository that was made private is gone for an account without rights, until it has some', async () => {
  const { token } = await forge.issueToken(ACCOUNT, ['write:repository']);
  const { world, open } = await worldWith({ token: () => token });
  const { host, repo, path } = world;
  const pr = await open();
  expect(await host.getPullRequests(repo, [pr])).toHaveLength(1);
  await forge.api('PATCH', path, { private: true });
  const gone = { retry: 'never', reach: 'repository' };
  expect(await faultOf(host.getBranch(repo, 'main'))).toMatchObject(gone);
  expect(await faultOf(host.getPullRequests(repo, [pr]))).toMatchObject(gone);
  await forge.api('PUT', `${path}/collaborators/${ACCOUNT}`, { permission: 'write' });
  expect(await host.getPullRequests(repo, [pr])).toHaveLength(1);
});

test('a protection that forbids the push refuses the landing in the words of the host, and moves nothing', async () => {
  const parts = await worldWith();
  const { world, under, open } = parts;
  await forge.api('POST', `${world.path}/branch_protections`, { rule_name: 'main', enable_push: false });
  const pr = await open();
  const built = await under.build([pr]);
  const before = await tipOf(parts);
  expect(await under.land(built)).toMatchObject({
    ...{ kind: 'refused', class: 'setting', pr: null },
    message: expect.stringMatching(/protected branch/),
  });
  expect(await tipOf(parts)).toBe(before);
  await forge.api('PATCH', `${world.path}/branch_protections/main`, { enable_push: true });
  expect((await under.land(await under.build([pr]))).kind).toBe('landed');
});

test('a protection of the candidate branches refuses the candidate', async () => {
  const { world, under, open } = await worldWith();
  const pr = await open();
  await forge.api('POST', `${world.path}/branch_protections`, { rule_name: 'mq/**', enable_push: false });
  expect(await under.tryToBuild([pr])).toMatchObject({ kind: 'refused', class: 'setting', pr: null });
});

test('the statuses that a protection requires are those of the moment, and do not stop the push of an account that may', async () => {
  const { world, under, open } = await worldWith();
  const { host, repo, path } = world;
  const required = async () => (await host.getBranch(repo, 'main'))?.requiredChecks;
  expect(await required()).toBeNull();
  await forge.api('POST', `${path}/branch_protections`, {
    ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: ['a', 'b'] },
  });
  expect(await required()).toEqual(['a', 'b']);
  await forge.api('PATCH', `${path}/branch_protections/main`, {
    status_check_contexts: ['b'],
    enable_status_check: true,
  });
  expect(await required()).toEqual(['b']);
  expect((await under.land(await under.build([await open()]))).kind).toBe('landed');
  await forge.api('DELETE', `${path}/branch_protections/main`);
  expect(await required()).toBeNull();
});

test('of five landings at once on one tip one lands, and the others find the target moved', async () => {
  const parts = await worldWith();
  const { under, pull } = parts;
  const built = [];
  for (let each = 1; each <= 5; each += 1)
    built.push(await under.build([await under.open({ [`${each}.txt`]: `${each}\n` })]));
  const outcomes = await Promise.all(built.map((each) => under.land(each)));
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual([...Array(4).fill('base_moved'), 'landed']);
  const winner = built[outcomes.findIndex(({ kind }) => kind === 'landed')];
  expect(await tipOf(parts)).toBe(winner?.candidate.commit);
  const merged = await Promise.all(
    built.map(async (each) => [each, (await pull(each.candidate.steps[0]?.pr ?? 0)).merged]),
  );
  expect(merged.filter(([, isMerged]) => isMerged)).toEqual([[winner, true]]);
});

test('a repository is shown as public unless it is private', async () => {
  const { world } = await worldWith();
  const isPublic = async () => (await world.gitea.identify?.(world.repo))?.isPublic;
  await forge.api('PATCH', world.path, { private: true });
  expect(await isPublic()).toBe(false);
  await forge.api('PATCH', world.path, { private: false });
  expect(await isPublic()).toBe(true);
});

test('branches of people below the prefix of candidates are no candidates, and are left alone', async () => {
  const { world, under, open } = await worldWith();
  const people = ['mq/v1.2', 'mq/lid', 'mq/ada/lid', 'mq/pr-1/ada/lid', 'mq/pr-x/lid', 'mq/base/v1.2'];
  for (const branch of people) await world.branchOff(branch);
  const { run } = await under.build([await open()]);

  expect(await world.host.listCandidates(world.repo)).toEqual([run]);
  for (const runId of ['lid' as typeof run, run]) await world.host.dropCandidate({ repo: world.repo, runId });
  const left = await git(forge.bare(world.repo.name), 'for-each-ref', '--format=%(refname)', 'refs/heads/mq');
  expect(left.trim().split('\n')).toEqual(people.map((branch) => `refs/heads/${branch}`).sort());
});
