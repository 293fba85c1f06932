import type { Scenario } from './scenario.js';

const two = { settings: { concurrency: 2 } };

/** Landing. */
export const groupH: readonly Scenario[] = [
  {
    id: 'T-H01',
    tell: async (q) => {
      await q.submit(1);
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.hasFiles({ 'README.md': 'begin\n', 'pr-1.txt': 'change 1\n' });
    },
  },
  {
    id: 'T-H04',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(async () => {
        await q.saysMergeability(1, 'not_mergeable');
        await q.passes('main+1');
      });
      await q.after('2m');
      await q.hasLanded('main');
      await q.explains(1, /cannot be merged|no longer/);
    },
  },
  {
    id: 'T-H05',
    tell: async (q) => {
      await q.submit(1);
      await q.refusesLandings({ class: 'wait', pr: 1, message: 'its own checks are running' });
      await q.passes('main+1');
      await q.after('5m');
      await q.hasLanded('main');
      await q.refusesLandings(null);
      await q.after('1h');
      await q.isIn({ 1: 'merged' });
    },
  },
  {
    id: 'T-H06',
    tell: async (q) => {
      await q.submit(1);
      await q.losesAnswer('land', 'fails_before');
      await q.passes('main+1');
      await q.after('10m');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-H07',
    tell: async (q) => {
      await q.submit(1);
      await q.losesAnswer('land', 'fails_after');
      await q.passes('main+1');
      await q.after('10m');
      await q.isIn({ 1: 'merged' });
      await q.hasReason(1, 'MERGE_GRAPH_MERGE');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-H08',
    tell: async (q) => {
      await q.submit(1);
      await q.losesAnswer('land', 'fails_before');
      await q.passes('main+1');
      await q.crashes();
      await q.after('10m');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-H09',
    tell: async (q) => {
      await q.submit(1);
      await q.beforeLanding(() => q.pushesToTarget());
      await q.passes('main+1');
      await q.hasLanded('main+push');
      await q.isTesting('main+push+1');
      await q.passes('main+push+1');
      await q.hasLanded('main+push+1');
    },
  },
  {
    id: 'T-H11',
    tell: async (q) => {
      await q.opens({ number: 1, commits: [{ 'pr-1.txt': 'change 1\n' }] });
      await q.pushesToTarget({ 'pr-1.txt': 'change 1\n' });
      await q.submit(1);
      await q.isIn({ 1: 'merged' });
      await q.hasReason(1, 'NOTHING_TO_LAND');
      await q.hasLanded('main+push');
    },
  },
  {
    id: 'T-H12',
    tell: async (q) => {
      await q.submit(1);
      await q.losesAnswer('dropCandidate', 'fails_before');
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.after('10m');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-H13',
    setup: { settings: { mergeMethod: 'squash' } },
    tell: async (q) => {
      await q.opens({ number: 1, commits: [{ 'one.txt': '1\n' }, { 'one.txt': '2\n' }] });
      await q.pushesToTarget({ 'other.txt': 'other\n', 'README.md': 'newer\n' });
      await q.submit(1);
      await q.passes('main+push+1');
      await q.hasFiles({ 'one.txt': '2\n', 'other.txt': 'other\n', 'README.md': 'newer\n' });
    },
  },
  {
    id: 'T-H14',
    setup: { settings: { batch: true, batchingMinSize: 3, mergeMethod: 'squash' } },
    tell: async (q) => {
      await q.opens(
        { number: 1, commits: [{ 'a.txt': '1\n' }, { 'a.txt': '2\n', 'b.txt': '1\n' }] },
        { number: 2, commits: [{ 'c.txt': '1\n' }, { 'c.txt': null, 'd.txt': '2\n' }] },
        { number: 3, commits: [{ 'e.txt': '3\n' }] },
      );
      await q.submit(1, 2, 3);
      await q.passes('main+1+2+3');
      await q.hasLanded('main+1+2+3');
      const first = { 'README.md': 'begin\n', 'a.txt': '2\n', 'b.txt': '1\n' };
      await q.hasFiles({ ...first, 'c.txt': null, 'd.txt': '2\n', 'e.txt': '3\n' });
      await q.hasFiles({ ...first, 'c.txt': null, 'd.txt': '2\n', 'e.txt': null }, 1);
      await q.hasFiles({ ...first, 'c.txt': null, 'd.txt': null, 'e.txt': null }, 2);
      await q.hasFiles({ 'README.md': 'begin\n', 'a.txt': null }, 3);
      await q.hasMoved(1);
    },
  },
  {
    id: 'T-H15',
    setup: { settings: { concurrency: 2, mergeMethod: 'squash' } },
    tell: async (q) => {
      await q.opens(1, { number: 2, conflictsWith: 1 });
      await q.submit(1, 2);
      await q.isIn({ 1: 'testing', 2: 'pending' });
      await q.waitsFor(2, 'conflict_ahead');
      await q.isTesting('main+1');
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-H17',
    setup: { settings: { mergeMethod: 'rebase' } },
    tell: async (q) => {
      await q.opens({ number: 1, commits: [{ 'one.txt': '1\n' }, { 'two.txt': '2\n' }] });
      await q.pushesToTarget({ 'one.txt': '1\n' });
      await q.submit(1);
      await q.passes('main+push+1');
      await q.hasFiles({ 'one.txt': '1\n', 'two.txt': '2\n' });
      await q.isIn({ 1: 'merged' });
    },
  },
  {
    id: 'T-H18',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.refusesLandings({ class: 'setting', pr: null, message: 'squash is not allowed here' });
      await q.passes('main+1');
      await q.queueIs('paused');
      await q.explains(1, /paused/);
      await q.hasLanded('main');
      await q.refusesLandings(null);
      await q.resumes();
      await q.after('1m');
      await q.isIn({ 2: 'testing' });
    },
  },
  {
    id: 'T-H19',
    tell: async (q) => {
      await q.submit(1);
      await q.rewritesLandings();
      await q.passes('main+1');
      await q.queueIs('paused');
      await q.submit(2);
      await q.waitsFor(2, 'queue_paused');
      await q.isTesting();
    },
  },
  {
    id: 'T-H20',
    tell: async (q) => {
      await q.submit(1);
      await q.passes('main+1');
      await q.submit(2);
      await q.isTesting('main+1+2');
      await q.rewinds(1);
      await q.isTesting('main+2');
      await q.passes('main+2');
      await q.hasLanded('main+2');
      await q.isIn({ 1: 'merged', 2: 'merged' });
    },
  },
  {
    id: 'T-H21',
    tell: async (q) => {
      await q.submit(1);
      await q.deletesTarget();
      await q.after('10m');
      await q.isTesting();
      await q.explains(1, /does not exist/);
      await q.restoresTarget();
      await q.after('10m');
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-H22',
    setup: { settings: { directMergeMode: 'always' } },
    tell: async (q) => {
      await q.opens(1, 2);
      await q.showsHead(1, 'success');
      await q.showsHead(2, 'success');
      await q.submit(1);
      await q.isIn({ 1: 'merged' });
      await q.hasReason(1, 'MERGE_GRAPH_DIRECT_MERGE');
      await q.hasTested('main+1', 0);
      await q.hasLanded('main+1');
      await q.opens(3);
      await q.showsHead(3, 'success');
      await q.beforeLanding(() => q.pushes(3));
      await q.submit(3);
      await q.isIn({ 3: 'cancelled' });
      await q.hasReason(3, 'PR_PUSHED_TO');
      await q.hasLanded('main+1');
      // #2 passed, but is behind the target: the commit that would land has not been tested.
      await q.submit(2);
      await q.isTesting('main+1+2');
      await q.passes('main+1+2');
      await q.opens(4);
      await q.showsHead(4, 'failure');
      await q.submit(4);
      await q.isTesting('main+1+2+4');
    },
  },
  {
    id: 'T-H25',
    tell: async (q) => {
      await q.saysMergeability(1, 'not_mergeable');
      await q.saysMergeability(2, 'not_mergeable');
      await q.submit(1, { forceEnqueued: true });
      await q.isTesting('main+1');
      await q.hasLanded('main');
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.hasOnRecord(/requests submit of #1/);
      await q.submit(2, { forceEnqueued: true });
      await q.beforeLanding(() => q.pushes(2));
      await q.passes('main+1+2');
      await q.isIn({ 2: 'cancelled' });
      await q.hasReason(2, 'PR_PUSHED_TO');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-H27',
    tell: async (q) => {
      await q.opens({ number: 1, title: '[skip ci] thanks to @ada' });
      await q.submit(1);
      await q.isTesting('main+1');
      await q.passes('main+1');
      await q.hasTitle(/^\(skip ci\) thanks to @\u200bada/);
    },
  },
  {
    id: 'T-H28',
    tell: async (q) => {
      await q.submit(1);
      await q.refusesLandings({ class: 'pull_request', pr: 1, message: 'may not change workflow files' });
      await q.passes('main+1');
      await q.isIn({ 1: 'failed' });
      await q.explains(1, /may not change workflow files/);
      await q.after('1h');
      await q.hasTested('main+1', 1);
    },
  },
  {
    id: 'T-H30',
    tell: async (q) => {
      await q.submit(1);
      await q.refusesLandings({ class: 'policy', pr: 1, message: 'the hook says no' });
      await q.passes('main+1');
      await q.after('1h');
      await q.isIn({ 1: 'failed' });
      await q.explains(1, /the hook says no/);
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-H31',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.lagsBehind();
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.after('30m');
      await q.isIn({ 1: 'merged', 2: 'testing' });
      await q.catchesUp();
      await q.isIn({ 1: 'merged' });
      await q.hasReason(1, 'MERGE_GRAPH_MERGE');
      await q.hasTested('main+1+2', 1);
      await q.hasMoved(1);
    },
  },
  {
    id: 'T-H32',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.pauses();
      await q.passes('main+1+2');
      await q.passes('main+1');
      await q.isIn({ 1: 'tests_passed', 2: 'tests_passed' });
      await q.resumes();
      await q.hasLanded('main+1+2');
      await q.isIn({ 1: 'merged', 2: 'merged' });
    },
  },
];
