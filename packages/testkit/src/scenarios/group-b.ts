import type { Scenario } from './scenario.js';

const two = { settings: { concurrency: 2 } };
const three = { settings: { concurrency: 3 } };

/** Order, and tests on top of undecided pull requests. */
export const groupB: readonly Scenario[] = [
  {
    id: 'T-B01',
    setup: three,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.isTesting('main+1', 'main+1+2', 'main+1+2+3');
      await q.passes('main+1');
      await q.passes('main+1+2');
      await q.passes('main+1+2+3');
      await q.hasLanded('main+1+2+3');
      await q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });
    },
  },
  {
    id: 'T-B02',
    tell: async (q) => {
      await q.submit(3, 1, 2);
      await q.isTesting('main+3');
      await q.passes('main+3');
      await q.isTesting('main+3+1');
      await q.passes('main+3+1');
      await q.isTesting('main+3+1+2');
    },
  },
  {
    id: 'T-B04',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.passes('main+1+2');
      await q.isIn({ 1: 'testing', 2: 'tests_passed' });
      await q.waitsFor(2, 'landing_turn');
      await q.hasLanded('main');
      await q.passes('main+1');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-B06',
    setup: three,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.fails('main+1+2');
      await q.isIn({ 2: 'pending_failure' });
      await q.isTesting('main+1', 'main+1+3');
      await q.passes('main+1');
      await q.isIn({ 1: 'merged', 2: 'failed', 3: 'testing' });
      await q.passes('main+1+3');
      await q.hasLanded('main+1+3');
      await q.hasTested('main+1', 1);
    },
  },
  {
    id: 'T-B10',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.isTesting('main+1+2');
      await q.hasTested('main+1+2', 1);
      await q.passes('main+1+2');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-B12',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2, 3, 4);
      await q.isTesting('main+1', 'main+1+2');
      await q.waitsFor(3, 'turn');
      await q.explains(3, /slot/);
      await q.restart(1);
      await q.isTesting('main+1', 'main+1+2');
      await q.passes('main+1');
      await q.isTesting('main+1+2', 'main+1+2+3');
    },
  },
  {
    id: 'T-B14',
    setup: three,
    tell: async (q) => {
      await q.submit(1, 2, 3, 4);
      await q.configures({ concurrency: 1 });
      await q.isTesting('main+1', 'main+1+2', 'main+1+2+3');
      await q.passes('main+1');
      await q.isTesting('main+1+2', 'main+1+2+3');
      await q.passes('main+1+2');
      await q.passes('main+1+2+3');
      await q.isTesting('main+1+2+3+4');
      await q.passes('main+1+2+3+4');
      await q.hasLanded('main+1+2+3+4');
    },
  },
  {
    id: 'T-B15',
    setup: three,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.after('5m');
      await q.submit(3, { priority: 0 });
      await q.isTesting('main+3', 'main+3+1', 'main+3+1+2');
      await q.wasSubmitted(1, '5m');
      await q.wasSubmitted(3, '5m');
      await q.isOnAttempt(3, 1);
      await q.passes('main+3');
      await q.passes('main+3+1');
      await q.passes('main+3+1+2');
      await q.hasLanded('main+3+1+2');
    },
  },
  {
    id: 'T-B16',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.submit(1, { skipTheLine: true });
      await q.isTesting('main+1', 'main+1+2');
      await q.hasTested('main+1', 1);
      await q.hasTested('main+1+2', 1);
    },
  },
  {
    id: 'T-B17',
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.submit(3, { priority: 10 });
      await q.isTesting('main+1');
      await q.hasTested('main+1', 1);
      await q.passes('main+1');
      await q.isTesting('main+1+3');
    },
  },
  {
    id: 'T-B18',
    setup: two,
    tell: async (q) => {
      await q.opens(1, { number: 2, base: 'change-1' });
      await q.submit(1, 2);
      await q.isTesting('main+1');
      await q.waitsFor(2, 'base_branch');
      await q.passes('main+1');
      await q.retargets(2, 'main');
      await q.isTesting('main+1+2');
      await q.passes('main+1+2');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-B19',
    setup: two,
    tell: async (q) => {
      await q.opens(1, { number: 2, base: 'change-1' });
      await q.submit(1, 2);
      await q.fails('main+1');
      await q.isIn({ 1: 'failed', 2: 'not_ready' });
      await q.explains(2, /base branch/);
    },
  },
  {
    id: 'T-B20',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.refusesLandings({ class: 'pull_request', pr: 1, message: 'a review is missing' });
      await q.passes('main+1');
      await q.isIn({ 1: 'failed', 2: 'testing' });
      await q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
      await q.explains(1, /a review is missing/);
      await q.refusesLandings(null);
      await q.isTesting('main+2');
      await q.passes('main+2');
      await q.hasLanded('main+2');
    },
  },
  {
    id: 'T-B21',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.pushesToTarget();
      await q.isTesting('main+push+1', 'main+push+1+2');
      await q.passes('main+push+1');
      await q.passes('main+push+1+2');
      await q.hasLanded('main+push+1+2');
    },
  },
  {
    id: 'T-B23',
    setup: { settings: { concurrency: 3, canOptimisticallyMerge: true, pendingFailureDepth: 2 } },
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.fails('main+1');
      await q.isIn({ 1: 'pending_failure', 2: 'testing', 3: 'testing' });
      await q.isTesting('main+1+2', 'main+1+2+3');
      await q.passes('main+1+2+3');
      await q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });
      await q.hasLanded('main+1+2+3');
      await q.hasMoved(1);
      await q.isTesting();
    },
  },
  {
    id: 'T-B24',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.fails('main+1');
      await q.isIn({ 1: 'failed', 2: 'testing' });
      await q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
      await q.isTesting('main+2');
    },
  },
  {
    id: 'T-B25',
    setup: { settings: { concurrency: 4, canOptimisticallyMerge: true, pendingFailureDepth: 2 } },
    tell: async (q) => {
      await q.submit(1, 2, 3, 4);
      await q.fails('main+1');
      await q.isIn({ 1: 'pending_failure' });
      await q.isTesting('main+1+2', 'main+1+2+3', 'main+2+3+4');
      await q.fails('main+1+2');
      await q.isIn({ 1: 'pending_failure' });
      await q.fails('main+1+2+3');
      await q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing', 4: 'testing' });
      await q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
      await q.isTesting('main+2', 'main+2+3', 'main+2+3+4');
      await q.passes('main+2');
      await q.hasLanded('main+2');
    },
  },
  {
    id: 'T-B26',
    setup: three,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.fails('main+1+2');
      await q.isIn({ 2: 'pending_failure' });
      await q.cancel(2);
      await q.isIn({ 1: 'testing', 2: 'cancelled', 3: 'testing' });
      await q.isTesting('main+1', 'main+1+3');
    },
  },
  {
    id: 'T-B27',
    tell: async (q) => {
      await q.pauses();
      await q.submit(1);
      await q.resumes();
      await q.pauses();
      await q.passes('main+1');
      await q.isIn({ 1: 'tests_passed' });
      await q.cancel(1);
      await q.pushes(1);
      await q.submit(1);
      await q.resumes();
      await q.isIn({ 1: 'testing' });
      await q.isTesting('main+1');
      await q.hasTested('main+1', 2);
    },
  },
  {
    id: 'T-B29',
    setup: { settings: { batch: true, batchingMinSize: 3 } },
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.stopsLandingAfter(1);
      await q.passes('main+1+2+3');
      await q.isIn({ 1: 'merged', 2: 'pending', 3: 'pending' });
      await q.hasLanded('main+1');
      await q.queueIs('paused');
      await q.explains(2, /Only 1 of 3 pull requests were merged: the next one was refused/);
      await q.isTesting();
    },
  },
  {
    id: 'T-B30',
    setup: three,
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.fails('main+1+2');
      await q.fails('main+1');
      await q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing' });
      await q.isTesting('main+2', 'main+2+3');
    },
  },
  {
    id: 'T-B31',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.pushesToTarget();
      await q.isIn({ 1: 'testing', 2: 'testing' });
      await q.isOnAttempt(1, 1);
      await q.isOnAttempt(2, 1);
    },
  },
  {
    id: 'T-B11',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.rewritesLandings();
      await q.passes('main+1');
      await q.queueIs('paused');
      await q.isIn({ 2: 'pending' });
      await q.waitsFor(2, 'queue_paused');
      await q.isTesting();
    },
  },
];
