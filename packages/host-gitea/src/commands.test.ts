import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { GiteaApi } from './api.js';
import { giteaCommands } from './commands.js';

const repo = { host: 'forge', owner: 'team', name: 'app' };
const PATH = '/repos/team/app';
const START = Date.parse('2026-11-26T10:00:00Z');
const isoAt = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A host that answers by a function: a status, or what is sent with 200. */
const commandsOf = async (answer: (asked: Asked) => unknown) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://host');
    const path = pathname.replace('/api/v1', '');
    asked.push(path);
    const given = answer({ path, query });
    response.statusCode = typeof given === 'number' ? given : 200;
    response.end(typeof given === 'number' ? '{}' : JSON.stringify(given));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = new GiteaApi({ url, token: () => 'token', stop: new AbortController().signal });
  const presence = { ownAccount: vi.fn(), createComment: vi.fn() };
  return { commands: giteaCommands({ api, pathOf: async () => PATH }, presence), asked };
};

afterEach(() => void vi.useRealTimers());

const user = { id: 7, login: 'ada' };
const commentAt = (id: number, seconds: number, editedAfter = 0): object => ({
  ...{ id, user, body: `comment ${id}`, pull_request_url: `https://host/team/app/pulls/${id}` },
  ...{ created_at: isoAt(seconds), updated_at: isoAt(seconds + editedAfter) },
});
const pageOf = <Item>(all: readonly Item[], query: URLSearchParams): readonly Item[] => {
  const [limit, page] = [Number(query.get('limit')), Number(query.get('page'))];
  return all.slice((page - 1) * limit, page * limit);
};

test('comments beyond a page of the host are read as far as needed, and come by their last change', async () => {
  const editedAfter = [60, 200];
  const all = Array.from({ length: 500 }, (_, index) => commentAt(index + 1, index, editedAfter[index]));
  const { commands, asked } = await commandsOf(({ query }) => pageOf(all, query));
  const found = await commands.commentsSince(repo, START);
  const ids = found.map(({ comment }) => Number(comment.id));
  expect([ids.length, ids.slice(0, 2), ids.slice(58, 61)]).toEqual([100, [3, 4], [1, 61, 62]]);
  expect(asked.length).toBe(3);
});

test('comments of issues and unreadable comments do not hide those of a pull request', async () => {
  const ofIssue = { ...commentAt(1, 0), pull_request_url: '' };
  const all = [ofIssue, null, { id: 'x' }, { ...commentAt(2, 1), user: null }, commentAt(3, 2)];
  const { commands } = await commandsOf(({ query }) => pageOf(all, query));
  const found = await commands.commentsSince(repo, START);
  expect(found.map(({ pr, comment }) => [pr, comment.author.name])).toEqual([
    [2, 'Ghost'],
    [3, 'ada'],
  ]);
});

const labelled = (id: number, seconds: number): object => ({
  ...{ type: 'label', id, user, body: '1', label: { name: 'land it' }, created_at: isoAt(seconds) },
});

test('the timeline of a pull request that did not change is not read once more', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let updated = 0;
  const timelines = new Map<string, readonly object[]>([[`${PATH}/issues/1/timeline`, [labelled(5, 0)]]]);
  const { commands, asked } = await commandsOf(({ path }) =>
    path === `${PATH}/pulls`
      ? [
          { number: 1, updated_at: isoAt(updated) },
          { number: 2, updated_at: isoAt(0) },
        ]
      : (timelines.get(path) ?? 500),
  );
  const poll = async () => {
    vi.setSystemTime(Date.now() + 30_000);
    const before = asked.length;
    const events = await commands.labelEventsSince(repo, START);
    const ofOne = asked.slice(before).filter((path) => path.startsWith(`${PATH}/issues/1/`)).length;
    return [events.map(({ id }) => id), ofOne];
  };
  expect([await poll(), await poll(), await poll()]).toEqual([
    [['5'], 1],
    [['5'], 1],
    [['5'], 0],
  ]);
  updated = 90;
  timelines.set(`${PATH}/issues/1/timeline`, [labelled(5, 0), labelled(6, 90)]);
  expect(await poll()).toEqual([['5', '6'], 1]);
});

test('a role is that of the account with the id, also once it was renamed or its name was taken by another', async () => {
  const roles: Readonly<Record<string, object>> = {
    ada: { permission: 'admin', user: { id: 8, login: 'ada' } },
    'ada-2': { permission: 'write', user: { id: 7, login: 'ada-2' } },
  };
  const { commands } = await commandsOf(({ path, query }) => {
    const name = /collaborators\/([^/]+)\/permission$/.exec(path)?.[1];
    if (name !== undefined) return roles[name] ?? 404;
    return { data: query.get('uid') === '7' ? [{ id: 7, login: 'ada-2' }] : [] };
  });
  const of = (id: string, name: string) => commands.permissionOf(repo, { id, name, isBot: false });
  expect([await of('7', 'ada'), await of('8', 'ada'), await of('9', 'ada'), await of('-1', 'Ghost')]).toEqual(
    [...['write', 'admin', 'none', 'none']],
  );
});

test('a role that the host does not answer, or does not know, is none', async () => {
  for (const given of [403, { permission: 'emperor', user }]) {
    const { commands } = await commandsOf(() => given);
    expect(await commands.permissionOf(repo, { id: '7', name: 'ada', isBot: false })).toBe('none');
  }
});

test('when a head was pushed is not known while the timeline shows another push as the last one', async () => {
  const head = 'b'.repeat(40);
  const pushed = (commits: readonly string[], seconds: number): object => ({
    ...{ type: 'pull_push', body: JSON.stringify({ commit_ids: commits }), created_at: isoAt(seconds) },
  });
  const pushedAt = async (timeline: readonly object[] | null) => {
    const { commands } = await commandsOf(({ path }) =>
      path.endsWith('/timeline') ? timeline : { user, head: { sha: head }, created_at: isoAt(0) },
    );
    return (await commands.originOf({ repo, pr: 1 }))?.pushedAt;
  };
  const other = 'a'.repeat(40);
  expect([
    await pushedAt(null),
    await pushedAt([pushed([other], 5)]),
    await pushedAt([pushed([other], 5), pushed([other, head], 9)]),
    await pushedAt([{ type: 'pull_push', body: 'no JSON', created_at: isoAt(5) }]),
  ]).toEqual([START, null, START + 9_000, null]);
});
