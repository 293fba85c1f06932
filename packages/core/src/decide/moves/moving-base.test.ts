import { expect, test } from 'vitest';
import { aDraft, aQuietQueue, NOW } from '../../../test/rules.js';
import { REBUILDS_LIMIT, targetStillAt } from './moving-base.js';

test('the time until which a candidate waits for a moving target is a whole number of milliseconds', () => {
  const movingBase = {
    rebuilds: REBUILDS_LIMIT,
    rebuildsSince: NOW,
    movedAt: NOW,
    pushes: 3,
    pushesSince: NOW,
    isAlarmed: false,
  };
  const queue = aQuietQueue({}, { movingBase, testDurations: [20_001] });

  expect(targetStillAt(aDraft({ queue }))).toBe(NOW + 5_000);
});
