import { BUILT_AT, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  normalTargets,
  TARGET_SETS_LIMIT,
  type TargetBook,
  type TargetSet,
  targetsAt,
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
