import { aPullRequest, aQueue, aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { PullRequest } from './pull-request.js';
import { lacksOf, readinessOf } from './readiness.js';
import { defaultSettings, type QueueMode } from './settings.js';

const queueIn = (mode: QueueMode) => aQueue({ settings: { ...defaultSettings, mode } });
const lacks = (pull: Partial<PullRequest>, forceEnqueued = false) =>
  lacksOf(queueIn('single'), aSubmission(1, { pull: aPullRequest(1, pull), forceEnqueued }), null);

describe('readiness', () => {
  test('an open, mergeable pull request for this branch lacks nothing', () => {
    expect(lacks({})).toEqual([]);
  });

  test.each<[string, Partial<PullRequest>]>([
    ['reopening', { state: 'closed' }],
    ['base_branch', { base: 'next' }],
    ['ready_for_review', { draft: true }],
    ['mergeable', { mergeability: 'not_mergeable' }],
    ['mergeability_unknown', { mergeability: 'in_progress' }],
    ['mergeability_unknown', { mergeability: 'unspecified' }],
  ])('%s is waited for', (code, pull) => {
    expect(lacks(pull)).toEqual([code]);
  });

  test('everything that is missing is listed, most fundamental first', () => {
    const all = { state: 'closed', base: 'next', draft: true, mergeability: 'not_mergeable' } as const;

    expect(lacks(all)).toEqual(['reopening']);
    expect(lacks({ ...all, state: 'open' })).toEqual(['base_branch', 'ready_for_review']);
    expect(lacks({ ...all, state: 'open', base: 'main' })).toEqual(['ready_for_review']);
    expect(lacks({ ...all, state: 'open', base: 'main', draft: false })).toEqual(['mergeable']);

    const parallel = { ...queueIn('parallel'), target: { ...queueIn('parallel').target, exists: false } };
    const draft = aSubmission(1, { pull: aPullRequest(1, { draft: true }) });
    expect(lacksOf(parallel, draft, null)).toEqual(['target_branch', 'ready_for_review', 'impacted_targets']);
  });

  test('forceEnqueued skips only the mergeability of the host', () => {
    expect(lacks({ mergeability: 'not_mergeable' }, true)).toEqual([]);
    expect(lacks({ base: 'next' }, true)).toEqual(['base_branch']);
    expect(lacks({ draft: true }, true)).toEqual(['ready_for_review']);
    expect(lacks({ state: 'closed' }, true)).toEqual(['reopening']);
  });

  test('only a parallel queue requires impacted targets', () => {
    const forced = aSubmission(1, { forceEnqueued: true });
    expect(lacksOf(queueIn('parallel'), aSubmission(1), null)).toEqual(['impacted_targets']);
    expect(lacksOf(queueIn('parallel'), forced, null)).toEqual(['impacted_targets']);
    expect(lacksOf(queueIn('parallel'), aSubmission(1), [])).toEqual([]);
  });

  test('a pull request from before the queue was parallel needs no impacted targets', () => {
    const since = { ...queueIn('parallel'), lastBeforeParallel: 10 };
    const lacksSince = (submittedRank: number) => lacksOf(since, aSubmission(1, { submittedRank }), null);

    expect(lacksSince(10)).toEqual([]);
    expect(lacksSince(11)).toEqual(['impacted_targets']);
  });

  test('readiness lists its facts', () => {
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
