import { describe, expect, test } from 'vitest';
import { type CrashPoint, crashAt, externalPoints, pairs, storePoints } from '../src/crash-points.js';

/** `npm test` kills at every eighth point, `npm run verify` at all of them. */
const SAMPLE_STEP = process.env.MQ_TESTS === 'quick' ? 16 : 1;
const named = (points: readonly CrashPoint[]) =>
  points.flatMap((point, index) => (index % SAMPLE_STEP === 0 ? [[point.name, point] as const] : []));

/** After each: another process takes over, everything comes to rest, and all promises hold. */
const holds = async (point: CrashPoint): Promise<void> => {
  const report = await crashAt(point);
  expect(report, 'nobody came to this point').not.toBeNull();
  const [first] = report?.violations ?? [];
  expect(first, `in the world of seed ${report?.seed}`).toBeUndefined();
};

describe('a process that dies at the host', () => {
  test.for(named(externalPoints))('%s', ([, point]) => holds(point));
});

describe('a process that dies at the store', () => {
  test.for(named(storePoints))('%s', ([, point]) => holds(point));
});

describe('a process that dies while it recovers from a death on the way to a landing', () => {
  test.for(named(pairs))('%s', ([, point]) => holds(point));
});
