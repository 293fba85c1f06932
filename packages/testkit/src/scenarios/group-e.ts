import type { Scenario } from './scenario.js';

const lanes = { settings: { mode: 'parallel', concurrency: 4 } } as const;

/** Parallel lanes and impacted targets. */
export const groupE: readonly Scenario[] = [
  {
    id: 'T-E01',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y']);
      await q.submit(1, 2);
      await q.isTesting('main+1', 'main+2');
      await q.passes('main+2');
      await q.isIn({ 1: 'testing', 2: 'merged' });
      await q.hasLanded('main+2');
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+2+1');
      await q.hasTested('main+1', 1);
      await q.hasTested('main+2+1', 0);
    },
  },
  {
    id: 'T-E03',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//x', '//y']);
      await q.submit(1, 2);
      await q.isTesting('main+1', 'main+1+2');
      await q.passes('main+1+2');
      await q.isIn({ 2: 'tests_passed' });
      await q.hasLanded('main');
      await q.passes('main+1');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-E04',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, 'ALL');
      await q.touches(3, ['//y']);
      await q.touches(4, []);
      await q.submit(1, 2, 3, 4);
      await q.isTesting('main+1', 'main+1+2', 'main+2+3', 'main+2+4');
      await q.passes('main+1');
      await q.passes('main+1+2');
      await q.passes('main+2+3');
      await q.passes('main+2+4');
      await q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged', 4: 'merged' });
      await q.hasLanded('main+1+2+3+4');
    },
  },
  {
    id: 'T-E05',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y']);
      await q.touches(3, ['//x', '//y']);
      await q.submit(1, 2, 3);
      await q.isTesting('main+1', 'main+2', 'main+1+2+3');
      await q.fails('main+1');
      await q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing' });
      await q.isTesting('main+2', 'main+2+3');
      await q.hasTested('main+2', 1);
      await q.passes('main+2');
      await q.passes('main+2+3');
      await q.hasLanded('main+2+3');
    },
  },
  {
    id: 'T-E06',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y']);
      await q.submit(1, 2);
      await q.pauses();
      await q.passes('main+2');
      await q.isIn({ 2: 'tests_passed' });
      await q.touches(2, ['//x', '//y']);
      await q.resumes();
      await q.hasLanded('main');
      await q.isIn({ 2: 'testing' });
      await q.isTesting('main+1', 'main+1+2');
      await q.passes('main+1');
      await q.passes('main+1+2');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-E07',
    setup: lanes,
    tell: async (q) => {
      await q.drafts(1);
      await q.touches(1, ['//x']);
      await q.submit(1);
      await q.pushes(1);
      await q.marksReady(1);
      await q.isIn({ 1: 'not_ready' });
      await q.waitsFor(1, 'impacted_targets');
      await q.isTesting();
      await q.touches(1, ['//x']);
      await q.isIn({ 1: 'testing' });
      await q.isOnAttempt(1, 1);
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-E08',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y']);
      await q.touches(3, ['//z'], { head: 'another' });
      await q.submit(1, 2, 3);
      await q.isIn({ 3: 'not_ready' });
      await q.waitsFor(3, 'impacted_targets');
      await q.touches(2, 'ALL', { head: 'another' });
      await q.isTesting('main+1', 'main+2');
      await q.hasTested('main+2', 1);
      await q.passes('main+2');
      await q.hasLanded('main+2');
    },
  },
  {
    id: 'T-E10',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, []);
      await q.touches(2, ['//x']);
      await q.touches(3, []);
      await q.submit(1, 2, 3, 4);
      await q.isIn({ 1: 'testing', 2: 'testing', 3: 'testing', 4: 'not_ready' });
      await q.isTesting('main+1', 'main+2', 'main+3');
      await q.waitsFor(4, 'impacted_targets');
    },
  },
  {
    id: 'T-E11',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x', '//y']);
      await q.touches(2, ['//z']);
      await q.submit(1, 2);
      await q.touches(1, ['//y', '//x', '//y']);
      await q.isTesting('main+1', 'main+2');
      await q.hasTested('main+1', 1);
      await q.touches(3, ['//y', '//y']);
      await q.submit(3);
      await q.isTesting('main+1', 'main+2', 'main+1+3');
    },
  },
  {
    id: 'T-E12',
    setup: lanes,
    tell: async (q) => {
      await q.opens(1, { number: 2, fork: true }, { number: 3, fork: true });
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y'], { source: 'fork' });
      await q.submit(1, 2);
      await q.isIn({ 2: 'testing' });
      await q.isTesting('main+1', 'main+1+2');
      await q.touches(2, ['//y', '//z'], { source: 'trusted' });
      await q.isTesting('main+1', 'main+2');
      await q.touches(3, ['//z'], { source: 'trusted' });
      await q.touches(3, [], { source: 'fork' });
      await q.submit(3);
      await q.isTesting('main+1', 'main+2', 'main+2+3');
      await q.touches(3, ['//x'], { source: 'fork' });
      await q.isTesting('main+1', 'main+2', 'main+1+2+3');
    },
  },
  {
    id: 'T-E13',
    setup: lanes,
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y']);
      await q.touches(3, ['//x']);
      await q.touches(4, ['//y']);
      await q.submit(1, 2, 3, 4);
      await q.isTesting('main+1', 'main+2', 'main+1+3', 'main+2+4');
      await q.fails('main+1');
      await q.isIn({ 1: 'failed', 2: 'testing', 3: 'testing', 4: 'testing' });
      await q.isTesting('main+2', 'main+3', 'main+2+4');
      await q.hasTested('main+2', 1);
      await q.hasTested('main+2+4', 1);
    },
  },
  {
    id: 'T-E14',
    setup: { settings: { concurrency: 2 } },
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.touches(4, ['//x']);
      await q.configures({ mode: 'parallel' });
      await q.queueIs('switching_modes');
      await q.submit(4);
      await q.isTesting('main+1', 'main+1+2');
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.isTesting('main+1+2');
      await q.waitsFor(3, 'queue_switching_modes');
      await q.waitsFor(4, 'queue_switching_modes');
      await q.pauses();
      await q.passes('main+1+2');
      await q.queueIs('paused');
      await q.hasLanded('main+1');
      await q.resumes();
      await q.hasLanded('main+1+2');
      await q.queueIs('running');
      // #3 is older than the change of mode and has no targets, so it overlaps with every pull request.
      await q.isTesting('main+1+2+3', 'main+1+2+3+4');
    },
  },
];
