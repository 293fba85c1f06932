import type { Scenario } from './scenario.js';

/** Faults of the host. */
export const groupK: readonly Scenario[] = [
  {
    id: 'T-K05',
    setup: { settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.unseen(async () => {
        await q.goesDown();
        await q.passes('main+1');
        await q.passes('main+1+2');
      });
      await q.after('30m');
      await q.isIn({ 1: 'testing', 2: 'testing' });
      await q.comesBack();
      await q.after('15m');
      await q.isIn({ 1: 'merged', 2: 'merged' });
      await q.hasTested('main+1', 1);
      await q.hasTested('main+1+2', 1);
    },
  },
  {
    id: 'T-K07',
    setup: { settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.refusesLandings({ class: 'setting', pr: null, message: 'the queue may not push here' });
      await q.passes('main+1');
      await q.queueIs('paused');
      await q.explains(1, /the queue may not push here/);
      await q.isOnAttempt(1, 1);
    },
  },
  {
    id: 'T-K14',
    tell: async (q) => {
      await q.opens(
        { number: 1, headBranch: 'feature/50%+1#x&y=z/%2e%2e' },
        { number: 2, headBranch: `ünïcode/日本/${'x'.repeat(180)}` },
      );
      await q.submit(1, 2);
      await q.passes('main+1');
      await q.passes('main+1+2');
      await q.isIn({ 1: 'merged', 2: 'merged' });
      await q.hasLanded('main+1+2');
    },
  },
];
