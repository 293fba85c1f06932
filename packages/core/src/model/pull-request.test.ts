import { aPullRequest, shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { isSameShown, notOfTomorrow, type PullRequest } from './pull-request.js';

const others: Omit<PullRequest, 'readAt'> = {
  number: 2,
  title: 'Another title',
  body: 'Another text',
  author: 'zoe',
  authorIdentity: 'Zoe <zoe@example.org>',
  url: 'https://example.com/2',
  head: shaOf(99),
  headBranch: 'another',
  base: 'next',
  state: 'merged',
  merged: { branch: 'main', commit: shaOf(98) },
  draft: true,
  fork: true,
  labels: ['another'],
  mergeability: 'not_mergeable',
  mergeabilityReason: 'It is blocked.',
  conflicts: true,
};

test('two reads of a pull request are equal if only their times differ', () => {
  const pull = aPullRequest(1, { labels: ['a'], merged: { branch: 'main', commit: shaOf(1) } });

  expect(isSameShown(pull, { ...structuredClone(pull), readAt: pull.readAt + 1 })).toBe(true);
});

test.each(Object.keys(others) as (keyof typeof others)[])('a read with another %s differs', (field) => {
  expect(isSameShown(aPullRequest(1), { ...aPullRequest(1), [field]: others[field] })).toBe(false);
});

test('a read with other labels of the same number differs', () => {
  expect(isSameShown(aPullRequest(1, { labels: ['a'] }), aPullRequest(1, { labels: ['b'] }))).toBe(false);
});

test('the time of a read is capped at the current time', () => {
  const [past, ahead] = [aPullRequest(1, { readAt: 5 }), aPullRequest(1, { readAt: 9 })];

  expect([past, ahead].map((pull) => notOfTomorrow(pull, 7).readAt)).toEqual([5, 7]);
});
