import type { Scenario } from './scenario.js';

const threeChecks = { checks: ['build', 'lint', 'test'] };

/** Verdicts. */
export const groupG: readonly Scenario[] = [
  {
    id: 'T-G01',
    setup: threeChecks,
    tell: async (q) => {
      await q.submit(1);
      await q.passes('main+1', 'build');
      await q.passes('main+1', 'lint');
      await q.isIn({ 1: 'testing' });
      await q.passes('main+1', 'test');
      await q.isIn({ 1: 'merged' });
    },
  },
  {
    id: 'T-G02',
    setup: { ...threeChecks, settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.passes('main+1', 'build');
      await q.fails('main+1', 'lint');
      await q.isIn({ 1: 'failed', 2: 'testing' });
      await q.explains(1, /lint/);
      await q.isTesting('main+2');
    },
  },
  {
    id: 'T-G04',
    setup: { settings: { testingTimeoutMinutes: 12 } },
    tell: async (q) => {
      await q.submit(1);
      await q.passes('main+1');
      await q.configures({ requiredStatuses: ['test', 'audit'] });
      await q.warnsOf('audit');
      await q.startsChecks('silence');
      await q.submit(2);
      await q.after('5m');
      await q.waitsFor(2, 'checks');
      await q.after('2m');
      await q.explains(2, /audit/);
    },
  },
  {
    id: 'T-G05',
    tell: async (q) => {
      await q.submit(1);
      await q.reports('main', 'test', 'success');
      await q.after('1m');
      await q.isIn({ 1: 'testing' });
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-G06',
    tell: async (q) => {
      await q.submit(1);
      await q.cancelsChecks(false);
      await q.startsChecks('silence');
      await q.restart(1);
      await q.fails('main+1');
      await q.isIn({ 1: 'testing' });
      await q.hasLanded('main');
      await q.startsChecks('running');
      await q.restart(1);
      await q.startsChecks('silence');
      await q.restart(1);
      await q.isTesting('main+1');
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G07',
    tell: async (q) => {
      await q.submit(1);
      await q.reports('main+1', 'test', 'success');
      await q.isIn({ 1: 'testing' });
      await q.hasLanded('main');
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G08',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(async () => {
        await q.reports('main+1', 'test', 'failure');
        await q.reports('main+1', 'test', 'success');
      });
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G09',
    setup: { checks: ['lint', 'test'] },
    tell: async (q) => {
      await q.submit(1);
      await q.concludes('main+1', 'skipped', 'lint');
      await q.concludes('main+1', 'neutral', 'test');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G10',
    tell: async (q) => {
      await q.submit(1);
      for (let tries = 1; tries <= 2; tries += 1) {
        await q.concludes('main+1', 'cancelled');
        await q.isIn({ 1: 'testing' });
        await q.waitsFor(1, 'retry');
        await q.after('15m');
        await q.isTesting('main+1');
      }
      await q.concludes('main+1', 'cancelled');
      await q.isIn({ 1: 'failed' });
      await q.hasReason(1, 'TEST_RUN_CANCELLED');
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-G11',
    tell: async (q) => {
      await q.submit(1);
      await q.concludes('main+1', 'unknown');
      await q.hasLanded('main');
      await q.isIn({ 1: 'testing' });
      await q.after('15m');
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G12',
    tell: async (q) => {
      await q.startsChecks('silence');
      await q.submit(1);
      await q.after('20m');
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-G13',
    setup: threeChecks,
    tell: async (q) => {
      await q.submit(1);
      await q.passes('main+1', 'build');
      await q.after('1h');
      await q.isIn({ 1: 'testing' });
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-G14',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(() => q.passes('main+1'));
      // A late event: whatever it says, the host is read.
      await q.reports('main+1', 'advice', 'neutral');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G15',
    setup: { settings: { testingTimeoutMinutes: 10 } },
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(() => q.passes('main+1'));
      await q.isDownFor('1h');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G20',
    setup: { checks: ['lint', 'test'], settings: { requiredStatuses: ['test'] } },
    tell: async (q) => {
      await q.submit(1);
      await q.configures({ requiredStatuses: ['lint', 'test'] });
      await q.passes('main+1', 'test');
      await q.hasLanded('main');
      await q.passes('main+1', 'lint');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-G24',
    tell: async (q) => {
      await q.cancelsChecks(false);
      await q.submit(1);
      await q.cancel(1);
      await q.isIn({ 1: 'cancelled' });
      await q.passes('main+1');
      await q.isIn({ 1: 'cancelled' });
      await q.hasLanded('main');
      await q.cancelsChecks(true);
      await q.after('1h');
      await q.isTesting();
    },
  },
  {
    id: 'T-G25',
    setup: { settings: { concurrency: 2, testingTimeoutMinutes: 10 } },
    tell: async (q) => {
      await q.submit(1);
      await q.after('5m');
      await q.submit(2);
      await q.after('6m');
      await q.isIn({ 1: 'failed', 2: 'testing' });
      await q.hasReason(1, 'TEST_RUN_TIMEOUT');
      await q.isTesting('main+2');
    },
  },
  {
    id: 'T-G27',
    setup: { settings: { testingTimeoutMinutes: 10 } },
    tell: async (q) => {
      await q.submit(1);
      await q.after('11m');
      await q.isIn({ 1: 'failed' });
      await q.hasReason(1, 'TEST_RUN_TIMEOUT');
      await q.isTesting();
    },
  },
  {
    id: 'T-G28',
    tell: async (q) => {
      await q.startsChecks('silence');
      await q.submit(1);
      await q.after('9m');
      await q.waitsFor(1, 'checks');
      await q.after('1h');
      await q.isIn({ 1: 'failed' });
      await q.hasReason(1, 'TEST_RUN_INFRASTRUCTURE');
      await q.explains(1, /did not start/);
      await q.submit(1);
      await q.after('10m');
      await q.waitsFor(1, 'retry');
      await q.startsChecks('running');
      await q.after('1m');
      await q.isTesting('main+1');
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
];
