import { BUILT_AT, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  areWithin,
  doOverlap,
  type ImpactedTargets,
  normalTargets,
  TARGET_SETS_LIMIT,
  type TargetBook,
  type TargetSet,
  targetsAt,
  targetsInForce,
  unitedTargets,
  withTargets,
} from './impacted-targets.js';

const setAt = (head: number, override: Partial<TargetSet> = {}): TargetSet => ({
  head: shaOf(head),
  targets: [`//${head}`],
  source: 'trusted',
  at: BUILT_AT,
  ...override,
});

const uploaded = (sets: readonly TargetSet[], keep = 0): TargetBook =>
  sets.reduce<TargetBook>((book, set) => withTargets(book, 1, set, shaOf(keep)), { pr: 1, sets: [] });

describe('impacted targets', () => {
  test('impacted targets are sorted without duplicates', () => {
    expect(normalTargets(['b', 'a', 'b'])).toEqual(['a', 'b']);
    expect(normalTargets('ALL')).toBe('ALL');
  });

  test('a list that is sorted already stays the same', () => {
    const sorted = ['a', 'a/b', 'b'];
    expect(normalTargets(sorted)).toBe(sorted);
    expect(normalTargets(['a', 'a'])).toEqual(['a']);
  });

  test('united lists have each target of both once, in order', () => {
    expect(unitedTargets(['a', 'c', 'd'], ['b', 'c', 'e', 'f'])).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(unitedTargets([], ['a'])).toEqual(['a']);
    expect(unitedTargets(['b'], ['a'])).toEqual(['a', 'b']);
  });

  test('targets lie within others that have all of them, or that are ALL', () => {
    expect(areWithin(['b', 'd'], ['a', 'b', 'c', 'd'])).toBe(true);
    expect(areWithin(['b', 'e'], ['a', 'b', 'c', 'd'])).toBe(false);
    expect(areWithin(['a', 'b'], ['b'])).toBe(false);
    expect(areWithin([], [])).toBe(true);
    expect(areWithin(['a'], 'ALL')).toBe(true);
    expect(areWithin('ALL', ['a'])).toBe(false);
    expect(areWithin('ALL', 'ALL')).toBe(true);
  });

  test('a list that contains ALL touches everything', () => {
    expect(normalTargets(['a', 'ALL'])).toBe('ALL');
    expect(normalTargets(['ALLEY'])).toEqual(['ALLEY']);
  });

  test('impacted targets count only for the head that they were uploaded for', () => {
    const book = uploaded([setAt(1)]);

    expect(targetsAt(book, shaOf(1))).toEqual(['//1']);
    expect(targetsAt(book, shaOf(2))).toBeNull();
    expect(targetsAt(undefined, shaOf(1))).toBeNull();
  });

  test('an empty list touches nothing', () => {
    expect(targetsAt(uploaded([setAt(1, { targets: [] })]), shaOf(1))).toEqual([]);
  });

  test('a trusted list takes precedence over that of a fork', () => {
    const fork = setAt(1, { source: 'fork', targets: ['//fork'] });

    expect(targetsAt(uploaded([setAt(1), fork]), shaOf(1))).toEqual(['//1']);
    expect(targetsAt(uploaded([fork]), shaOf(1))).toEqual(['//fork']);
  });

  test('a later upload for the same head and source replaces the earlier one', () => {
    const book = uploaded([setAt(1), setAt(1, { source: 'fork' }), setAt(1, { targets: ['//new'] })]);

    expect(book.sets).toEqual([setAt(1, { targets: ['//new'] }), setAt(1, { source: 'fork' })]);
  });

  test('the newest uploads and that of the queued head are kept', () => {
    const heads = Array.from({ length: TARGET_SETS_LIMIT + 2 }, (_, index) => index + 1);

    const book = uploaded(
      heads.map((head) => setAt(head)),
      1,
    );

    expect(book.sets.map((set) => set.head)).toEqual([7, 6, 5, 4, 3, 1].map((head) => shaOf(head)));
    expect(book.pr).toBe(1);
  });
});

describe('what a pull request counts as touching', () => {
  const parallel = { mode: 'parallel', trustForkTargets: false } as const;
  const trusting = { mode: 'parallel', trustForkTargets: true } as const;
  const fork = (targets: ImpactedTargets) => setAt(1, { source: 'fork', targets });
  const inForce = (sets: readonly TargetSet[], settings: Parameters<typeof targetsInForce>[2] = parallel) =>
    targetsInForce(uploaded(sets), shaOf(1), settings);

  test('a pull request touches everything in single mode', () => {
    expect(inForce([setAt(1)], { mode: 'single', trustForkTargets: true })).toBe('ALL');
  });

  test('a pull request touches the targets uploaded for its head', () => {
    expect(inForce([setAt(1)])).toEqual(['//1']);
    expect(inForce([setAt(1, { targets: [] })])).toEqual([]);
    expect(inForce([setAt(1, { targets: 'ALL' })])).toBe('ALL');
  });

  test('a pull request without an upload for its head touches everything', () => {
    expect(inForce([setAt(2)])).toBe('ALL');
    expect(targetsInForce(undefined, shaOf(1), trusting)).toBe('ALL');
  });

  test('a pull request with targets from a fork only touches everything', () => {
    expect(inForce([fork(['//f'])])).toBe('ALL');
    expect(inForce([setAt(2), fork(['//f'])])).toBe('ALL');
  });

  test('targets of a fork only add to trusted ones', () => {
    expect(inForce([setAt(1), fork(['//0', '//1'])])).toEqual(['//0', '//1']);
    expect(inForce([setAt(1), fork([])])).toEqual(['//1']);
    expect(inForce([setAt(1), fork('ALL')])).toBe('ALL');
  });

  test('targets of a fork count if the queue trusts forks', () => {
    expect(inForce([fork(['//f'])], trusting)).toEqual(['//f']);
    expect(inForce([setAt(1), fork(['//f'])], trusting)).toEqual(['//1', '//f']);
  });
});

describe('two lists of targets', () => {
  test.each<[ImpactedTargets, ImpactedTargets, boolean]>([
    [['a', 'b'], ['b', 'c'], true],
    [['a', 'b'], ['c'], false],
    [['c'], ['a', 'b', 'c'], true],
    [['d'], ['a', 'b', 'c'], false],
    [[], [], false],
    [[], ['a'], false],
    ['ALL', [], true],
    ['ALL', ['a'], true],
    ['ALL', 'ALL', true],
  ])('%j and %j overlap either way round: %s', (one, other, expected) => {
    expect([doOverlap(one, other), doOverlap(other, one)]).toEqual([expected, expected]);
  });
});
