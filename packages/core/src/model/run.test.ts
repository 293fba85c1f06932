import { aCandidate, aMember, aRun, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  hasFailed,
  isOnTip,
  isOpenRun,
  isSameMember,
  type Purpose,
  remainingBatch,
  remainingMembers,
  remainingStack,
  type TestRun,
  takesSlot,
  usesBisectionSlot,
} from './run.js';

const prsOf = (members: readonly { readonly pr: number }[]) => members.map(({ pr }) => pr);

/** A test run of #3 and #4 on #1 and #2, carried to the tip that #1 or both have made. */
const stacked = (override: Partial<TestRun> = {}): TestRun =>
  aRun(9, {
    stack: [aMember(1), aMember(2)],
    batch: [aMember(3), aMember(4)],
    candidate: aCandidate([1, 2, 3, 4]),
    ...override,
  });
const commitOf = (pr: number) => shaOf(0xb000 + pr);

describe('what of a run has not landed', () => {
  test('remaining members of a test run are stack and batch at first', () => {
    expect(prsOf(remainingStack(stacked()))).toEqual([1, 2]);
    expect(prsOf(remainingBatch(stacked()))).toEqual([3, 4]);
    expect(prsOf(remainingMembers(stacked()))).toEqual([1, 2, 3, 4]);
  });

  test('remaining members of a test run are those that have not landed', () => {
    const run = stacked({ landed: [2, 3] });

    expect(prsOf(remainingStack(run))).toEqual([1]);
    expect(prsOf(remainingBatch(run))).toEqual([4]);
    expect(prsOf(remainingMembers(run))).toEqual([1, 4]);
  });
});

describe('a candidate stands on the tip', () => {
  test('a candidate is on the tip that it was built on', () => {
    expect(isOnTip(stacked())).toBe(true);
    expect(isOnTip(stacked({ onto: shaOf(2) }))).toBe(false);
  });

  test('a candidate is on the tip made by its own lower part', () => {
    expect(isOnTip(stacked({ landed: [1], onto: commitOf(1) }))).toBe(true);
    expect(isOnTip(stacked({ landed: [1, 2], onto: commitOf(2) }))).toBe(true);
    expect(isOnTip(stacked({ landed: [1, 2, 3], onto: commitOf(3) }))).toBe(true);
  });

  test('a candidate is not on the tip if its lower part landed as another commit', () => {
    expect(isOnTip(stacked({ landed: [1], onto: shaOf(5) }))).toBe(false);
    expect(isOnTip(stacked({ landed: [1], onto: shaOf(1) }))).toBe(false);
  });

  test('a candidate is not on the tip if what landed is not its lowest part', () => {
    expect(isOnTip(stacked({ landed: [2], onto: commitOf(1) }))).toBe(false);
    expect(isOnTip(stacked({ landed: [2, 3], onto: commitOf(2) }))).toBe(false);
  });

  test('a candidate is not on the tip after a landing beside or past it', () => {
    expect(isOnTip(stacked({ beside: [{ head: shaOf(1), prs: [7] }] }))).toBe(false);
    expect(isOnTip(stacked({ overtakenBy: 7 }))).toBe(false);
  });

  test('a candidate is not on the tip if part of it landed before it was built', () => {
    expect(isOnTip(stacked({ landed: [1], onto: commitOf(1), candidate: null }))).toBe(false);
    expect(isOnTip(stacked({ candidate: null }))).toBe(true);
  });
});

describe('a member', () => {
  test('members are equal only at the same head in the same attempt', () => {
    expect(isSameMember(aMember(1), aMember(1))).toBe(true);
    expect(isSameMember(aMember(1), aMember(1, { attempt: 2 }))).toBe(false);
    expect(isSameMember(aMember(1), aMember(1, { head: shaOf(7) }))).toBe(false);
    expect(isSameMember(aMember(1), aMember(2))).toBe(false);
    expect(isSameMember(aMember(1), undefined)).toBe(false);
  });
});

describe('a slot', () => {
  const composing: Purpose = { kind: 'compose', vouchers: [] };

  test('a slot is used from the build of a test run to the end of its tests', () => {
    expect(takesSlot(aRun(1, { state: 'building' }))).toBe(true);
    expect(takesSlot(aRun(1, { state: 'testing' }))).toBe(true);
    expect(takesSlot(aRun(1, { state: 'ended' }))).toBe(false);
    expect(takesSlot(aRun(1, { closedAt: 0 }))).toBe(false);
    expect(isOpenRun(aRun(1, { state: 'ended' }))).toBe(true);
    expect(isOpenRun(aRun(1, { closedAt: 0 }))).toBe(false);
  });

  test('a test run that combines passes uses no slot', () => {
    expect(takesSlot(aRun(1, { state: 'building', purpose: composing }))).toBe(false);
  });

  test.each<[Purpose, boolean]>([
    [{ kind: 'test' }, false],
    [composing, false],
    [{ kind: 'isolate', failed: aRun().id }, true],
    [{ kind: 'control', isFresh: false }, true],
  ])('a slot of those that look for a cause is used by %j: %s', (purpose, isOf) => {
    expect(usesBisectionSlot(aRun(1, { purpose }))).toBe(isOf);
  });
});

test.each([
  ['failed', true],
  ['timed_out', true],
  ['passed', false],
  ['cancelled', false],
  ['infrastructure', false],
  [null, false],
] as const)('a test run with the outcome %s counts as failed: %s', (outcome, isFailure) => {
  expect(hasFailed(aRun(1, { outcome }))).toBe(isFailure);
});
