import { describe, expect, test } from 'vitest';
import { doOverlap, hasTarget, type ImpactedTargets, normalTargets } from './impacted-targets.js';
import { Overlaps } from './overlaps.js';

const numbered = (from: number, count: number, step = 1): ImpactedTargets =>
  normalTargets(Array.from({ length: count }, (_, n) => `//${from + n * step}`));

/** Short and long lists, more long ones than are searched, and ALL between them. */
const line: readonly ImpactedTargets[] = [
  ...[numbered(0, 1_500), numbered(1_499, 1), numbered(5_000, 1_200, 3), 'ALL' as const, numbered(0, 0)],
  ...Array.from({ length: 9 }, (_, n) => numbered(10_000 + n * 1_000, 1_001)),
  ...[
    numbered(5_003, 2, 3),
    numbered(18_500, 1),
    numbered(4_000, 16_000),
    numbered(1_500, 1),
    numbered(0, 100),
  ],
];

test('each list overlaps with exactly those ahead that share a target with it, however long they are', () => {
  const overlaps = new Overlaps();
  for (const [rank, targets] of line.entries()) {
    const ahead = line.slice(0, rank).flatMap((other, n) => (doOverlap(other, targets) ? [n] : []));
    expect([rank, overlaps.of(targets)]).toEqual([rank, ahead]);
    overlaps.join(targets);
  }
});

describe('hasTarget', () => {
  test.each([[[]], [['b']], [['a', 'c', 'e']], [['a', 'b', 'c', 'd']]])(
    '%j has exactly its targets',
    (list) => {
      for (const target of ['', 'a', 'b', 'c', 'd', 'e', 'f'])
        expect([target, hasTarget(list, target)]).toEqual([target, list.includes(target)]);
    },
  );
});
