import type { HostCall } from './driver.js';
import type { Scenario } from './scenario.js';

/** Crashes that can be tested with new engines on the same store. */
export const groupI: readonly Scenario[] = [
  {
    id: 'T-I01',
    setup: { engines: 10 },
    tell: async (q) => {
      await q.submit(1);
      await q.isTesting('main+1');
      await q.hasAsked('buildCandidate', 1);
      await q.hasAsked('startChecks', 1);
    },
  },
  {
    id: 'T-I02',
    setup: { engines: 2 },
    tell: async (q) => {
      await q.submit(1);
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.hasAsked('land', 1);
      await q.hasMoved(1);
    },
  },
  {
    id: 'T-I04',
    tell: async (q) => {
      await q.losesAnswer('buildCandidate', 'fails_before');
      await q.submit(1);
      await q.crashes();
      await q.after('10m');
      await q.isTesting('main+1');
      await q.hasTested('main+1', 1);
    },
  },
  {
    id: 'T-I05',
    tell: async (q) => {
      await q.submit(1);
      await q.crashes();
      await q.isIn({ 1: 'testing' });
      await q.isOnAttempt(1, 1);
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-I06',
    tell: async (q) => {
      await q.losesAnswer('buildCandidate', 'fails_after');
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
    id: 'T-I11',
    tell: async (q) => {
      await q.losesAnswer('commit', 'fails_after');
      await q.submit(1);
      await q.isOnAttempt(1, 1);
      await q.losesAnswer('commit', 'fails_before');
      await q.passes('main+1');
      await q.losesAnswer('commit', 'fails_after');
      await q.submit(2);
      await q.cancel(2);
      await q.isIn({ 1: 'merged', 2: 'cancelled' });
      await q.hasMoved(1);
      await q.hasTested('main+1', 1);
      await q.hasTested('main+1+2', 1);
    },
  },
  {
    id: 'T-I13',
    setup: { engines: 2, settings: { concurrency: 2 } },
    tell: async (q) => {
      await Promise.all([q.submit(1), q.submit(2)]);
      await q.isIn({ 1: 'testing', 2: 'testing' });
      await q.hasAsked('buildCandidate', 2);
    },
  },
  {
    id: 'T-I15',
    setup: { engines: 2, settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.reports('main+1', 'another', 'success');
      await Promise.all([q.passes('main+1'), q.passes('main+1+2')]);
      await q.isIn({ 1: 'merged', 2: 'merged' });
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-I16',
    tell: async (q) => {
      await q.submit(1);
      await q.hearsNonsense();
      await q.hasOnRecord(/ALARM POISONED_INPUT/);
      await q.submit(2);
      await q.passes('main+1');
      await q.cancel(2);
      await q.isIn({ 1: 'merged', 2: 'cancelled' });
    },
  },
  {
    id: 'T-I17',
    tell: async (q) => {
      await q.startsChecks('error');
      await q.submit(1);
      await q.hearsNonsense();
      await q.after('10m');
      await q.explains(1, /The CI does not answer/);
      await q.after('2h');
      await q.isIn({ 1: 'failed' });
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
        await diesAt('buildCandidate', () => q.submit(pr));
        await diesAt('startChecks', () => q.after('5s'));
        await q.after('1m');
        await q.isTesting(content);
        await q.losesAnswer('dropCandidate', fault);
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
