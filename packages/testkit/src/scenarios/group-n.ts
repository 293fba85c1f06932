import type { Scenario } from './scenario.js';

/** Conflicts and other outcomes of git. */
export const groupN: readonly Scenario[] = [
  {
    id: 'T-N10',
    setup: { settings: { concurrency: 3 } },
    tell: async (q) => {
      await q.opens(1, { number: 2, conflictsWith: 1 }, 3);
      await q.submit(1, 2, 3);
      await q.isIn({ 2: 'pending' });
      await q.waitsFor(2, 'conflict_ahead');
      await q.explains(2, /#1/);
      await q.passes('main+1');
      await q.isIn({ 1: 'merged', 2: 'failed', 3: 'testing' });
      await q.hasReason(2, 'START_TEST_RUN_MERGE_CONFLICT');
      await q.passes('main+1+3');
      await q.hasLanded('main+1+3');
    },
  },
];
