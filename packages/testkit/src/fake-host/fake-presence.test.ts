import { COMMENTS_PER_READ, HostError, type Sha } from '@mq/core';
import { expect, test } from 'vitest';
import { personNamed, QUEUE_ACCOUNT } from './fake-discussion.js';
import { fakeHost } from './fake-host.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const one = { repo, pr: 1 };
const world = () => {
  const { presence, createRepository } = fakeHost({ clock: { now: () => 7 } });
  const repository = createRepository({ ref: repo });
  repository.openPullRequest({ number: 1, labels: ['bug'] });
  return { presence, repository };
};

test('comments of people and of the queue stand in one discussion, each with its author', async () => {
  const { presence, repository } = world();
  repository.discussion.comment(1, '/mq merge', personNamed('ada'));
  await presence.createComment(one, 'Waiting.');

  expect(await presence.listComments(one)).toEqual({
    comments: [
      { id: '1', author: personNamed('ada'), body: '/mq merge', createdAt: 7, editedAt: null },
      { id: '2', author: QUEUE_ACCOUNT, body: 'Waiting.', createdAt: 7, editedAt: null },
    ],
    next: null,
  });
});

test('the queue edits and removes its own comments, and those of people stay as they are', async () => {
  const { presence, repository } = world();
  const { id: foreign } = repository.discussion.comment(1, 'Hello.');
  const { id } = await presence.createComment(one, 'Waiting.');

  expect(await presence.editComment(one, foreign, 'Changed.')).toBeNull();
  expect(await presence.editComment(one, id, 'Testing.')).toMatchObject({ body: 'Testing.', editedAt: 7 });
  await presence.removeComment(one, foreign);
  await presence.removeComment(one, id);
  await presence.removeComment(one, id);

  expect(repository.discussion.of(1).map(({ body }) => body)).toEqual(['Hello.']);
});

test('a long discussion is read in pages, oldest first', async () => {
  const { presence, repository } = world();
  for (let n = 0; n <= COMMENTS_PER_READ; n += 1) repository.discussion.comment(1, `comment ${n}`);

  const first = await presence.listComments(one);
  expect(first.comments).toHaveLength(COMMENTS_PER_READ);
  const { comments, next } = await presence.listComments(one, first.next!);
  expect([comments.map(({ body }) => body), next]).toEqual([[`comment ${COMMENTS_PER_READ}`], null]);
});

test('a later status of the same name replaces the earlier one, on one commit', async () => {
  const { presence, repository } = world();
  const head = repository.pulls.get(1)!.head;
  const status = { name: 'Merge Queue (main)', description: 'Waiting.', url: null };
  await presence.setStatus(repo, head, { ...status, state: 'pending' });
  await presence.setStatus(repo, head, { ...status, state: 'success' });

  expect(await presence.getStatus(repo, head, status.name)).toEqual({ ...status, state: 'success' });
  expect(await presence.getStatus(repo, head, 'other')).toBeNull();
});

test('labels are added and removed, and others stay', async () => {
  const { presence, repository } = world();
  await presence.changeLabels(one, { add: ['mq: testing'], remove: [] });
  await presence.changeLabels(one, { add: ['mq: merged'], remove: ['mq: testing', 'unknown'] });

  expect(await presence.getLabels(one)).toEqual(['bug', 'mq: merged']);
  expect(repository.pulls.get(1)?.labels).toEqual(['bug', 'mq: merged']);
});

test('a pull request or commit that does not exist is refused for good, and nothing is written', async () => {
  const { presence, repository } = world();
  const calls = [
    presence.createComment({ repo, pr: 2 }, 'Hello.'),
    presence.getLabels({ repo, pr: 2 }),
    presence.setStatus(repo, 'a'.repeat(40) as Sha, {
      name: 'x',
      state: 'pending',
      description: '',
      url: null,
    }),
  ];
  for (const call of calls) await expect(call).rejects.toMatchObject({ retry: 'never', reach: null });
  await expect(presence.createComment(one, 'x'.repeat(70_000))).rejects.toBeInstanceOf(HostError);
  expect(repository.discussion.writes).toEqual([]);
});
