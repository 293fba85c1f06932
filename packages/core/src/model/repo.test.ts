import { expect, test } from 'vitest';
import { isRepoName, isRepoOwner } from './repo.js';

test.each(['widgets', '.github', 'a.b-c_d', 'node', 'C++', 'wïdgets-部品', '100%', '-c', '...'])(
  '%s is the name of a repository',
  (name) => {
    expect(isRepoName(name)).toBe(true);
  },
);

test.each([
  '',
  '.',
  '..',
  '%2e%2e',
  '%252E.',
  '．．',
  '\u2025',
  'a/b',
  'a/../b',
  'a%2fb',
  'a／b',
  'a∕b',
  '..\\a',
])('%j is no name of a repository', (name) => {
  expect(isRepoName(name)).toBe(false);
});

test('an owner is one group or several, none of them empty or a folder above', () => {
  expect(['acme', 'acme/platform/tools', 'a"b\\c'].map(isRepoOwner)).toEqual([true, true, true]);
  expect(['', '/acme', 'acme/', 'acme//tools', 'acme/..', '..'].map(isRepoOwner)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});
