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
