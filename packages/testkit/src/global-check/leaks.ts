import { type HistoryRow, isOpenRun, type QueueSettings, type TestRun } from '@mq/core';
import type { Evidence } from './evidence.js';

/** Nothing is left behind, and no more runs than the queue allows. To be asked of a settled queue only. */
export const leakFaults = (evidence: Evidence): readonly string[] => {
  const { host, runs, queue, inboxCount, openElsewhere } = evidence;
  const open = [...runs.values()].filter(isOpenRun);
  const openIds = new Set([...open.map(({ id }) => id), ...openElsewhere]);
  const testing = new Set([
    ...open.filter(({ state }) => state === 'testing').map(({ id }) => id),
    ...openElsewhere,
  ]);
  const faults: string[] = [];
  for (const id of host.candidates)
    if (!openIds.has(id)) faults.push(`A candidate of ${id} is kept, which is over.`);
  for (const { runId, name } of host.runningChecks)
    if (runId !== null && !testing.has(runId))
      faults.push(`Check ${name} of ${runId} runs on, which is over.`);
  if (inboxCount > 0) faults.push(`${inboxCount} facts wait in the inbox.`);
  if (queue.landing !== null) faults.push(`A landing of ${queue.landing.runId} is under way.`);
  return [...faults, ...slotFaults(evidence), ...orphanFaults(evidence, open)];
};

/** Every open run serves a live attempt; of a batch that lands in parts, those that have not landed. */
const orphanFaults = ({ submissions }: Evidence, open: readonly TestRun[]): readonly string[] =>
  open.flatMap((run) =>
    run.batch.flatMap(({ pr, attempt }) => {
      if (run.landed.includes(pr)) return [];
      const view = submissions.find(({ submission }) => submission.pr === pr);
      const isServed = view?.submission.attempt === attempt && view.waiting !== null;
      return isServed ? [] : [`Run ${run.id} is open for #${pr} attempt ${attempt}, which is over.`];
    }),
  );

type Purpose = TestRun['purpose']['kind'];

interface Pool {
  readonly purposes: readonly Purpose[];
  readonly limit: (settings: Limits) => number;
}

type Limits = Pick<QueueSettings, 'concurrency' | 'bisectionConcurrency'>;

const pools: readonly Pool[] = [
  { purposes: ['test'], limit: ({ concurrency }) => concurrency },
  {
    purposes: ['isolate', 'control'],
    limit: ({ concurrency, bisectionConcurrency }) => bisectionConcurrency ?? concurrency,
  },
];

/** At no time more runs of a pool that had not ended than the queue allowed when the last of them was made. */
const slotFaults = ({ history, queue }: Evidence): readonly string[] =>
  pools.flatMap(({ purposes, limit }) => {
    const faults: string[] = [];
    const open = new Set<string>();
    let limits = firstLimits(history, queue.settings);
    for (const row of history) {
      if (row.type === 'configured') limits = { ...limits, ...row.settings };
      if (row.type !== 'run' || !purposes.includes(row.purpose)) continue;
      if (row.change !== 'created') {
        if (row.change !== 'testing') open.delete(row.runId);
        continue;
      }
      open.add(row.runId);
      if (open.size > limit(limits))
        faults.push(`${open.size} runs at once at row ${row.sequence}; ${limit(limits)} are allowed.`);
    }
    return faults;
  });

/** Where the first row is lost, what a change of a limit replaced cannot be known; the rows before it are then not judged. */
const firstLimits = (history: readonly HistoryRow[], settings: Limits): Limits => {
  const isChanged = (name: keyof Limits) =>
    history.some((row) => row.type === 'configured' && row.settings[name] !== undefined);
  const unknown = Number.POSITIVE_INFINITY;
  return {
    concurrency: isChanged('concurrency') ? unknown : settings.concurrency,
    bisectionConcurrency: isChanged('bisectionConcurrency') ? unknown : settings.bisectionConcurrency,
  };
};
