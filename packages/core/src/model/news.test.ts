import { aMember, anActor, aQueue, aSubmission, BUILT_AT, runIdOf, shaOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aLanding, anIsolation, aRunOn, failedBy } from '../../test/rules.js';
import { isElsewhereInLine, isOnlyFurther, newsOf, tellsOfLine } from './news.js';
import { type Queue, TIP_FRESH_MS } from './queue.js';
import type { Run } from './run.js';
import type { Submission, SubmissionState } from './submission.js';

describe('of a queue', () => {
  const decidedAt = BUILT_AT + 3_600_000;
  const { settings, target } = aQueue();
  const before = aQueue({ decidedAt, target: { ...target, readAt: decidedAt } });

  const patchOf = (field: keyof Queue, value: unknown) => ({ [field]: value }) as Partial<Queue>;

  test.each([
    ['settings', { ...settings, mode: 'parallel' }],
    ['wanted', 'paused'],
    ['nextMode', 'parallel'],
    ['landing', aLanding(aRunOn([1]))],
  ] as const)('another %s is news for the line, and so for the rules', (field, value) => {
    expect(newsOf(before, patchOf(field, value))).toEqual({ forRules: true, forLine: true });
  });

  test.each([
    ['statusReason', 'another'],
    ['lastBeforeParallel', runIdOf(1)],
    ['tipTrust', {}],
    ['groundTrust', {}],
    ['isTipInDoubt', !before.isTipInDoubt],
    ['machineryTrouble', 'another'],
    ['landAfter', decidedAt + 1],
    ['landsSingly', !before.landsSingly],
    ['deletedAt', decidedAt],
  ] as const)('another %s is news for the rules alone', (field, value) => {
    expect(newsOf(before, patchOf(field, value))).toEqual({ forRules: true, forLine: false });
  });

  test('neither what is asked of the host is news, nor what is patched with what it was', () => {
    const { wanted, landing, tipTrust } = before;

    expect(newsOf(before, { lastPlace: 7, sequence: 9, decidedAt: decidedAt + 1 })).toEqual(nothing);
    expect(
      newsOf(before, { settings: before.settings, wanted, landing, tipTrust, target: before.target }),
    ).toEqual(nothing);
  });

  const nothing = { forRules: false, forLine: false };
  const readOf = (ageMs: number, other: Partial<Queue['target']> = {}) => {
    const known = { ...before, target: { ...before.target, readAt: decidedAt - ageMs } };
    return newsOf(known, { target: { ...known.target, readAt: decidedAt, ...other } });
  };

  test('that its target is what it was is news where it had been read too long ago, and only there', () => {
    expect([readOf(TIP_FRESH_MS), readOf(TIP_FRESH_MS + 1)]).toEqual([
      nothing,
      { forRules: true, forLine: false },
    ]);
  });

  test('that its target is another one is news, however lately it was read', () => {
    for (const other of [{ head: shaOf(99) }, { requiredChecks: ['another'] }, { exists: false }])
      expect(readOf(0, other).forRules).toBe(true);
  });
});

describe('one stands elsewhere in line', () => {
  const one = aSubmission(1);

  test.each<Partial<Submission>>([
    { attempt: 2 },
    { head: shaOf(99) },
    { place: 3 },
    { priority: { value: 10, named: true } },
    { skipTheLine: true },
    { admittedAt: BUILT_AT + 1 },
    { admittedRank: 99 },
    { heldBy: submissionIdOf(2) },
    { asideSince: BUILT_AT },
    { retryAt: BUILT_AT },
    { goesWithUrgent: true },
  ])('that was given %o, whether it is known what was patched or not', (patch) => {
    const after = { ...one, ...patch };

    expect(isElsewhereInLine(one, after, false)).toBe(true);
    expect(isElsewhereInLine(one, after, false, Object.keys(patch) as (keyof Submission)[])).toBe(true);
  });

  const becomes = (from: SubmissionState, to: SubmissionState, isIsolating = false) =>
    isElsewhereInLine({ ...one, state: from }, { ...one, state: to }, isIsolating);

  test('that is new, comes into the line or leaves it', () => {
    expect(isElsewhereInLine(undefined, one, false)).toBe(true);
    expect([becomes('not_ready', 'pending'), becomes('testing', 'merged')]).toEqual([true, true]);
  });

  test('that waits for the verdict on its failure, or does so no more', () => {
    expect([becomes('testing', 'pending_failure'), becomes('pending_failure', 'testing')]).toEqual([
      true,
      true,
    ]);
  });

  test('that is tested, or has passed, only where a batch is looked into', () => {
    for (const [from, to] of [
      ['pending', 'testing'],
      ['testing', 'tests_passed'],
    ] as const)
      expect([becomes(from, to), becomes(from, to, true)]).toEqual([false, true]);
  });

  test('not where something else of it is another', () => {
    const after = {
      ...one,
      retries: 3,
      message: null,
      submittedBy: anActor,
      stateSince: BUILT_AT + 1,
      batch: 2,
    };

    expect(isElsewhereInLine(one, after, true)).toBe(false);
  });

  test('not where another process has written the same', () => {
    expect(isElsewhereInLine(one, structuredClone(one), true)).toBe(false);
  });
});

describe('a test has only got further', () => {
  const run = aRunOn([1]);

  test('where it was built, begun or shown more of, with whatever is known of that', () => {
    const building: Run = { ...run, state: 'building', trial: null };

    expect(isOnlyFurther(building, run)).toBe(true);
    expect(isOnlyFurther(run, { ...run, checks: [], deadlineAt: null, checksReadAt: BUILT_AT })).toBe(true);
  });

  test('not where it has ended, or goes on after its end', () => {
    const ended: Run = { ...run, state: 'ended' };

    expect([isOnlyFurther(run, ended), isOnlyFurther(ended, run)]).toEqual([false, false]);
  });

  test.each<Partial<Run>>([
    { outcome: 'failed' },
    { closedAt: BUILT_AT },
    { witnesses: [aMember(2)] },
    { isolation: anIsolation() },
    { overtakenBy: 7 },
    { landed: [9] },
    { isTrialKept: false },
    { onto: shaOf(99) },
  ])('not where it was given %o, whether it is known what was patched or not', (patch) => {
    const after = { ...run, ...patch };

    expect(isOnlyFurther(run, after)).toBe(false);
    expect(isOnlyFurther(run, after, Object.keys(patch) as (keyof Run)[])).toBe(false);
  });
});

test('who stands where is told by runs that failed, and by batches that are looked into', () => {
  const told = [undefined, aRunOn([1]), aRunOn([1], failedBy()), aRunOn([1], { isolation: anIsolation() })];

  expect(told.map(tellsOfLine)).toEqual([false, false, true, true]);
});
