import { createMergeQueue } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { tokenAuthenticator } from '../src/index.js';
import { apiWith, everything, repo } from './world.js';

const asGitHub = { host: 'github.com', owner: 'acme', name: 'widgets' };

const world = async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  const mq = createMergeQueue({
    store: memoryStore({ clock }),
    hosts: { [repo.host]: host },
    aliases: [{ alias: asGitHub, of: repo }],
    clock,
  });
  onTestFinished(() => mq.close());
  const limited = { ...everything, id: 'limited', token: 'secret-of-the-limited', repositories: [asGitHub] };
  const api = await apiWith({ mq, authenticate: tokenAuthenticator([everything, limited]) });
  return { mq, api, limited };
};

test('a client that names a repository by an alias reaches it, and its answers contain the name that it sent', async () => {
  const { api } = await world();
  const asked = { repo: asGitHub, targetBranch: 'main' };

  expect((await api.post('createQueue', asked)).json.repo).toEqual(asGitHub);
  expect((await api.post('createQueue', { ...asked, repo })).json.code).toBe('QUEUE_EXISTS');
  expect((await api.post('submitPullRequest', { ...asked, pr: { number: 1 } })).status).toBe(200);
  const inCapitals = { ...asked, repo: { ...asGitHub, host: 'GitHub.com', owner: 'ACME' } };
  expect((await api.post('getQueue', inCapitals)).json).toMatchObject({
    repo: inCapitals.repo,
    enqueuedPullRequests: [{ prNumber: 1 }],
  });
  expect((await api.post('getQueue', { ...asked, repo })).json.repo).toEqual(repo);
  expect((await api.post('listQueues', { repo: asGitHub })).json.queues).toMatchObject([{ repo: asGitHub }]);
});

test('a token limited to a repository is valid for every alias of it, and for no other repository', async () => {
  const { api, limited } = await world();
  const statusOf = async (named: object) =>
    (await api.post('createQueue', { repo: named, targetBranch: 'main' }, { token: limited.token })).status;

  expect(await statusOf(repo)).toBe(200);
  expect(await statusOf(asGitHub)).toBe(409);
  expect(await statusOf({ ...asGitHub, name: 'gadgets' })).toBe(403);
});
