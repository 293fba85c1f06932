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

/** Whoever overlaps one ahead stands behind it, and behind all those that it stands behind. */
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
  test('whoever shares no target with anybody stands at the front of a lane of its own', () => {
    expect(aheadOfEach([['a'], ['b'], ['c', 'd']])).toEqual([[], [], []]);
  });

  test('whoever shares a target stands behind its holders', () => {
    expect(aheadOfEach([['a'], ['b'], ['a'], ['b']])).toEqual([[], [], [0], [1]]);
  });

  test('whoever shares a target stands also behind those that its holder stands behind', () => {
    expect(aheadOfEach([['a'], ['a', 'b'], ['b']])).toEqual([[], [0], [0, 1]]);
  });

  test('one that joins two lanes stands behind both, in the order of the line', () => {
    expect(aheadOfEach([['b'], ['a'], ['b'], ['a', 'b']])).toEqual([[], [], [0], [0, 1, 2]]);
  });

  test('one that two lanes share is named once', () => {
    expect(aheadOfEach([['a', 'b'], ['a'], ['b'], ['a', 'b']])).toEqual([[], [0], [0], [0, 1, 2]]);
  });

  test('everything stands behind what touches everything, and that behind everything', () => {
    expect(aheadOfEach([['a'], 'ALL', ['b'], ['a'], 'ALL'])).toEqual([[], [0], [0, 1], [0, 1], [0, 1, 2, 3]]);
  });

  test('what touches nothing stands behind what touches everything only', () => {
    expect(aheadOfEach([['a'], [], 'ALL', []])).toEqual([[], [], [0, 1], [0, 1, 2]]);
  });

  test('nobody stands behind what touches nothing', () => {
    expect(aheadOfEach([[], ['a']])).toEqual([[], []]);
  });

  test('their length is that of the line', () => {
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

  test('are what one gets by comparing everybody with everybody ahead', () => {
    fc.assert(
      fc.property(fc.array(someTargets, { maxLength: 25 }), (line) => {
        expect(aheadOfEach(line)).toEqual(closureOf(line));
      }),
      { numRuns: 500 },
    );
  });

  test('make one line where everybody touches everything', () => {
    expect(aheadOfEach(['ALL', 'ALL', 'ALL'])).toEqual([[], [0], [0, 1]]);
  });
});
