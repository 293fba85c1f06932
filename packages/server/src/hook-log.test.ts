import { expect, test } from 'vitest';
import { hookLog } from './hook-log.js';

const repo = { host: 'forge', owner: 'Team', name: 'App' };

test('webhooks that were refused since the last accepted one are a finding with their number', () => {
  const log = hookLog();
  expect(log.findings()).toEqual([]);
  log.refuse();
  log.refuse();
  expect(log.findings()).toMatchObject([
    { code: 'HOST_WEBHOOK_REFUSED', sentence: expect.stringMatching(/^2 webhooks/) },
  ]);
  log.accept(repo);
  expect(log.findings()).toEqual([]);
});

test('a repository is known by its last webhook in any case of letters', () => {
  const log = hookLog(() => 7);
  log.accept(repo);
  expect(log.acceptedAt({ host: 'forge', owner: 'team', name: 'app' })).toBe(7);
  expect(log.acceptedAt({ host: 'forge', owner: 'team', name: 'other' })).toBeNull();
});

test('owners whose webhooks are ignored are a finding that names them once, in whatever letter case they come', () => {
  const log = hookLog();
  for (const owner of ['Others', 'others', 'a\u0007b', 'more']) log.ignore(owner);
  expect(log.findings()).toMatchObject([
    { code: 'HOST_OWNER_NOT_SERVED', sentence: expect.stringMatching(/: Others, more\.$/) },
  ]);
});

test('a flood of owners that are not served is cut, and says so', () => {
  const log = hookLog();
  for (let index = 0; index < 100_000; index += 1) log.ignore(`owner-${index}`);
  expect(log.findings()).toMatchObject([{ sentence: expect.stringMatching(/owner-19 and others\.$/) }]);
});
