import { aPullRequest, aQueue, aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { PullRequest } from './pull-request.js';
import { readinessOf, unreadiness } from './readiness.js';
import { defaultSettings, type QueueMode } from './settings.js';

const queueIn = (mode: QueueMode) => aQueue({ settings: { ...defaultSettings, mode } });
const lacks = (pull: Partial<PullRequest>, forceEnqueued = false) =>
  unreadiness(queueIn('single'), aSubmission(1, { pull: aPullRequest(1, pull), forceEnqueued }), null);

describe('readiness', () => {
  test('nothing keeps back an open pull request that can be merged into this branch', () => {
    expect(lacks({})).toBeNull();
  });

  test.each<[string, Partial<PullRequest>]>([
    ['reopening', { state: 'closed' }],
    ['base_branch', { base: 'next' }],
    ['ready_for_review', { draft: true }],
    ['mergeable', { mergeability: 'not_mergeable' }],
    ['mergeability_unknown', { mergeability: 'in_progress' }],
    ['mergeability_unknown', { mergeability: 'unspecified' }],
  ])('%s is waited for', (code, pull) => {
    expect(lacks(pull)).toBe(code);
  });

  test('the cause that everything else depends on is named first', () => {
    const all = { state: 'closed', base: 'next', draft: true, mergeability: 'not_mergeable' } as const;

    expect(lacks(all)).toBe('reopening');
    expect(lacks({ ...all, state: 'open' })).toBe('base_branch');
    expect(lacks({ ...all, state: 'open', base: 'main' })).toBe('ready_for_review');
  });

  test('force skips what the host says of merging, and nothing else', () => {
    expect(lacks({ mergeability: 'not_mergeable' }, true)).toBeNull();
    expect(lacks({ base: 'next' }, true)).toBe('base_branch');
    expect(lacks({ draft: true }, true)).toBe('ready_for_review');
    expect(lacks({ state: 'closed' }, true)).toBe('reopening');
  });

  test('only a queue in parallel mode waits for impacted targets', () => {
    expect(unreadiness(queueIn('parallel'), aSubmission(1), null)).toBe('impacted_targets');
    expect(unreadiness(queueIn('parallel'), aSubmission(1, { forceEnqueued: true }), null)).toBe(
      'impacted_targets',
    );
    expect(unreadiness(queueIn('parallel'), aSubmission(1), [])).toBeNull();
  });

  test('whoever came before the queue was parallel waits for none', () => {
    const since = { ...queueIn('parallel'), lastBeforeParallel: 10 };
    const lack = (submittedRank: number) => unreadiness(since, aSubmission(1, { submittedRank }), null);

    expect(lack(10)).toBeNull();
    expect(lack(11)).toBe('impacted_targets');
  });

  test('is shown fact by fact', () => {
    expect(readinessOf(queueIn('single'), aSubmission(1), ['//a'])).toEqual({
      requiresImpactedTargets: false,
      hasImpactedTargets: false,
      doesBaseBranchMatch: true,
      hostMergeability: 'mergeable',
    });
    expect(readinessOf(queueIn('parallel'), aSubmission(1), [])).toMatchObject({
      requiresImpactedTargets: true,
      hasImpactedTargets: true,
    });
    const pull = aPullRequest(1, { base: 'next', mergeability: 'in_progress' });
    expect(readinessOf(queueIn('parallel'), aSubmission(1, { pull }), null)).toMatchObject({
      hasImpactedTargets: false,
      doesBaseBranchMatch: false,
      hostMergeability: 'in_progress',
    });
  });
});
