import type { Scenario } from './scenario.js';

const two = { settings: { concurrency: 2 } };
const three = { settings: { concurrency: 3 } };

/** A batch of four, of which the third fails. */
const four = {
  settings: { batch: true, batchingMinSize: 4, bisectionConcurrency: 1 },
} as const;
const inferring = { optimizationMode: 'bisection_skip_redundant_tests' } as const;

/** Failures and bisection. */
export const groupC: readonly Scenario[] = [
  {
    id: 'T-C01',
    setup: { settings: { ...four.settings, ...inferring } },
    tell: async (q) => {
      await q.opens(1, 2, { number: 3, broken: true }, 4);
      await q.submit(1, 2, 3, 4);
      await q.finishes('main+1+2+3+4');
      await q.isTesting('main+1+2');
      await q.finishes('main+1+2');
      await q.isIn({ 1: 'merged', 2: 'merged' });
      await q.finishes('main+1+2+3');
      await q.isIn({ 3: 'failed' });
      await q.finishes('main+1+2+4');
      await q.isIn({ 4: 'merged' });
      await q.hasLanded('main+1+2+4');
    },
  },
  {
    id: 'T-C02',
    setup: { settings: { ...four.settings, optimizationMode: 'off' } },
    tell: async (q) => {
      await q.submit(1, 2, 3, 4);
      await q.fails('main+1+2+3+4');
      await q.isTesting('main+1+2');
      await q.passes('main+1+2');
      await q.isIn({ 1: 'merged', 2: 'merged' });
      await q.isTesting('main+1+2+3+4');
      await q.passes('main+1+2+3+4');
      await q.hasTested('main+1+2+3+4', 2);
      await q.hasOnRecord(/#3 .*BISECTION_INCONCLUSIVE/);
      await q.hasOnRecord(/#4 .*BISECTION_INCONCLUSIVE/);
      await q.isTesting('main+1+2+3');
      await q.passes('main+1+2+3');
      await q.isIn({ 3: 'merged', 4: 'merged' });
      await q.hasLanded('main+1+2+3+4');
    },
  },
  {
    id: 'T-C04',
    setup: { settings: { ...four.settings, ...inferring }, pace: { bisectionRunLimit: 1 } },
    tell: async (q) => {
      await q.submit(1, 2, 3, 4);
      await q.fails('main+1+2+3+4');
      await q.fails('main+1+2');
      await q.hasReason(2, 'BISECTION_LIMIT_REACHED');
      await q.explains(2, /slot/);
      await q.isTesting('main+1');
      await q.passes('main+1');
      await q.isTesting('main+1+2');
      await q.fails('main+1+2');
      await q.isTesting('main+1+3');
      await q.passes('main+1+3');
      await q.passes('main+1+3+4');
      await q.isIn({ 1: 'merged', 2: 'failed', 3: 'merged', 4: 'merged' });
    },
  },
  {
    id: 'T-C05',
    setup: { settings: { ...four.settings, concurrency: 1, bisectionConcurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2, 3, 4);
      await q.submit(5, 6, 7, 8, 9, 10, 11, 12);
      await q.fails('main+1+2+3+4');
      await q.isTesting('main+1', 'main+1+2+3', 'main+5+6+7+8');
      await q.waitsFor(9, 'turn');
      await q.fails('main+5+6+7+8');
      await q.isTesting('main+1', 'main+1+2+3', 'main+9+10+11+12');
      await q.configures({ bisectionConcurrency: 1, concurrency: 3 });
      await q.passes('main+1');
      await q.isTesting('main+1+2+3', 'main+1+9+10+11+12');
    },
  },
  {
    id: 'T-C06',
    setup: {
      settings: { batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 1, ...inferring },
    },
    tell: async (q) => {
      await q.opens(1, { number: 2, broken: true });
      await q.submit(1);
      await q.after('1m');
      await q.pauses();
      await q.passes('main+1');
      await q.cancel(1);
      await q.submit(1, 2);
      await q.resumes();
      await q.isTesting('main+1+2');
      await q.finishes('main+1+2');
      await q.isIn({ 1: 'merged', 2: 'failed' });
      await q.hasTested('main+1', 1);
      await q.hasTested('main+1+2', 1);
      await q.submit(2);
      await q.after('1m');
      await q.isTesting('main+1+2');
      await q.hasTested('main+1+2', 2);
    },
  },
  {
    id: 'T-C09',
    setup: { settings: { mode: 'parallel', concurrency: 2 }, showsTip: false },
    tell: async (q) => {
      await q.touches(1, ['//a']);
      await q.touches(2, ['//b']);
      await q.submit(1, 2);
      await q.fails('main+1');
      await q.isTesting('main', 'main+2');
      await q.isIn({ 1: 'pending_failure' });
      await q.waitsFor(1, 'control');
      await q.fails('main+2');
      await q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
      await q.fails('main');
      await q.queueIs('running');
      await q.isTesting('main');
      await q.fails('main');
      await q.queueIs('paused');
      await q.explains(1, /itself fails test/);
      await q.isIn({ 1: 'pending_failure', 2: 'pending_failure' });
      await q.pushesToTarget();
      await q.resumes();
      await q.isTesting('main+push+1', 'main+push+2');
      await q.passes('main+push+1');
      await q.passes('main+push+2');
      await q.isIn({ 1: 'merged', 2: 'merged' });
    },
  },
  {
    id: 'T-C15',
    setup: { settings: { batch: true, batchingMinSize: 2, testingTimeoutMinutes: 10 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.after('10m');
      await q.isIn({ 1: 'testing', 2: 'pending' });
      await q.hasReason(2, 'BISECTION_REQUIRED');
      await q.isTesting('main+1');
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.isTesting('main+1+2');
      await q.after('10m');
      await q.isIn({ 2: 'failed' });
      await q.hasReason(2, 'TEST_RUN_TIMEOUT');
    },
  },
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
