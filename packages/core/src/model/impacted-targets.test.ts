import { BUILT_AT, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  doOverlap,
  type ImpactedTargets,
  normalTargets,
  TARGET_SETS_LIMIT,
  type TargetBook,
  type TargetSet,
  targetsAt,
  targetsInForce,
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
  test('are sorted and named once', () => {
    expect(normalTargets(['b', 'a', 'b'])).toEqual(['a', 'b']);
    expect(normalTargets('ALL')).toBe('ALL');
  });

  test('touch everything where the word for it stands in a list', () => {
    expect(normalTargets(['a', 'ALL'])).toBe('ALL');
    expect(normalTargets(['ALLEY'])).toEqual(['ALLEY']);
  });

  test('speak for the head that they were uploaded for, and for no other', () => {
    const book = uploaded([setAt(1)]);

    expect(targetsAt(book, shaOf(1))).toEqual(['//1']);
    expect(targetsAt(book, shaOf(2))).toBeNull();
    expect(targetsAt(undefined, shaOf(1))).toBeNull();
  });

  test('an empty list is known to touch nothing', () => {
    expect(targetsAt(uploaded([setAt(1, { targets: [] })]), shaOf(1))).toEqual([]);
  });

  test('the trusted list counts before the one of a fork, whichever came last', () => {
    const fork = setAt(1, { source: 'fork', targets: ['//fork'] });

    expect(targetsAt(uploaded([setAt(1), fork]), shaOf(1))).toEqual(['//1']);
    expect(targetsAt(uploaded([fork]), shaOf(1))).toEqual(['//fork']);
  });

  test('a later upload for the same head and source takes the place of the former', () => {
    const book = uploaded([setAt(1), setAt(1, { source: 'fork' }), setAt(1, { targets: ['//new'] })]);

    expect(book.sets).toEqual([setAt(1, { targets: ['//new'] }), setAt(1, { source: 'fork' })]);
  });

  test('a book keeps the newest few and the one of the head that is in the queue', () => {
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

  test('is everything in one line, whatever was uploaded', () => {
    expect(inForce([setAt(1)], { mode: 'single', trustForkTargets: true })).toBe('ALL');
  });

  test('is what was uploaded for its head', () => {
    expect(inForce([setAt(1)])).toEqual(['//1']);
    expect(inForce([setAt(1, { targets: [] })])).toEqual([]);
    expect(inForce([setAt(1, { targets: 'ALL' })])).toBe('ALL');
  });

  test('is everything where nothing was uploaded for its head', () => {
    expect(inForce([setAt(2)])).toBe('ALL');
    expect(targetsInForce(undefined, shaOf(1), trusting)).toBe('ALL');
  });

  test('is everything where only a fork says otherwise', () => {
    expect(inForce([fork(['//f'])])).toBe('ALL');
    expect(inForce([setAt(2), fork(['//f'])])).toBe('ALL');
  });

  test('grows by what a fork adds, and never shrinks by it', () => {
    expect(inForce([setAt(1), fork(['//0', '//1'])])).toEqual(['//0', '//1']);
    expect(inForce([setAt(1), fork([])])).toEqual(['//1']);
    expect(inForce([setAt(1), fork('ALL')])).toBe('ALL');
  });

  test('is what the fork says where the queue trusts forks', () => {
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
