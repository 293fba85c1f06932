import type { Scenario } from './scenario.js';

const two = { settings: { concurrency: 2 } };

/** What happens to a pull request while it is queued. */
export const groupF: readonly Scenario[] = [
  {
    id: 'T-F02',
    setup: { settings: { concurrency: 3 } },
    tell: async (q) => {
      await q.submit(1, 2, 3);
      await q.pushes(1);
      await q.isIn({ 1: 'cancelled', 2: 'testing', 3: 'testing' });
      await q.hasReason(1, 'PR_PUSHED_TO');
      await q.isTesting('main+2', 'main+2+3');
      await q.passes('main+2');
      await q.passes('main+2+3');
      await q.hasLanded('main+2+3');
    },
  },
  {
    id: 'T-F03',
    setup: { settings: { mode: 'parallel', concurrency: 3 } },
    tell: async (q) => {
      await q.touches(1, ['//x']);
      await q.touches(2, ['//y']);
      await q.touches(3, ['//y']);
      await q.submit(1, 2, 3);
      await q.pushes(1);
      await q.isIn({ 1: 'cancelled', 2: 'testing', 3: 'testing' });
      await q.isTesting('main+2', 'main+2+3');
      await q.hasTested('main+2', 1);
      await q.hasTested('main+2+3', 1);
    },
  },
  {
    id: 'T-F04',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(() => q.pushes(1));
      await q.passes('main+1');
      await q.isIn({ 1: 'cancelled' });
      await q.hasReason(1, 'PR_PUSHED_TO');
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-F05',
    tell: async (q) => {
      await q.submit(1);
      await q.beforeLanding(() => q.pushes(1));
      await q.passes('main+1');
      await q.isIn({ 1: 'cancelled' });
      await q.hasReason(1, 'PR_PUSHED_TO');
      await q.hasLanded('main');
    },
  },
  {
    id: 'T-F07',
    tell: async (q) => {
      await q.submit(1);
      await q.retargets(1, 'develop');
      await q.isIn({ 1: 'cancelled' });
      await q.hasReason(1, 'PR_BASE_BRANCH_CHANGED');
      await q.isTesting();
    },
  },
  {
    id: 'T-F09',
    tell: async (q) => {
      await q.submit(1);
      await q.unseen(async () => {
        await q.closes(1);
        await q.reopens(1);
      });
      await q.edits(1, { body: 'to trigger a hint' });
      await q.isIn({ 1: 'testing' });
      await q.isTesting('main+1');
      await q.closes(1);
      await q.isIn({ 1: 'cancelled' });
      await q.hasReason(1, 'PR_CLOSED');
      await q.explains(1, /was closed/);
    },
  },
  {
    id: 'T-F10',
    tell: async (q) => {
      await q.submit(1);
      await q.drafts(1);
      await q.isIn({ 1: 'cancelled' });
      await q.hasReason(1, 'PR_CONVERTED_TO_DRAFT');
      await q.isTesting();
    },
  },
  {
    id: 'T-F11',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.mergesByHand(1);
      await q.isIn({ 1: 'merged', 2: 'testing' });
      await q.hasReason(1, 'MANUAL_MERGE');
      await q.hasTested('main+1+2', 2);
      await q.passes('main+1+2');
      await q.hasLanded('main+1+2');
    },
  },
  {
    id: 'T-F13',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.deletesPullRequest(1);
      await q.after('1h');
      await q.isIn({ 1: 'cancelled', 2: 'testing' });
      await q.hasReason(1, 'PR_NOT_FOUND');
      await q.isTesting('main+2');
    },
  },
  {
    id: 'T-F14',
    tell: async (q) => {
      await q.submit(1);
      await q.saysMergeability(1, 'not_mergeable');
      await q.after('1m');
      await q.hasLanded('main');
      await q.explains(1, /cannot be merged|no longer/);
      await q.saysMergeability(1, null);
      await q.after('1m');
      await q.passes('main+1');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-F18',
    tell: async (q) => {
      await q.submit(1);
      await q.beforeLanding(async () => {
        await q.closes(1);
        await q.lagsBehind();
        await q.reopens(1);
      });
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.after('1h');
      await q.hasReason(1, 'MERGE_GRAPH_MERGE');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-F16',
    tell: async (q) => {
      await q.submit(1);
      await q.deletesHeadBranch(1);
      await q.restart(1);
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
    },
  },
];
