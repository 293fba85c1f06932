import type { Scenario } from './scenario.js';

const two = { settings: { concurrency: 2 } };
const three = { settings: { concurrency: 3 } };

/** Blame. */
export const groupC: readonly Scenario[] = [
  {
    id: 'T-C03',
    setup: two,
    tell: async (q) => {
      await q.opens(1, { number: 2, clashesWith: 1 });
      await q.submit(1, 2);
      await q.finishes('main+1');
      await q.isIn({ 1: 'merged', 2: 'testing' });
      await q.finishes('main+1+2');
      await q.isIn({ 2: 'failed' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-C08',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.concludes('main+1', 'infrastructure');
      await q.isIn({ 1: 'testing', 2: 'testing' });
      await q.after('15m');
      await q.concludes('main+1', 'infrastructure');
      await q.after('15m');
      await q.isIn({ 1: 'testing' });
      await q.concludes('main+1', 'infrastructure');
      await q.isIn({ 1: 'failed' });
      await q.hasReason(1, 'TEST_RUN_INFRASTRUCTURE');
    },
  },
  {
    id: 'T-C10',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.fails('main+1+2');
      await q.isIn({ 2: 'pending_failure' });
      await q.waitsFor(2, 'verdicts_ahead');
      await q.explains(2, /failed/);
      await q.fails('main+1');
      await q.isIn({ 1: 'failed', 2: 'testing' });
      await q.passes('main+2');
      await q.hasLanded('main+2');
    },
  },
  {
    id: 'T-C11',
    setup: three,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.fails('main+1+2+3');
      await q.isIn({ 3: 'pending_failure' });
      await q.fails('main+1+2');
      await q.passes('main+1');
      await q.isIn({ 1: 'merged', 2: 'failed', 3: 'testing' });
      await q.passes('main+1+3');
      await q.hasLanded('main+1+3');
    },
  },
  {
    id: 'T-C12',
    tell: async (q) => {
      await q.submit(1);
      await q.reports('main+1', 'advice', 'failure');
      await q.isIn({ 1: 'testing' });
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
    },
  },
  {
    id: 'T-C13',
    setup: { checks: ['build', 'lint', 'test'] },
    tell: async (q) => {
      await q.submit(1);
      await q.fails('main+1', 'lint');
      await q.isIn({ 1: 'failed' });
      await q.isTesting();
    },
  },
  {
    id: 'T-C16',
    tell: async (q) => {
      await q.submit(1);
      await q.fails('main+1');
      await q.reports('main+1', 'test', 'success');
      await q.after('10m');
      await q.isIn({ 1: 'failed' });
      await q.hasLanded('main');
    },
  },
];
