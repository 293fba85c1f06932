import { aMember, aPullRequest, aRun, aSubmission, BUILT_AT, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { idOf, isSha, type TestRunId } from './ids.js';
import { priorityName } from './priority.js';
import { mayStillLand, type PullRequest } from './pull-request.js';
import { memberKey, remainingMembers, takesSlot } from './run.js';
import {
  isAdmitted,
  isLive,
  isUrgent,
  liveStates,
  moves,
  submissionStates,
  terminalStates,
} from './submission.js';

describe('a submission', () => {
  test('a submission is live in the states that it can leave', () => {
    const live = submissionStates.filter((state) => isLive(aSubmission(1, { state })));

    expect(live).toEqual(liveStates);
    expect(submissionStates.filter((state) => moves[state].length === 0)).toEqual(terminalStates);
  });

  test('a submission never returns to not_ready', () => {
    expect(Object.values(moves).flat()).not.toContain('not_ready');
  });

  test('a submission is admitted in every live state but not_ready', () => {
    const admitted = submissionStates.filter((state) => isAdmitted(aSubmission(1, { state })));

    expect(admitted).toEqual(liveStates.slice(1));
  });

  test('a submission is urgent by priority or skipTheLine', () => {
    expect(isUrgent(aSubmission(1))).toBe(false);
    expect(isUrgent(aSubmission(1, { priority: { value: 0, named: true } }))).toBe(true);
    expect(isUrgent(aSubmission(1, { skipTheLine: true }))).toBe(true);
    expect(isUrgent(aSubmission(1, { priority: { value: 1, named: true } }))).toBe(false);
  });

  test.each([
    [0, 'urgent'],
    [1, 'high'],
    [10, 'high'],
    [11, 'medium'],
    [100, 'medium'],
    [101, 'low'],
    [255, 'low'],
  ])('a priority of %i is called %s', (value, name) => {
    expect(priorityName(value)).toBe(name);
  });
});

describe('a pull request may still land', () => {
  const wanted = { head: aPullRequest(1).head, branch: 'main', forced: false };
  const may = (override: Partial<PullRequest>, forced = false) =>
    mayStillLand(aPullRequest(1, override), { ...wanted, forced });

  test('a pull request can land while it is unchanged', () => {
    expect(may({})).toBe(true);
    expect(may({ mergeability: 'in_progress' })).toBe(true);
    expect(may({ mergeability: 'not_mergeable', conflicts: true })).toBe(true);
  });

  test.each<[string, Partial<PullRequest>]>([
    ['it is closed', { state: 'closed' }],
    ['it is merged', { state: 'merged' }],
    ['it is a draft', { draft: true }],
    ['its base was changed', { base: 'next' }],
    ['it was pushed to', { head: shaOf(9) }],
    ['the host says no', { mergeability: 'not_mergeable' }],
  ])('a pull request may still land but not once %s', (_, override) => {
    expect(may(override)).toBe(false);
  });

  test('a forced pull request can land although the host blocks it', () => {
    expect(may({ mergeability: 'not_mergeable' }, true)).toBe(true);
    expect(may({ draft: true }, true)).toBe(false);
  });
});

describe('a run', () => {
  test('a test run has the rest of its stack and its batch to land', () => {
    const run = aRun(3, { stack: [aMember(1), aMember(2)], batch: [aMember(3)], landed: [1] });

    expect(remainingMembers(run).map((member) => member.pr)).toEqual([2, 3]);
  });

  test('a test run uses a slot until its tests end or it is closed', () => {
    expect(takesSlot(aRun(1, { state: 'building' }))).toBe(true);
    expect(takesSlot(aRun(1, { state: 'testing' }))).toBe(true);
    expect(takesSlot(aRun(1, { state: 'ended' }))).toBe(false);
    expect(takesSlot(aRun(1, { closedAt: BUILT_AT }))).toBe(false);
  });

  test('a test run is about one attempt at one head', () => {
    const keys = [aMember(1), aMember(1, { attempt: 2 }), aMember(1, { head: shaOf(5) }), aMember(2)].map(
      memberKey,
    );

    expect(new Set(keys).size).toBe(4);
  });
});

describe('ids', () => {
  test('a commit id has 40 or 64 lower-case digits', () => {
    expect([isSha('a'.repeat(40)), isSha('0'.repeat(64))]).toEqual([true, true]);
    for (const text of ['a'.repeat(39), 'A'.repeat(40), `${'a'.repeat(40)}\n`, 'a'.repeat(50), ''])
      expect(isSha(text)).toBe(false);
  });

  test('the ids of a decision are distinct and in the form of UUIDs', () => {
    const seed = '01234567-89ab-4def-8123-456789abcdef';

    expect(idOf<TestRunId>(seed, 1)).toBe('01234567-89ab-4def-8123-456789ab0001');
    expect(idOf<TestRunId>(seed, 0xffff)).toBe('01234567-89ab-4def-8123-456789abffff');
    expect(() => idOf<TestRunId>(seed, 0x10000)).toThrow(RangeError);
  });
});
