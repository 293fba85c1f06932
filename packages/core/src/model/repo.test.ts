import { expect, test } from 'vitest';
import { isRepoName, isRepoOwner } from './repo.js';

test.each(['widgets', '.github', 'a.b-c_d', 'node', 'C++'])('%s is the name of a repository', (name) => {
  expect(isRepoName(name)).toBe(true);
});

test.each(['', '.', '..', '%2e%2e', '．．', 'a/b', 'a\\b', 'a b', 'а', 'a\u0000', '…'])(
  '%j is no name of a repository',
  (name) => {
    expect(isRepoName(name)).toBe(false);
  },
);

test('an owner is one group or several, none of them empty or a folder above', () => {
  expect(['acme', 'acme/platform/tools'].map(isRepoOwner)).toEqual([true, true]);
  expect(['', '/acme', 'acme/', 'acme//tools', 'acme/..', '..'].map(isRepoOwner)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});
