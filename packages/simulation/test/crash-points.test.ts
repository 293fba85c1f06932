import { describe, expect, test } from 'vitest';
import { type CrashPoint, crashAt, externalPoints, pairs, storePoints } from '../src/crash-points.js';
import { everyNth, sample } from './sample.js';

const named = (points: readonly CrashPoint[]) =>
  everyNth(points, sample.crashPointStep).map((point) => [point.name, point] as const);

/** After the crash another process takes over, everything comes to rest, and no invariant is violated. */
const holds = async (point: CrashPoint): Promise<void> => {
  const report = await crashAt(point);
  expect(report, 'no world reached this point').not.toBeNull();
  const [first] = report?.violations ?? [];
  expect(first, `in the world of seed ${report?.seed}`).toBeUndefined();
};

describe('a process that crashes at the host', () => {
  test.for(named(externalPoints))('%s', ([, point]) => holds(point));
});

describe('a process that crashes at the store', () => {
  test.for(named(storePoints))('%s', ([, point]) => holds(point));
});

describe('a process that crashes while it recovers from a crash during a landing', () => {
  test.for(named(pairs))('%s', ([, point]) => holds(point));
});
