import type { Scenario } from './scenario.js';

/** Security that can be tested on the queue alone. */
export const groupP: readonly Scenario[] = [
  {
    id: 'T-P14',
    tell: async (q) => {
      await q.configures({ concurrency: 2 });
      await q.drafts(1);
      await q.submit(1, { forceEnqueued: true });
      await q.crashes();
      await q.hasOnRecord(/sets .*"concurrency":2/);
      await q.hasOnRecord(/requests submit of #1/);
    },
  },
];
