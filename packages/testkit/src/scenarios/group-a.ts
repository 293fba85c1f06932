import type { Scenario } from './scenario.js';

/** Admission and readiness. */
export const groupA: readonly Scenario[] = [
  {
    id: 'T-A01',
    tell: async (q) => {
      await q.submit(1);
      await q.isIn({ 1: 'testing' });
      await q.isTesting('main+1');
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.hasReason(1, 'MERGE_GRAPH_MERGE');
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-A02',
    tell: async (q) => {
      await q.submit(1);
      await q.submit(1);
      await q.isOnAttempt(1, 1);
      await q.hasTested('main+1', 1);
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-A04',
    tell: async (q) => {
      await q.opens(1);
      await q.retargets(1, 'develop');
      await q.submit(1);
      await q.isIn({ 1: 'not_ready' });
      await q.waitsFor(1, 'base_branch');
      await q.explains(1, /base branch/);
      await q.isTesting();
    },
  },
  {
    id: 'T-A05',
    setup: { settings: { mode: 'parallel' } },
    tell: async (q) => {
      await q.submit(1);
      await q.isIn({ 1: 'not_ready' });
      await q.waitsFor(1, 'impacted_targets');
      await q.touches(1, ['//x']);
      await q.isIn({ 1: 'testing' });
      await q.isOnAttempt(1, 1);
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-A06',
    tell: async (q) => {
      await q.submit(1);
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-A07',
    tell: async (q) => {
      await q.saysMergeability(1, 'unspecified');
      await q.submit(1);
      await q.isIn({ 1: 'not_ready' });
      await q.waitsFor(1, 'mergeability_unknown');
      await q.unseen(() => q.saysMergeability(1, null));
      await q.after('15m');
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-A08',
    setup: { settings: { notReadyTimeoutHours: 1 } },
    tell: async (q) => {
      await q.saysMergeability(1, 'unspecified');
      await q.submit(1, 2);
      await q.isTesting('main+2');
      await q.explains(1, /has not reported yet/);
      await q.passes('main+2');
      await q.hasLanded('main+2');
      await q.after('61m');
      await q.hasReason(1, 'NOT_READY_TIMEOUT_EXPIRED');
    },
  },
  {
    id: 'T-A09',
    tell: async (q) => {
      await q.opens({ number: 1, commits: [{ 'README.md': 'by 1\n' }] }, 2);
      await q.pushesToTarget({ 'README.md': 'by hand\n' });
      await q.submit(1, 2);
      await q.isTesting('main+push+2');
      await q.waitsFor(1, 'mergeable');
      await q.explains(1, /conflict/);
      await q.passes('main+push+2');
      await q.hasLanded('main+push+2');
    },
  },
  {
    id: 'T-A10',
    tell: async (q) => {
      await q.drafts(1);
      await q.submit(1);
      await q.isIn({ 1: 'not_ready' });
      await q.waitsFor(1, 'ready_for_review');
      await q.marksReady(1);
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-A12',
    tell: async (q) => {
      await q.closes(1);
      await q.isRefused('PULL_REQUEST_CLOSED', () => q.submit(1));
      await q.isUnknown(1);
    },
  },
  {
    id: 'T-A14',
    setup: { queue: false },
    tell: async (q) => {
      await q.isRefused('QUEUE_NOT_FOUND', () => q.submit(1));
      await q.isUnknown(1);
      await q.createsQueue();
      await q.isUnknown(1);
    },
  },
  {
    id: 'T-A15',
    tell: async (q) => {
      await q.isRefused('STALE_HEAD', () => q.submit(1, { head: 'stale' }));
      await q.isUnknown(1);
      await q.submit(1, { head: 'present' });
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-A17',
    tell: async (q) => {
      await q.saysMergeability(1, 'not_mergeable');
      await q.submit(1);
      await q.isIn({ 1: 'not_ready' });
      await q.waitsFor(1, 'mergeable');
      await q.saysMergeability(1, null);
      await q.isTesting('main+1');
      await q.isOnAttempt(1, 1);
    },
  },
  {
    id: 'T-A19',
    tell: async (q) => {
      await q.submit(1);
      await q.fails('main+1');
      await q.isIn({ 1: 'failed' });
      await q.submit(1);
      await q.isOnAttempt(1, 2);
      await q.isTesting('main+1');
      await q.hasTested('main+1', 2);
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
    },
  },
  {
    id: 'T-A21',
    tell: async (q) => {
      await q.pauses();
      await q.submit(1);
      await q.isIn({ 1: 'pending' });
      await q.waitsFor(1, 'queue_paused');
      await q.isTesting();
      await q.resumes();
      await q.isTesting('main+1');
    },
  },
  {
    id: 'T-A23',
    tell: async (q) => {
      await q.opens(1);
      await q.pushes(1);
      await q.closes(1);
      await q.reopens(1);
      await q.isUnknown(1);
      await q.isTesting();
    },
  },
  {
    id: 'T-A24',
    tell: async (q) => {
      await q.opens({ number: 1, title: 'The first title' });
      await q.submit(1);
      await q.edits(1, { title: 'Another title', body: 'Another body' });
      await q.isTesting('main+1');
      await q.hasTested('main+1', 1);
      await q.passes('main+1');
      await q.hasTitle(/^The first title/);
    },
  },
];
