import { aPullRequest, aSubmission, effectIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  answerTo,
  aQuietQueue,
  aTestedSubmission,
  decided,
  type Given,
  NOW,
} from '../../../test/rules.js';
import type { Fact } from '../../model/input.js';
import type { PullRequest } from '../../model/pull-request.js';

const quiet = aQuietQueue({}, { wanted: 'paused' });
const asking = { asked: effectIdOf(1), upTo: null, askedAt: NOW - 5, again: false, dueAt: NOW };
const queue = { ...quiet, polls: { ...quiet.polls, pullRequests: asking } };
const shown = (world: Given, ...pulls: readonly PullRequest[]) => {
  const fact: Fact = { ...answerTo(1), type: 'pull_requests_seen', pulls, missing: [] };
  return decided({ queue, ...world }, [fact]);
};

describe('pull requests that are not what was submitted', () => {
  test('the queue reads the target at once when a pull request was merged by hand, and not when it was closed', () => {
    const dueAt = (override: Partial<PullRequest>) =>
      shown({ submissions: [aTestedSubmission(1)] }, aPullRequest(1, { readAt: NOW, ...override })).queue
        .polls.branch.dueAt;

    expect(dueAt({ state: 'merged', merged: { branch: 'main', commit: shaOf(9) } })).toBe(NOW);
    expect(dueAt({ state: 'closed' })).toBe(quiet.polls.branch.dueAt);
  });

  test('the queue cancels a pull request as merged elsewhere when the host does not name the branch', () => {
    const pull = aPullRequest(1, { readAt: NOW, state: 'merged', merged: null });

    expect(shown({ submissions: [aTestedSubmission(1)] }, pull).pr(1)).toMatchObject({
      state: 'cancelled',
      reason: 'PR_MERGED_INTO_OTHER_BRANCH',
    });
  });

  test('the queue cancels a pull request for its last known state, also while the host does not show it', () => {
    const { head } = aPullRequest(1);
    const reasonOf = (shown: Partial<PullRequest>) => {
      const missing = { missingSince: NOW - 1, head, pull: aPullRequest(1, shown) };
      return decided({ queue, submissions: [aTestedSubmission(1, missing)] }).pr(1).reason;
    };

    const merged = { branch: 'main', commit: shaOf(9) };
    expect(reasonOf({ state: 'merged', merged })).toBe('MANUAL_MERGE');
    expect(reasonOf({ state: 'closed' })).toBe('PR_CLOSED');
    expect(reasonOf({ head: shaOf(9) })).toBe('PR_PUSHED_TO');
  });

  test('the queue keeps a pull request that is missing for a moment', () => {
    const missing = aSubmission(1, { missingSince: NOW - 1 });

    expect(decided({ queue, submissions: [missing] }).pr(1)).toMatchObject({
      state: 'pending',
      head: missing.head,
    });
  });

  test.each([
    ['what the queue landed before', shaOf(8), 'NOTHING_TO_LAND'],
    ['another client', shaOf(9), 'MANUAL_MERGE'],
  ])('the queue ends a pull request that is shown merged as by %s with that reason', (_, commit, reason) => {
    const landed = { commit: shaOf(8), tree: 'tree', head: shaOf(8), at: NOW - 9 };
    const again = aTestedSubmission(1, { attempt: 2, landed });
    const merged = aPullRequest(1, { readAt: NOW, state: 'merged', merged: { branch: 'main', commit } });

    expect(shown({ submissions: [again] }, merged).moves(1)).toEqual([`testing>merged ${reason}`]);
  });

  test('members of one batch leave one after the other', () => {
    const submissions = [1, 2].map((pr) => aTestedSubmission(pr, { batch: 1 }));
    const pushed = [1, 2].map((pr) => aPullRequest(pr, { readAt: NOW, head: shaOf(5) }));
    const outcome = shown({ submissions, runs: [aBatchRun([1, 2])] }, ...pushed);

    expect(outcome.moves(1)).toEqual(['testing>cancelled PR_PUSHED_TO']);
    expect(outcome.moves(2)).toEqual([
      'testing>pending PREREQUISITE_MERGE_ITEM_CANCELLED',
      'pending>cancelled PR_PUSHED_TO',
    ]);
  });

  test('the queue notices a change that a replica with a fast clock has read before', () => {
    const early = shown(
      { submissions: [aTestedSubmission(1)], runs: [aBatchRun([1])] },
      aPullRequest(1, { readAt: NOW + 86_400_000, mergeabilityReason: 'ahead' }),
    ).pr(1);
    const next = shown(
      { submissions: [early], runs: [aBatchRun([1])] },
      aPullRequest(1, { state: 'closed', readAt: NOW }),
    );

    expect(early.pull).toMatchObject({ readAt: NOW, mergeabilityReason: 'ahead' });
    expect(next.pr(1).state).toBe('cancelled');
  });
});
