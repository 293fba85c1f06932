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
    id: 'T-K08',
    setup: { settings: { mode: 'parallel', concurrency: 2 } },
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y']);
      await q.submit(1, 2);
      await q.refusesLandings({ class: 'wait', pr: 1, message: 'its own checks are running' });
      await q.passes('main+1');
      await q.explains(1, /its own checks are running/);
      await q.passes('main+2');
      await q.isIn({ 2: 'merged' });
      await q.hasLanded('main+2');
      await q.refusesLandings(null);
      await q.after('10m');
      await q.isOnAttempt(1, 1);
      await q.hasLanded('main+2+1');
      await q.hasTested('main+2+1', 0);
    },
  },
  {
    id: 'T-K12',
    tell: async (q) => {
      await q.losesAnswer('buildCandidate', 'never_ends');
      await q.submit(1);
      await q.explains(1, /did not answer in time/);
      await q.after('5m');
      await q.isTesting('main+1');
      await q.losesAnswer('land', 'never_ends');
      await q.passes('main+1');
      await q.after('5m');
      await q.hasLanded('main+1');
      await q.isIn({ 1: 'merged' });
    },
  },
  {
    id: 'T-K15',
    tell: async (q) => {
      await q.startsChecks('error');
      await q.submit(1);
      await q.after('10s');
      await q.isIn({ 1: 'testing' });
      await q.startsChecks('running');
      await q.after('1m');
      await q.isTesting('main+1');
      await q.isOnAttempt(1, 1);
    },
  },
  {
    id: 'T-K16',
    tell: async (q) => {
      await q.submit(1);
      await q.losesAnswer('land', 'fails_after');
      await q.beforeLanding(async () => {
        await q.closes(1);
        await q.lagsBehind();
        await q.reopens(1);
      });
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.after('5m');
      await q.isIn({ 1: 'merged' });
      await q.hasReason(1, 'MERGE_GRAPH_MERGE');
      await q.catchesUp();
      await q.isIn({ 1: 'merged' });
      await q.hasMoved(1);
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
