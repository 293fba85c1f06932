import { type HistoryRow, isOpenRun, type QueueSettings, type TestRun } from '@mq/core';
import type { Evidence } from './evidence.js';

/** Checks that nothing is left behind and that the slot limits held. The queue must be settled. */
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
    if (!openIds.has(id))
      faults.push(`The candidate of test run ${id} is still stored, though the test run is closed.`);
  for (const { runId, name } of host.runningChecks)
    if (runId !== null && !testing.has(runId))
      faults.push(`Check ${name} of test run ${runId} is still running, though the test run has ended.`);
  if (inboxCount > 0) faults.push(`${inboxCount} facts are unread in the inbox.`);
  if (queue.landing !== null) faults.push(`The landing of test run ${queue.landing.runId} has not finished.`);
  return [...faults, ...slotFaults(evidence), ...orphanFaults(evidence, open)];
};

/** Every member of an open test run is a live attempt, unless it has landed already. */
const orphanFaults = ({ submissions }: Evidence, open: readonly TestRun[]): readonly string[] =>
  open.flatMap((run) =>
    run.batch.flatMap(({ pr, attempt }) => {
      if (run.landed.includes(pr)) return [];
      const view = submissions.find(({ submission }) => submission.pr === pr);
      const isWaiting = view?.submission.attempt === attempt && view.waiting !== null;
      return isWaiting ? [] : [`Test run ${run.id} is open for #${pr} attempt ${attempt}, which has ended.`];
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

/** The number of concurrent test runs of a pool never exceeded its limit at the time each was created. */
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
        faults.push(
          `${open.size} concurrent test runs at row ${row.sequence}; the limit was ${limit(limits)}.`,
        );
    }
    return faults;
  });

/** The limits before the first `configured` row. A limit that such a row changes is unknown before it, and not checked. */
const firstLimits = (history: readonly HistoryRow[], settings: Limits): Limits => {
  const isChanged = (name: keyof Limits) =>
    history.some((row) => row.type === 'configured' && row.settings[name] !== undefined);
  const unknown = Number.POSITIVE_INFINITY;
  return {
    concurrency: isChanged('concurrency') ? unknown : settings.concurrency,
    bisectionConcurrency: isChanged('bisectionConcurrency') ? unknown : settings.bisectionConcurrency,
  };
};
