import type { Scenario } from './scenario.js';

/** Lost, late and reordered events, and unreachable hosts. */
export const groupJ: readonly Scenario[] = [
  {
    id: 'T-J02',
    setup: { settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.fails('main+1');
      await q.isIn({ 1: 'failed', 2: 'testing' });
      await q.reports('main+1', 'test', 'failure');
      await q.reports('main+1', 'test', 'failure');
      await q.isIn({ 1: 'failed', 2: 'testing' });
      await q.isOnAttempt(1, 1);
      await q.hasTested('main+2', 1);
      await q.pushes(2);
      await q.edits(2, { body: 'to trigger another hint' });
      await q.isIn({ 2: 'cancelled' });
      await q.hasReason(2, 'PR_PUSHED_TO');
    },
  },
  {
    id: 'T-J03',
    setup: { settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.unseen(async () => {
        await q.passes('main+1+2');
        await q.passes('main+1');
      });
      await q.after('2m');
      await q.isIn({ 1: 'merged', 2: 'merged' });
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-J05',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(() => q.passes('main+1'));
      await q.after('2m');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-J06',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(() => q.closes(1));
      await q.after('15m');
      await q.isIn({ 1: 'cancelled' });
      await q.isTesting();
    },
  },
  {
    id: 'T-J07',
    tell: async (q) => {
      await q.submit(1);
      await q.passes('main+1');
      await q.after('5h');
      await q.edits(1, { body: 'a late event' });
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-J11',
    tell: async (q) => {
      await q.submit(1);
      await q.lagsBehind();
      await q.pushes(1);
      await q.isIn({ 1: 'testing' });
      await q.unseen(() => q.catchesUp());
      await q.after('5m');
      await q.isIn({ 1: 'cancelled' });
      await q.hasReason(1, 'PR_PUSHED_TO');
    },
  },
  {
    id: 'T-J13',
    setup: { engines: 3, settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await Promise.all([
        q.edits(1, { title: 'another title' }),
        q.closes(1),
        q.reopens(1),
        q.passes('main+1+2'),
        q.pushes(1),
      ]);
      await q.isIn({ 1: 'cancelled', 2: 'testing' });
      await q.isOnAttempt(1, 1);
      await q.isTesting('main+2');
      await q.hasTested('main+2', 1);
    },
  },
  {
    id: 'T-J19',
    setup: { settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2);
      await q.goesDown();
      await q.after('1h');
      await q.isIn({ 1: 'testing', 2: 'testing' });
      await q.comesBack();
      await q.after('15m');
      await q.passes('main+1');
      await q.passes('main+1+2');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-J21',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(() => q.passes('main+1'));
      await q.after('2m');
      await q.submit(2);
      await q.unseen(() => q.pushesToTarget());
      await q.after('5m');
      await q.isTesting('main+1+push+2');
      await q.unseen(() => q.passes('main+1+push+2'));
      await q.after('2m');
      await q.hasLanded('main+1+push+2');
    },
  },
];
