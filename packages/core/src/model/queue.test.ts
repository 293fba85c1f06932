import { aQueue, aRepo, BUILT_AT, queueIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { theQueue } from './actor.js';
import { mayBegin, mayFinish, mayLand } from './gates.js';
import { newQueue } from './new-queue.js';
import { noTrust, type QueueStatus, queueStatuses, statusOf } from './queue.js';
import { isSameRepo, repoKey } from './repo.js';
import { requiredChecksOf } from './required-checks.js';
import { defaultSettings } from './settings.js';

describe('the status of a queue', () => {
  test('the status of a queue is the requested one', () => {
    expect(statusOf({ wanted: 'running', nextMode: null })).toBe('running');
    expect(statusOf({ wanted: 'draining', nextMode: null })).toBe('draining');
  });

  test('a change of mode takes precedence over any status but a pause', () => {
    expect(statusOf({ wanted: 'running', nextMode: 'parallel' })).toBe('switching_modes');
    expect(statusOf({ wanted: 'draining', nextMode: 'parallel' })).toBe('switching_modes');
    expect(statusOf({ wanted: 'paused', nextMode: 'parallel' })).toBe('paused');
  });

  test('the status of a queue determines what can start, be retried and land', () => {
    const gates = (status: QueueStatus) => [mayBegin(status), mayFinish(status), mayLand(status)];

    expect(Object.fromEntries(queueStatuses.map((status) => [status, gates(status)]))).toEqual({
      running: [true, true, true],
      paused: [false, false, false],
      draining: [false, true, true],
      switching_modes: [false, true, true],
    });
  });
});

describe('the required checks', () => {
  const target = { ...aQueue().target, requiredChecks: ['rule'] };
  const override = (requiredStatuses: readonly string[] | null) => ({
    ...defaultSettings,
    requiredStatuses: requiredStatuses && [...requiredStatuses],
  });

  test('required checks are those of the queue, else those of the branch', () => {
    expect(requiredChecksOf({ settings: override(['own']), target })).toEqual({
      names: ['own'],
      source: 'merge_instance',
    });
    expect(requiredChecksOf({ settings: override([]), target })).toEqual({
      names: [],
      source: 'merge_instance',
    });
  });

  test('required checks are those of the branch if the queue has none', () => {
    expect(requiredChecksOf({ settings: override(null), target })).toEqual({
      names: ['rule'],
      source: 'repo_provider_branch_protection',
    });
  });

  test('required checks are unknown if neither queue nor branch names any', () => {
    expect(
      requiredChecksOf({ settings: override(null), target: { ...target, requiredChecks: null } }),
    ).toBeNull();
    expect(
      requiredChecksOf({ settings: override(null), target: { ...target, requiredChecks: [] } }),
    ).toBeNull();
  });
});

test('a new queue has the given and default settings, no submissions, and all polls due', () => {
  const given = {
    id: queueIdOf(3),
    repo: aRepo,
    branch: 'main',
    settings: { concurrency: 9 },
    wanted: 'paused',
    statusReason: null,
    target: aQueue().target,
    createdBy: theQueue,
    now: BUILT_AT,
  } as const;
  const poll = { asked: null, upTo: null, askedAt: BUILT_AT, dueAt: BUILT_AT, again: false };

  expect(newQueue(given)).toEqual({
    id: queueIdOf(3),
    repo: aRepo,
    branch: 'main',
    settings: { ...defaultSettings, concurrency: 9, bisectionConcurrency: 9 },
    isBisectionConcurrencySet: false,
    cancelsPending: false,
    settingsVersion: 1,
    wanted: 'paused',
    statusReason: null,
    askedFor: null,
    nextMode: null,
    lastBeforeParallel: null,
    target: aQueue().target,
    goneFrom: null,
    tipTrust: noTrust(aQueue().target.head),
    groundTrust: [],
    isTipInDoubt: false,
    infrastructureFailure: null,
    landing: null,
    landAfter: null,
    landsSingly: false,
    notUnderstood: [],
    reportedChecks: [],
    lastSuccesses: {},
    polls: { branch: poll, pullRequests: poll, checks: poll },
    hostTrouble: null,
    standstills: [],
    movingBase: null,
    adaptation: { concurrency: 20, loweredAt: null, batchSize: null, failureRate: null },
    testDurations: [],
    refusedLanding: null,
    lastPlace: 0,
    receipts: { count: 0, hash: null },
    sequence: 0,
    createdAt: BUILT_AT,
    createdBy: theQueue,
    decidedAt: BUILT_AT,
    deletedAt: null,
  });
});

test('two repositories are equal only if host, owner and name are', () => {
  expect(isSameRepo(aRepo, { ...aRepo })).toBe(true);
  for (const part of ['host', 'owner', 'name'] as const)
    expect(isSameRepo(aRepo, { ...aRepo, [part]: 'x' })).toBe(false);
  expect(repoKey({ host: 'h', owner: 'a/b', name: 'c' })).not.toBe(
    repoKey({ host: 'h', owner: 'a', name: 'b/c' }),
  );
});

test('a repository of a host that ignores letter case is one in every letter case of ASCII, and its host is not', () => {
  const one = { host: 'h', owner: 'acme', name: 'widgets', ignoresCase: true } as const;
  const same = { ...one, owner: 'Acme', name: 'WIDGETS' };
  expect([repoKey(same), isSameRepo(same, one)]).toEqual([repoKey(one), true]);
  expect(isSameRepo({ host: 'h', owner: 'ACME', name: 'widgets' }, one)).toBe(true);
  for (const other of [
    { ...one, host: 'H' },
    { ...one, name: 'other' },
    { ...one, name: 'w\u0131dgets' },
  ])
    expect([repoKey(other) === repoKey(one), isSameRepo(other, one)]).toEqual([false, false]);
  // Lower-case letters of other alphabets may be two repositories.
  expect(isSameRepo({ ...one, name: '\u212a' }, { ...one, name: 'k' })).toBe(false);
});
