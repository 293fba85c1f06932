import { expect, test } from 'vitest';
import { describe } from './pulls.js';
import { branchShape, pullShape, pullsShape, repositoryShape, statusShape } from './shapes.js';

const HEAD = '1'.repeat(40);
const pull = {
  ...{
    number: 1,
    title: 'Add a lamp',
    body: 'It shines.',
    html_url: 'https://git.example.com/1',
    draft: false,
  },
  ...{
    state: 'open',
    merged: false,
    merge_commit_sha: null,
    user: { login: 'ada' },
    labels: [{ name: 'small' }],
  },
  base: { ref: 'main', sha: HEAD, repo_id: 1 },
  head: { ref: 'lamp', sha: HEAD, repo_id: 1 },
};

/** The field without a value, and left out. */
const without = (field: string): readonly object[] => {
  const { [field as 'title']: _left, ...rest } = pull;
  return [{ ...pull, [field]: null }, rest];
};

test('fields of a pull request that are new are ignored', () => {
  const read = pullShape.parse({ ...pull, invented: { later: [1] }, head: { ...pull.head, more: 7 } });
  expect(describe(read)).toEqual(describe(pullShape.parse(pull)));
});

test.each(['title', 'body', 'html_url', 'user', 'labels', 'draft', 'merge_commit_sha'])(
  'a pull request is read if its field %s is null or missing',
  (field) => {
    for (const given of without(field))
      expect(describe(pullShape.parse(given))).toMatchObject({ number: 1, state: 'open', head: HEAD });
  },
);

test.each(['number', 'state', 'merged', 'base', 'head'])(
  'a pull request is not guessed if its field %s is null or missing, and hides no other of the list',
  (field) => {
    for (const given of without(field)) {
      expect(pullShape.safeParse(given).success).toBe(false);
      expect(pullsShape.parse([given, pull, null])).toHaveLength(1);
    }
  },
);

test.each([
  ['with name and address', { full_name: 'Ada L', email: 'ada@x.org' }, 'Ada L <ada@x.org>'],
  ['by the login if there is no full name', { full_name: '', email: 'ada@x.org' }, 'ada <ada@x.org>'],
  ['without brackets in the name', { full_name: 'Ada <L>', email: 'ada@x.org' }, 'Ada  L <ada@x.org>'],
  ['without an address that is none', { full_name: 'Ada L', email: '' }, 'Ada L'],
  ['without an address that only this reader may see', { email: 'ada@x.org', active: true }, 'ada'],
  ['not at all if the account is deleted', { id: -1, email: 'ada@x.org' }, undefined],
])('the author of a pull request is named for commits %s', (_, person, identity) => {
  const read = describe(pullShape.parse({ ...pull, user: { id: 7, login: 'ada', ...person } }));
  expect(read).toMatchObject({ author: 'ada' });
  expect('authorIdentity' in read ? read.authorIdentity : undefined).toBe(identity);
});

test('a branch, a repository and a status are read with null or unknown fields, but not without required ones', () => {
  const commit = { id: HEAD };
  expect(branchShape.parse({ commit, status_check_contexts: null, new: 1 })).toMatchObject({ commit });
  expect(branchShape.safeParse({ commit: null }).success).toBe(false);
  const repository = { id: 1, full_name: 'team/app' };
  expect(repositoryShape.parse({ ...repository, object_format_name: null, new: 1 })).toMatchObject(
    repository,
  );
  expect(repositoryShape.safeParse({ full_name: 'team/app' }).success).toBe(false);
  const status = { id: 1, status: 'success', created_at: '2026-11-26T10:00:00Z' };
  expect(statusShape.parse({ ...status, context: null, target_url: null, new: 1 }).context).toBe('');
  expect(statusShape.safeParse({ ...status, created_at: null }).success).toBe(false);
});
