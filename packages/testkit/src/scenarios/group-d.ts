import type { Scenario } from './scenario.js';

const batch = { batch: true, batchingMaxWaitTimeMinutes: 10, concurrency: 2 } as const;
const ofTwo = { settings: { ...batch, batchingMinSize: 2 } };
const ofThree = { settings: { ...batch, batchingMinSize: 3 } };
const ofFour = { settings: { ...batch, batchingMinSize: 4 } };

/** Batching. */
export const groupD: readonly Scenario[] = [
  {
    id: 'T-D01',
    setup: ofThree,
    tell: async (q) => {
      await q.submit(1);
      await q.after('4m');
      await q.submit(2);
      await q.waitsFor(1, 'batch');
      await q.after('5m');
      await q.isTesting();
      await q.after('1m');
      await q.isTesting('main+1+2');
    },
  },
  {
    id: 'T-D02',
    setup: ofThree,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.isTesting();
      await q.submit(3);
      await q.isTesting('main+1+2+3');
    },
  },
  {
    id: 'T-D03',
    setup: { settings: { ...ofThree.settings, concurrency: 3 } },
    tell: async (q) => {
      await q.submit(1, 2, 3, 4, 5, 6, 7);
      await q.isTesting('main+1+2+3', 'main+1+2+3+4+5+6');
      await q.after('10m');
      await q.isTesting('main+1+2+3', 'main+1+2+3+4+5+6', 'main+1+2+3+4+5+6+7');
    },
  },
  {
    id: 'T-D04',
    setup: ofFour,
    tell: async (q) => {
      await q.opens(1, 2, { number: 3, conflictsWith: 1 }, 4);
      await q.submit(1, 2, 3, 4);
      await q.isTesting('main+1+2+4');
      await q.isIn({ 1: 'testing', 2: 'testing', 3: 'pending', 4: 'testing' });
      await q.waitsFor(3, 'conflict_ahead');
      await q.explains(3, /#1/);
      await q.passes('main+1+2+4');
      await q.hasLanded('main+1+2+4');
      await q.isIn({ 3: 'failed' });
      await q.hasReason(3, 'START_TEST_RUN_MERGE_CONFLICT');
    },
  },
  {
    id: 'T-D05',
    setup: ofThree,
    tell: async (q) => {
      await q.opens(1, { number: 2, conflictsWith: 1 }, { number: 3, conflictsWith: 1 });
      await q.submit(1, 2, 3);
      await q.isIn({ 1: 'testing', 2: 'pending', 3: 'pending' });
      await q.isTesting('main+1');
      await q.fails('main+1');
      await q.after('10m');
      await q.isIn({ 1: 'failed', 2: 'testing', 3: 'pending' });
      await q.isTesting('main+2');
      await q.waitsFor(3, 'conflict_ahead');
      await q.cancel(2);
      await q.after('10m');
      await q.isTesting('main+3');
      await q.passes('main+3');
      await q.hasLanded('main+3');
    },
  },
  {
    id: 'T-D06',
    setup: ofThree,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.pushes(2);
      await q.isIn({ 1: 'testing', 2: 'cancelled', 3: 'testing' });
      await q.hasReason(2, 'PR_PUSHED_TO');
      await q.isTesting('main+1+3');
      await q.passes('main+1+3');
      await q.hasLanded('main+1+3');
    },
  },
  {
    id: 'T-D07',
    setup: ofThree,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.closes(1);
      await q.isIn({ 1: 'cancelled', 2: 'testing', 3: 'testing' });
      await q.hasReason(1, 'PR_CLOSED');
      await q.isTesting('main+2+3');
      await q.passes('main+2+3');
      await q.hasLanded('main+2+3');
    },
  },
  {
    id: 'T-D08',
    setup: ofTwo,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.isTesting('main+1+2');
      await q.cancel(1);
      await q.isIn({ 1: 'cancelled', 2: 'testing' });
      await q.isTesting('main+2');
      await q.passes('main+2');
      await q.hasLanded('main+2');
    },
  },
  {
    id: 'T-D09',
    setup: ofThree,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.passes('main+1+2+3');
      await q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });
      await q.hasLanded('main+1+2+3');
      await q.hasMoved(1);
    },
  },
  {
    id: 'T-D12',
    setup: ofTwo,
    tell: async (q) => {
      await q.submit(1, 1);
      await q.isTesting();
      await q.submit(1);
      await q.isTesting();
      await q.submit(2);
      await q.isTesting('main+1+2');
      await q.submit(1, 2);
      await q.isTesting('main+1+2');
      await q.hasTested('main+1+2', 1);
    },
  },
  {
    id: 'T-D13',
    setup: { settings: { ...ofFour.settings, concurrency: 3 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.submit(3, { noBatch: true });
      await q.submit(4, 5, 6, 7);
      await q.isTesting('main+1+2', 'main+1+2+3', 'main+1+2+3+4+5+6+7');
      await q.passes('main+1+2');
      await q.fails('main+1+2+3');
      await q.isIn({ 3: 'failed' });
      await q.isTesting('main+1+2+4+5+6+7');
    },
  },
  {
    id: 'T-D14',
    setup: ofThree,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.after('10m');
      await q.isTesting('main+1+2');
      await q.submit(3);
      await q.isTesting('main+1+2');
      await q.isIn({ 3: 'pending' });
      await q.restart(1);
      await q.isTesting('main+1+2');
      await q.after('10m');
      await q.isTesting('main+1+2', 'main+1+2+3');
      await q.passes('main+1+2');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-D15',
    setup: ofTwo,
    tell: async (q) => {
      await q.losesAnswer('buildCandidate', 'fails_before');
      await q.submit(1, 2);
      await q.crashes();
      await q.after('10m');
      await q.isIn({ 1: 'testing', 2: 'testing' });
      await q.isTesting('main+1+2');
      await q.hasTested('main+1+2', 1);
      await q.losesAnswer('buildCandidate', 'fails_after');
      await q.cancel(1);
      await q.crashes();
      await q.after('10m');
      await q.isTesting('main+2');
      await q.passes('main+2');
      await q.hasLanded('main+2');
    },
  },
  {
    id: 'T-D16',
    setup: ofTwo,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.pauses();
      await q.passes('main+1+2');
      await q.cancel(1);
      await q.cancel(2);
      await q.pushes(2);
      await q.submit(1, 2);
      await q.resumes();
      await q.isTesting('main+1+2');
      await q.hasTested('main+1+2', 2);
      await q.pauses();
      await q.passes('main+1+2');
      await q.cancel(1);
      await q.cancel(2);
      await q.submit(1, 2);
      await q.resumes();
      await q.isIn({ 1: 'merged', 2: 'merged' });
      await q.hasLanded('main+1+2');
      await q.hasTested('main+1+2', 2);
    },
  },
  {
    id: 'T-D17',
    setup: ofThree,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.beforeLanding(async () => {
        await q.mergesByHand(1);
        await q.pushesToTarget();
      });
      await q.passes('main+1+2+3');
      await q.isIn({ 1: 'merged', 2: 'testing', 3: 'testing' });
      await q.hasLanded('main+1+push');
      await q.isTesting('main+1+push+2+3');
      await q.passes('main+1+push+2+3');
      await q.isIn({ 2: 'merged', 3: 'merged' });
      await q.hasLanded('main+1+push+2+3');
      await q.hasMoved(1);
    },
  },
];
