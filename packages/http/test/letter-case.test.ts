import { createMergeQueue, tokenKeeper, webhookKeeper } from '@mq/core';
import {
  memoryHostCommandStore,
  memoryServiceStore,
  memoryStore,
  memoryWebhookStore,
} from '@mq/store-memory';
import { fakeHost, personNamed, virtualClock } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { keeperAuthenticator } from '../src/index.js';
import { pr } from './engine-world.js';
import { apiWith, repo } from './world.js';

const BOOTSTRAP = 'the-token-of-the-configuration';
const inHost = { ...repo, owner: 'Acme', name: 'Widgets' };
const inCapitals = { ...repo, owner: 'ACME', name: 'WIDGETS' };
const asAlias = { host: 'github.com', owner: 'Old', name: 'Name' };
const spellings = [inHost, repo, inCapitals, asAlias];
const ada = personNamed('ada');

/** An API to a host that shows its repository as Acme/Widgets and finds it in any letter case, or in that one alone. */
const world = async ({ ignoresCase = true } = {}) => {
  const clock = virtualClock();
  const host = fakeHost({ clock, ignoresCase, ci: { mode: 'manual' } });
  const repository = host.createRepository({ ref: { ...inHost, id: 'id-4711' } });
  for (const number of [1, 2]) repository.openPullRequest({ number });
  repository.timeline.setRole(ada, 'write');
  const [store, serviceStore] = [memoryStore({ clock }), memoryServiceStore({ clock })];
  const mq = createMergeQueue({
    ...{ store, hosts: { [repo.host]: host }, clock },
    aliases: [{ alias: asAlias, of: repo }],
    commands: { store: memoryHostCommandStore({ clock }) },
  });
  onTestFinished(() => mq.close());
  const tokens = tokenKeeper({ store: serviceStore, canonicalRepo: mq.canonicalRepo, clock });
  const webhooks = webhookKeeper({
    ...{ store: memoryWebhookStore({ clock }), mq, key: Buffer.alloc(32, 7), urlFault: () => null },
  });
  const api = await apiWith({ mq, tokens, webhooks, authenticate: keeperAuthenticator(tokens, BOOTSTRAP) });
  const ask = (name: string, body: object = {}, token: string | null = BOOTSTRAP) =>
    api.post(name, body, { token });
  const tokenFor = async (repositories: readonly object[]): Promise<string> => {
    const made = await ask('createToken', { name: 'limited', scopes: ['read', 'webhooks'], repositories });
    expect(made.status, made.text).toBe(200);
    expect((await ask('whoami', {}, made.json.token)).json.repositories).toHaveLength(repositories.length);
    return made.json.token;
  };
  return { mq, host, repository, clock, ask, tokenFor };
};

const on = (named: object) => ({ repo: named, targetBranch: 'main' });

test('a queue is found in any letter case and by an alias, and each answer names the repository as the request does', async () => {
  const { ask } = await world();
  expect((await ask('createQueue', on(inCapitals))).json.repo).toEqual(inCapitals);

  for (const named of spellings) {
    expect((await ask('createQueue', on(named))).json.code).toBe('QUEUE_EXISTS');
    expect((await ask('getQueue', on(named))).json.repo).toEqual(named);
    expect((await ask('updateQueue', { ...on(named), concurrency: 3 })).json.repo).toEqual(named);
    expect((await ask('submitPullRequest', { ...on(named), ...pr(1) })).status).toBe(200);
    expect((await ask('listQueues', { repo: named })).json.queues).toHaveLength(1);
  }
  expect((await ask('getQueue', on(repo))).json.enqueuedPullRequests).toMatchObject([{ prNumber: 1 }]);
  expect((await ask('deleteQueue', on({ ...repo, name: 'other' }))).status).toBe(200);
  expect((await ask('cancelPullRequest', { ...on(repo), ...pr(1) })).status).toBe(200);
  expect((await ask('deleteQueue', on(repo))).status).toBe(200);
  expect((await ask('getQueue', on(inHost))).json.code).toBe('QUEUE_NOT_FOUND');
});

test('a list of all queues names a repository as its host does, and shows nothing else of it', async () => {
  const { ask } = await world();
  await ask('createQueue', on(inCapitals));

  const { json, text } = await ask('listQueues');
  expect(json.queues).toMatchObject([{ repo: inHost }]);
  expect(text).not.toMatch(/4711|ignoresCase/);
});

