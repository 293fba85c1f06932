import type { Scenario } from './scenario.js';

const two = { settings: { concurrency: 2 } };

/** Administration of a queue. */
export const groupL: readonly Scenario[] = [
  {
    id: 'T-L01',
    tell: async (q) => {
      await q.submit(1, 2);
      await q.pauses('a release is being cut');
      await q.queueIs('paused');
      await q.passes('main+1');
      await q.isIn({ 1: 'tests_passed', 2: 'pending' });
      await q.waitsFor(1, 'queue_paused');
      await q.explains(2, /a release is being cut/);
      await q.hasLanded('main');
      await q.isTesting();
      await q.resumes();
      await q.hasLanded('main+1');
      await q.hasTested('main+1', 1);
      await q.isTesting('main+1+2');
    },
  },
  {
    id: 'T-L02',
    setup: two,
    tell: async (q) => {
      await q.submit(1, 2);
      await q.beforeLanding(() => q.pauses());
      await q.passes('main+1');
      await q.isIn({ 1: 'merged' });
      await q.hasLanded('main+1');
      await q.passes('main+1+2');
      await q.isIn({ 2: 'tests_passed' });
      await q.hasLanded('main+1');
    },
  },
  {
    id: 'T-L03',
    tell: async (q) => {
      await q.submit(1, 2);
      await q.drains();
      await q.submit(3);
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.isIn({ 2: 'pending', 3: 'pending' });
      await q.waitsFor(2, 'queue_draining');
      await q.waitsFor(3, 'queue_draining');
      await q.isTesting();
      await q.resumes();
      await q.isTesting('main+1+2');
    },
  },
  {
    id: 'T-L04',
    tell: async (q) => {
      await q.submit(1);
      await q.isRefused('QUEUE_NOT_EMPTY', () => q.deletesQueue());
      await q.isTesting('main+1');
      await q.passes('main+1');
      await q.hasLanded('main+1');
      await q.deletesQueue();
      await q.isRefused('QUEUE_NOT_FOUND', () => q.submit(2));
    },
  },
  {
    id: 'T-L05',
    tell: async (q) => {
      const [deleted, submitted] = await Promise.allSettled([q.deletesQueue(), q.submit(1)]);
      if (deleted.status === submitted.status) throw new Error(`Both were ${deleted.status}.`);
      if (deleted.status === 'fulfilled') await q.isRefused('QUEUE_NOT_FOUND', () => q.submit(1));
      else await q.isTesting('main+1');
    },
  },
  {
    id: 'T-L06',
    setup: two,
    tell: async (q) => {
      await q.isRefused('QUEUE_EXISTS', () => q.createsQueue({ concurrency: 1 }));
      await q.submit(1, 2);
      await q.isTesting('main+1', 'main+1+2');
    },
  },
  {
    id: 'T-L09',
    tell: async (q) => {
      await Promise.all([q.configures({ concurrency: 2 }), q.configures({ requiredStatuses: ['test'] })]);
      await q.submit(1, 2);
      await q.isTesting('main+1', 'main+1+2');
    },
  },
  {
    id: 'T-L10',
    tell: async (q) => {
      await q.submit(1);
      await q.pauses('a release is being cut');
      await q.crashes();
      await q.queueIs('paused');
      await q.passes('main+1');
      await q.isIn({ 1: 'tests_passed' });
      await q.explains(1, /a release is being cut/);
      await q.hasLanded('main');
    },
  },
];
