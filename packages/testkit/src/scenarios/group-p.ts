import type { Scenario } from './scenario.js';

/** Security, as far as the queue itself shows it. */
export const groupP: readonly Scenario[] = [
  {
    id: 'T-P14',
    tell: async (q) => {
      await q.configures({ concurrency: 2 });
      await q.drafts(1);
      await q.submit(1, { forceEnqueued: true });
      await q.crashes();
      await q.hasOnRecord(/sets .*"concurrency":2/);
      await q.hasOnRecord(/asks for submit of #1/);
    },
  },
];
