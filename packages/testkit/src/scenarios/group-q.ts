import type { Driver } from './driver.js';
import type { Scenario } from './scenario.js';

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = <Value>(prs: readonly number[], value: Value): Readonly<Record<number, Value>> =>
  Object.fromEntries(prs.map((pr) => [pr, value]));
const contentWith = (prs: readonly number[]): string => ['main', ...prs].join('+');

/** Draws integers below a limit, the same for the same seed. */
const dice = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const FAULTS = ['fails_before', 'fails_after'] as const;

/** Fifty pull requests over time, some broken, some cancelled, while commits to the store fail. */
const fifty = async (q: Driver): Promise<void> => {
  const draw = dice(7);
  const fates = { merged: [] as number[], failed: [] as number[], cancelled: [] as number[] };
  for (const pr of numbered(50)) {
    const fate = (['merged', 'merged', 'failed', 'cancelled'] as const)[draw(4)] ?? 'merged';
    fates[fate].push(pr);
    await q.opens({ number: pr, broken: fate === 'failed' });
    await q.losesAnswer('commit', FAULTS[draw(2)] ?? 'fails_before');
    await q.submit(pr);
    if (fate === 'cancelled') await q.cancel(pr);
    if (draw(3) === 0) await q.after('7m');
  }
  await q.after('12h');
  for (const [state, prs] of Object.entries(fates)) await q.isIn(all(prs, state as keyof typeof fates));
  await q.hasLanded(contentWith(fates.merged));
};

/** Many pull requests, and whether all of them end. */
export const groupQ: readonly Scenario[] = [
  {
    id: 'T-Q02',
    setup: { settings: { concurrency: 5 }, ciTakes: '10m' },
    tell: fifty,
  },
  {
    id: 'T-Q03',
    setup: {
      settings: { batch: true, batchingMinSize: 8, concurrency: 2, confirmBeforeFailing: true },
      ciTakes: '10m',
      oneFlakyOf: 20,
    },
    tell: async (q) => {
      await q.submit(...numbered(200));
      await q.after('16h');
      await q.isIn(all(numbered(200), 'merged'));
      await q.hasLanded(contentWith(numbered(200)));
    },
  },
  {
    id: 'T-Q04',
    setup: { settings: { concurrency: 3 }, ciTakes: '10m' },
    tell: async (q) => {
      await q.submit(...numbered(6));
      await q.losesAnswer('land', 'fails_after');
      await q.after('10m');
      await q.goesDown();
      await q.after('1h');
      await q.crashes();
      await q.comesBack();
      await q.startsChecks('silence');
      await q.submit(7, 8);
      await q.cancelsChecks(false);
      await q.cancel(7);
      await q.after('5m');
      await q.startsChecks('running');
      await q.cancelsChecks(true);
      await q.after('6h');
      await q.isIn({ ...all([1, 2, 3, 4, 5, 6, 8], 'merged'), 7: 'cancelled' });
      await q.isTesting();
      await q.isSound();
    },
  },
  {
    id: 'T-Q05',
    setup: { settings: { concurrency: 4 }, ciTakes: '10m' },
    tell: async (q) => {
      const draw = dice(5);
      for (const pr of numbered(30)) {
        await q.opens({ number: pr, broken: draw(4) === 0 });
        await q.submit(pr);
        const fate = draw(6);
        if (fate === 0) await q.pushes(pr);
        if (fate === 1) await q.crashes();
        if (fate === 2) await q.pushesToTarget();
        if (fate === 3) await q.startsChecks('silence');
        await q.isSound();
        await q.after('4m');
        await q.startsChecks('running');
        await q.isSound();
      }
    },
  },
  {
    id: 'T-Q08',
    setup: { settings: { concurrency: 2 }, ciTakes: '1h' },
    tell: async (q) => {
      for (const pr of numbered(48)) {
        await q.submit(pr, { skipTheLine: pr % 8 === 0 });
        await q.after('15m');
        if (pr % 8 === 0) await q.hasMoved(pr / 4);
      }
      const landed = contentWith([
        1, 2, 8, 3, 4, 5, 16, 6, 7, 9, 24, 10, 11, 12, 32, 13, 14, 15, 40, 17, 18, 19,
      ]);
      await q.hasLanded(landed);
      await q.isTesting(`${landed}+48`, `${landed}+48+20`);
    },
  },
];
