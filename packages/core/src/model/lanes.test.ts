import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { doOverlap, type ImpactedTargets, normalTargets } from './impacted-targets.js';
import { type Ahead, Lanes } from './lanes.js';

const aheadOfEach = (line: readonly ImpactedTargets[]): readonly (readonly number[])[] => {
  const lanes = new Lanes();
  return line.map((targets) => {
    const ahead = placesOf(lanes.aheadOf(lanes.next(targets)));
    lanes.join(targets);
    return ahead;
  });
};

const placesOf = ({ upTo, others }: Ahead): readonly number[] => [
  ...Array.from({ length: upTo }, (_, place) => place),
  ...others,
];

/**
 * The reference: a submission is behind every earlier one that overlaps with it, and behind all that those are behind.
 */
const closureOf = (line: readonly ImpactedTargets[]): readonly (readonly number[])[] => {
  const ahead: Set<number>[] = [];
  for (const [place, targets] of line.entries()) {
    const mine = new Set<number>();
    for (let before = 0; before < place; before += 1)
      if (doOverlap(targets, line[before] ?? []))
        for (const one of [before, ...(ahead[before] ?? [])]) mine.add(one);
    ahead.push(mine);
  }
  return ahead.map((places) => [...places].sort((one, other) => one - other));
};

describe('lanes', () => {
  test('a submission that shares no target is at the front of its own lane', () => {
    expect(aheadOfEach([['a'], ['b'], ['c', 'd']])).toEqual([[], [], []]);
  });

  test('a submission is behind earlier ones with a common target', () => {
    expect(aheadOfEach([['a'], ['b'], ['a'], ['b']])).toEqual([[], [], [0], [1]]);
  });

  test('a submission is behind the predecessors of its predecessors', () => {
    expect(aheadOfEach([['a'], ['a', 'b'], ['b']])).toEqual([[], [0], [0, 1]]);
  });

  test('a submission that joins two lanes is behind both, in line order', () => {
    expect(aheadOfEach([['b'], ['a'], ['b'], ['a', 'b']])).toEqual([[], [], [0], [0, 1, 2]]);
  });

  test('a common predecessor of two lanes is listed once', () => {
    expect(aheadOfEach([['a', 'b'], ['a'], ['b'], ['a', 'b']])).toEqual([[], [0], [0], [0, 1, 2]]);
  });

  test('a submission that touches everything is behind all, and all later ones are behind it', () => {
    expect(aheadOfEach([['a'], 'ALL', ['b'], ['a'], 'ALL'])).toEqual([[], [0], [0, 1], [0, 1], [0, 1, 2, 3]]);
  });

  test('a submission that touches nothing is behind only those that touch everything', () => {
    expect(aheadOfEach([['a'], [], 'ALL', []])).toEqual([[], [], [0, 1], [0, 1, 2]]);
  });

  test('no submission is behind one that touches nothing', () => {
    expect(aheadOfEach([[], ['a']])).toEqual([[], []]);
  });

  test('the number of ranks is the length of the line', () => {
    const lanes = new Lanes();
    for (const targets of [['a'], 'ALL', []] as const) lanes.join(targets);

    expect(lanes.length).toBe(3);
  });

  const someTargets: fc.Arbitrary<ImpactedTargets> = fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 4 })
        .map(normalTargets),
    },
    { weight: 1, arbitrary: fc.constant('ALL' as const) },
  );

  test('lanes equal those of a pairwise comparison', () => {
    fc.assert(
      fc.property(fc.array(someTargets, { maxLength: 25 }), (line) => {
        expect(aheadOfEach(line)).toEqual(closureOf(line));
      }),
      { numRuns: 500 },
    );
  });

  test('lanes are one line if every submission touches everything', () => {
    expect(aheadOfEach(['ALL', 'ALL', 'ALL'])).toEqual([[], [0], [0, 1]]);
  });
});