test('two requests at the same time, in two spellings, create one queue', async () => {
  const { ask } = await world();
  const answers = await Promise.all(spellings.map((named) => ask('createQueue', on(named))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
});

test('a token limited to a repository may use it in every letter case, and no other repository', async () => {
  const { ask, tokenFor } = await world();
  await ask('createQueue', on(inHost));
  await ask('createQueue', { ...on(inHost), targetBranch: 'none' });
  for (const limit of spellings) {
    const token = await tokenFor([limit]);
    for (const named of spellings) expect((await ask('getQueue', on(named), token)).status).toBe(200);
    expect((await ask('listQueues', {}, token)).json.queues).toHaveLength(1);
    expect((await ask('getQueue', on({ ...repo, name: 'gadgets' }), token)).status).toBe(403);
  }
  const token = await tokenFor([{ ...repo, name: 'gadgets' }]);
  for (const named of spellings) expect((await ask('getQueue', on(named), token)).status).toBe(403);
  expect((await ask('listQueues', {}, token)).json.queues).toEqual([]);
});

test('webhooks and readers of events that name a repository in another letter case follow its queue', async () => {
  const { mq, ask, tokenFor } = await world();
  await ask('createQueue', on(inHost));
  const token = await tokenFor([inCapitals]);
  for (const named of spellings) {
    const made = await ask('createWebhook', { url: 'https://receiver.example', repo: named }, token);
    expect([made.status, made.json.repo?.owner.toLowerCase()]).toEqual([200, 'acme']);
    expect(made.text).not.toMatch(/ignoresCase/);
  }
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const steps = mq.follow({ repo: inCapitals, signal: over.signal })[Symbol.asyncIterator]();
  expect((await steps.next()).value).toMatchObject({ type: 'started' });
  await ask('submitPullRequest', { ...on(repo), ...pr(1) });
  expect((await steps.next()).value).toMatchObject({ type: 'row', queue: { repo: inHost } });
});

test('hints and commands from the host reach the queue, whatever letter case they name the repository in', async () => {
  const { mq, repository, clock, ask } = await world();
  await ask('createQueue', on(repo));
  for (const [index, named] of [inCapitals, repo].entries()) {
    const comment = repository.discussion.comment(index + 1, '/mq merge', ada);
    await mq.notice({ repo: named, what: 'comment', pr: index + 1, comment });
    await mq.notice({ repo: named, what: 'comment', pr: index + 1, comment });
    await clock.advance(10_000);
    await mq.settled();
  }
  const { json } = await ask('getQueue', on(repo));
  const waiting = [...json.enqueuedPullRequests, ...json.notReadyPullRequests];
  expect(waiting.map(({ prNumber }: { prNumber: number }) => prNumber).sort()).toEqual([1, 2]);
});

test('a pull request lands in a repository that was named in another letter case', async () => {
  const { mq, host, repository, clock, ask } = await world();
  const running = mq.start();
  onTestFinished(() => running.close());
  await ask('createQueue', on(inCapitals));
  await ask('submitPullRequest', { ...on(repo), ...pr(1) });
  await clock.advance(1_000);
  await mq.settled();
  const [candidate] = host.snapshot()[0]?.candidates ?? [];
  repository.ci.finish(candidate!.runId, 'test', 'success');
  await clock.advance(1_000);
  await mq.settled();
  expect((await ask('getSubmittedPullRequest', { ...on(inHost), ...pr(1) })).json.state).toBe('merged');
});

test('at a host that does not ignore letter case, another spelling is another repository', async () => {
  const { ask, tokenFor } = await world({ ignoresCase: false });
  expect((await ask('createQueue', on(inHost))).status).toBe(200);
  for (const named of [repo, inCapitals]) {
    expect((await ask('createQueue', on(named))).json.code).toBe('REPOSITORY_NOT_FOUND');
    expect((await ask('getQueue', on(named))).json.code).toBe('QUEUE_NOT_FOUND');
  }
  expect((await ask('getQueue', on(inHost), await tokenFor([repo]))).status).toBe(403);
});

test('a public queue is read without a token in every letter case, and a private one beside it in none', async () => {
  const { ask, repository } = await world();
  repository.createBranch('next', 'main');
  await ask('createQueue', { ...on(inCapitals), publicRead: true });
  await ask('createQueue', { ...on(repo), targetBranch: 'next' });
  for (const named of spellings) {
    const read = async (targetBranch: string) =>
      (await ask('getQueueSnapshot', { repo: named, targetBranch }, null)).status;
    expect([await read('main'), await read('next')]).toEqual([200, 401]);
  }
});

test('a letter that becomes another one in lower case elsewhere names no repository of the host and of no token', async () => {
  const { ask, tokenFor } = await world();
  await ask('createQueue', on(inHost));
  const token = await tokenFor([inHost]);
  for (const name of ['W\u0130DGETS', 'w\u0131dgets', 'widget\u017f', 'ｗidgets']) {
    expect((await ask('createQueue', on({ ...repo, name }))).json.code).toBe('REPOSITORY_NOT_FOUND');
    expect((await ask('getQueue', on({ ...repo, name }), token)).status).toBe(403);
  }
});
