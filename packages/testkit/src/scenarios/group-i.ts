import type { HostCall } from './driver.js';
import type { Scenario } from './scenario.js';

/** Crashes, as far as another engine on the same store shows them. */
export const groupI: readonly Scenario[] = [
  {
    id: 'T-I04',
    tell: async (q) => {
      await q.losesAnswer('buildTrial', 'fails_before');
      await q.submit(1);
      await q.crashes();
      await q.after('10m');
      await q.isTesting('main+1');
      await q.hasTested('main+1', 1);
    },
  },
  {
    id: 'T-I06',
    tell: async (q) => {
      await q.losesAnswer('buildTrial', 'fails_after');
      await q.submit(1);
      await q.crashes();
      await q.after('10m');
      await q.isTesting('main+1');
      await q.hasTested('main+1', 1);
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-I07',
    tell: async (q) => {
      await q.submit(1);
      await q.losesAnswer('land', 'fails_after');
      await q.passes('main+1');
      await q.crashes();
      await q.after('10m');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-I09',
    tell: async (q) => {
      await q.submit(1);
      await q.cancelsChecks(false);
      await q.cancel(1);
      await q.crashes();
      await q.cancelsChecks(true);
      await q.after('1h');
      await q.isTesting();
      await q.isIn({ 1: 'cancelled' });
    },
  },
  {
    id: 'T-I19',
    tell: async (q) => {
      const faults = ['fails_before', 'fails_after'] as const;
      for (const [index, fault] of faults.entries()) {
        const pr = index + 1;
        const content = index === 0 ? 'main+1' : 'main+1+2';
        const diesAt = async (call: HostCall, act: () => Promise<void>) => {
          await q.losesAnswer(call, fault);
          await act();
          await q.crashes();
        };
        await diesAt('buildTrial', () => q.submit(pr));
        await diesAt('startChecks', () => q.after('5s'));
        await q.after('1m');
        await q.isTesting(content);
        await q.losesAnswer('dropTrial', fault);
        await diesAt('land', () => q.passes(content));
        await q.after('1m');
        await q.isIn({ [pr]: 'merged' });
        await q.hasLanded(content);
      }
    },
  },
  {
    id: 'T-I26',
    setup: { settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.configures({ concurrency: 3, commentsEnabled: false, batchingMinSize: 7 });
      await q.hasTested('main+1', 1);
      await q.hasTested('main+1+2', 1);
      await q.isTesting('main+1', 'main+1+2');
    },
  },
];
