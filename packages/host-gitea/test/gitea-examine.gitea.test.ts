import { forgeAt } from '@mq/test-gitea';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { HOOK_EVENTS, type WantedHook } from '../src/index.js';
import { giteaWorld } from './gitea-world.js';

const forge = forgeAt(inject('gitea'));
const ACCOUNT = 'examiner';
const HOOK_PATH = '/hooks/forge';
const wanted = { path: HOOK_PATH, url: `http://127.0.0.1:1${HOOK_PATH}`, secret: () => 'secret' };

beforeAll(() => forge.person(ACCOUNT));

const examined = async (scopes: readonly string[] | null = null) => {
  const issued = scopes === null ? null : await forge.issueToken(ACCOUNT, scopes);
  const world = await giteaWorld(forge, issued === null ? {} : { token: () => issued.token });
  onTestFinished(() => world.close());
  const find = async (hookedAt: number | null = 1, wantedHook: WantedHook | null = wanted) => {
    const { repo } = world;
    const found = await world.gitea.examine([{ repo, branches: ['main'], hookedAt }], wantedHook);
    return found.map(({ code, subject }) => `${code} ${subject.replace(repo.name, 'app')}`);
  };
  const hook = (change: object = {}) =>
    forge.api('POST', `${world.path}/hooks`, {
      ...{ type: 'gitea', active: true, events: HOOK_EVENTS },
      config: { url: wanted.url, content_type: 'json', secret: 'secret' },
      ...change,
    });
  return { world, issued, find, hook };
};

test('nothing is found at a repository that is set up as the guide says', async () => {
  const { world, find, hook } = await examined();
  await forge.api('POST', `${world.path}/branch_protections`, {
    ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: ['ci'] },
  });
  await hook();
  expect(await find()).toEqual([]);
});

test('a webhook that is missing, inactive, short of events or silent is found, unless webhooks arrive from elsewhere', async () => {
  const { world, find, hook } = await examined();
  const missing = 'HOST_WEBHOOK_MISSING team/app';
  expect(await find(null)).toEqual([missing]);
  expect(await find(1)).toEqual([]);
  const { id } = await hook({ active: false });
  expect(await find(null)).toEqual([missing]);
  await forge.api('PATCH', `${world.path}/hooks/${id}`, { active: true, events: ['push', 'status'] });
  expect(await find(1)).toEqual(['HOST_WEBHOOK_EVENTS team/app']);
  await forge.api('PATCH', `${world.path}/hooks/${id}`, { events: HOOK_EVENTS });
  expect(await find(null)).toEqual(['HOST_WEBHOOK_SILENT team/app']);
  expect(await find(1)).toEqual([]);
  expect(await find(1, null)).toEqual(['HOST_WEBHOOK_UNSET ']);
});

test('what an account lacks to land is found: access, write access, the scope of its token, the right to push and to mark', async () => {
  const { world, issued, find } = await examined(['write:repository']);
  const allow = (permission: string) =>
    forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission });
  await forge.api('PATCH', world.path, { private: true });
  expect(await find()).toEqual(['HOST_REPOSITORY_GONE team/app']);
  await allow('read');
  expect(await find()).toContain('HOST_WRITE_REFUSED team/app');
  await allow('write');
  expect(await find()).toEqual(['HOST_PRESENCE_REFUSED team/app', 'HOST_COMMANDS_REFUSED team/app']);
  await allow('admin');
  expect(await find(1, null)).toEqual(['HOST_WEBHOOK_UNSET ', 'HOST_PRESENCE_REFUSED team/app']);
  await allow('write');
  await forge.api('POST', `${world.path}/branch_protections`, {
    ...{
      rule_name: 'main',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['Ada'],
    },
    ...{ enable_merge_whitelist: true, merge_whitelist_usernames: ['Ada'] },
  });
  expect(await find()).toEqual(
    expect.arrayContaining(['HOST_PUSH_REFUSED team/app main', 'HOST_MARKS_REFUSED team/app main']),
  );
  await issued?.revoke();
  expect(await find()).toEqual(['HOST_TOKEN_REFUSED ']);
});

test('a token without the scope to push is found although its account may write', async () => {
  const { world, find } = await examined(['read:repository']);
  await forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission: 'write' });
  expect(await find()).toEqual([
    ...['HOST_WRITE_REFUSED team/app', 'HOST_PRESENCE_REFUSED team/app', 'HOST_COMMANDS_REFUSED team/app'],
  ]);
});

test('a token lacks nothing with the scopes that the guide names, of an account that administers the repository', async () => {
  const { world, find } = await examined(['write:repository', 'write:issue', 'read:user']);
  await forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission: 'admin' });
  expect(await find(1, null)).toEqual(['HOST_WEBHOOK_UNSET ']);
});

test('manual marks that are off, required signatures and protected candidate branches are found', async () => {
  const { world, find, hook } = await examined();
  await hook();
  await forge.api('PATCH', world.path, { allow_manual_merge: false });
  await forge.api('POST', `${world.path}/branch_protections`, {
    ...{ rule_name: 'main', enable_push: true, require_signed_commits: true },
  });
  await forge.api('POST', `${world.path}/branch_protections`, { rule_name: 'mq/**', enable_push: false });
  expect(await find()).toEqual([
    'HOST_MARKS_OFF team/app',
    'HOST_CANDIDATES_REFUSED team/app',
    'HOST_SIGNATURE_REQUIRED team/app main',
  ]);
});

test('what may be set is set: manual marks, the webhook, and the events that it lacks', async () => {
  const { world, find } = await examined();
  const repair = () => world.gitea.repair(world.repo, wanted);
  await forge.api('PATCH', world.path, { allow_manual_merge: false });
  expect(await find(null)).toEqual(['HOST_MARKS_OFF team/app', 'HOST_WEBHOOK_MISSING team/app']);
  await repair();
  await repair();
  expect(await find()).toEqual([]);
  const hooks = async () => (await forge.api('GET', `${world.path}/hooks`)) as unknown as { id: number }[];
  const [hook, ...others] = await hooks();
  expect(others).toEqual([]);
  await forge.api('PATCH', `${world.path}/hooks/${hook?.id}`, { events: ['push'] });
  expect(await find()).toEqual(['HOST_WEBHOOK_EVENTS team/app']);
  await repair();
  expect(await find()).toEqual([]);
});

test('an account without the right to administer sets nothing, and no finding promises that it would', async () => {
  const { world } = await examined(['write:repository']);
  await forge.api('PUT', `${world.path}/collaborators/${ACCOUNT}`, { permission: 'write' });
  await forge.api('PATCH', world.path, { allow_manual_merge: false });
  const examine = () =>
    world.gitea.examine([{ repo: world.repo, branches: ['main'], hookedAt: null }], wanted);
  const before = await examine();
  expect(before.map(({ isRepairable = false }) => isRepairable)).not.toContain(true);
  await world.gitea.repair(world.repo, wanted);
  expect(await examine()).toEqual(before);
});
