import type { Scenario } from './scenario.js';

const two = { settings: { concurrency: 2 } };

/** Cancel, restart and priority. */
export const groupM: readonly Scenario[] = [
  {
    id: 'T-M01',
    tell: async (q) => {
      await q.submit(1, 2);
      await q.cancel(2);
      await q.isIn({ 1: 'testing', 2: 'cancelled' });
      await q.hasReason(2, 'USER_REQUESTED');
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.isTesting();
      await q.cancel(2);
      await q.isIn({ 1: 'merged', 2: 'cancelled' });
      await q.isRefused('ALREADY_MERGED', () => q.cancel(1));
    },
  },
  {
    id: 'T-M02',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.cancel(1);
      await q.isIn({ 1: 'cancelled', 2: 'testing' });
      await q.isTesting('main+2');
      await q.passes('main+2');
      await q.hasLanded('main+2');
    },
  },
  {
    id: 'T-M03',
    tell: async (q) => {
      await q.submit(1);
      let answer: Promise<string> = Promise.resolve('nothing');
      await q.beforeLanding(async () => {
        answer = q.cancel(1).then(
          () => 'cancelled',
          (error: { readonly code?: string }) => error.code ?? 'unknown',
        );
      });
      await q.passes('main+1');
      if ((await answer) === 'cancelled') {
        await q.isIn({ 1: 'cancelled' });
        await q.hasLanded('main');
        return;
      }
      if (!['LANDING_UNDER_WAY', 'ALREADY_MERGED'].includes(await answer))
        throw new Error(`The cancel was answered with ${await answer}.`);
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-M04',
    setup: { settings: { batch: true, batchingMinSize: 4, bisectionConcurrency: 3 } },
    tell: async (q) => {
      await q.submit(1, 2, 3, 4);
      await q.fails('main+1+2+3+4');
      await q.isTesting('main+1', 'main+1+2', 'main+1+2+3');
      await q.cancel(1);
      await q.isIn({ 1: 'cancelled' });
      await q.isTesting('main+2+3+4');
      await q.passes('main+2+3+4');
      await q.hasLanded('main+2+3+4');
    },
  },
  {
    id: 'T-M06',
    tell: async (q) => {
      await q.submit(1);
      await q.cancelsChecks(false);
      await q.cancel(1);
      await q.isIn({ 1: 'cancelled' });
      await q.isTesting('main+1');
      await q.cancelsChecks(true);
      await q.after('1h');
      await q.isTesting();
    },
  },
  {
    id: 'T-M08',
    tell: async (q) => {
      await q.submit(1, 2);
      await q.isRefused('NO_RUN_TO_RESTART', () => q.restart(2));
      await q.isRefused('NOT_SUBMITTED', () => q.restart(3));
      await q.restart(1);
      await q.isIn({ 1: 'testing' });
      await q.isTesting('main+1');
      await q.hasTested('main+1', 2);
      await q.passes('main+1');
      await q.isRefused('NO_RUN_TO_RESTART', () => q.restart(1));
    },
  },
  {
    id: 'T-M10',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.submit(3, { priority: 200, skipTheLine: true });
      await q.isTesting('main+3', 'main+3+1');
      await q.isIn({ 1: 'testing', 2: 'pending', 3: 'testing' });
      await q.passes('main+3');
      await q.isTesting('main+3+1', 'main+3+1+2');
    },
  },
  {
    id: 'T-M11',
    tell: async (q) => {
      await q.submit(1);
      await q.submit(2, { priority: 200 });
      await q.after('200m');
      await q.submit(3, { priority: 10 });
      await q.passes('main+1');
      await q.isTesting('main+1+2');
      await q.passes('main+1+2');
      await q.isTesting('main+1+2+3');
    },
  },
  {
    id: 'T-M13',
    tell: async (q) => {
      await q.submit(1);
      await Promise.all([q.cancel(1), q.submit(1)]);
      await q.after('1s');
      const cancelledLast = async () => {
        await q.isIn({ 1: 'cancelled' });
        await q.isTesting();
      };
      const submittedLast = async () => {
        await q.isOnAttempt(1, 2);
        await q.isTesting('main+1');
      };
      await submittedLast().catch(cancelledLast);
    },
  },
];
