import type { HistoryRow, Run } from '@mq/core';
import type { Evidence } from './evidence.js';

/** Nothing is left behind, and no more runs than the queue allows. To be asked of a settled queue only. */
export const leakFaults = (evidence: Evidence): readonly string[] => {
  const { host, runs, queue, inboxCount, liveElsewhere } = evidence;
  const live = [...runs.values()].filter(({ closedAt }) => closedAt === null);
  const liveIds = new Set([...live.map(({ id }) => id), ...liveElsewhere]);
  const testing = new Set([
    ...live.filter(({ state }) => state === 'testing').map(({ id }) => id),
    ...liveElsewhere,
  ]);
  const faults: string[] = [];
  for (const id of host.trials) if (!liveIds.has(id)) faults.push(`A trial of ${id} is kept, which is over.`);
  for (const { runId, name } of host.runningChecks)
    if (runId !== null && !testing.has(runId))
      faults.push(`Check ${name} of ${runId} runs on, which is over.`);
  if (inboxCount > 0) faults.push(`${inboxCount} facts wait in the inbox.`);
  if (queue.landing !== null) faults.push(`A landing of ${queue.landing.runId} is under way.`);
  return [...faults, ...slotFaults(evidence), ...orphanFaults(evidence, live)];
};

/** Every live run serves a live attempt. */
const orphanFaults = ({ submissions }: Evidence, live: readonly Run[]): readonly string[] =>
  live.flatMap((run) =>
    run.batch.flatMap(({ pr, attempt }) => {
      const view = submissions.find(({ submission }) => submission.pr === pr);
      const isServed = view?.submission.attempt === attempt && view.waiting !== null;
      return isServed ? [] : [`Run ${run.id} is live for #${pr} attempt ${attempt}, which is over.`];
    }),
  );

/** At no time more runs that had not ended than the queue allowed when the last of them was made. */
const slotFaults = ({ history, queue }: Evidence): readonly string[] => {
  const faults: string[] = [];
  const open = new Set<string>();
  let concurrency = firstConcurrency(history) ?? queue.settings.concurrency;
  for (const row of history) {
    if (row.type === 'configured') concurrency = row.settings.concurrency ?? concurrency;
    if (row.type !== 'run') continue;
    if (row.change !== 'created') {
      if (row.change !== 'testing') open.delete(row.runId);
      continue;
    }
    open.add(row.runId);
    if (open.size > concurrency)
      faults.push(`${open.size} runs at once at row ${row.sequence}; ${concurrency} are allowed.`);
  }
  return faults;
};

/** What the first change of the concurrency replaced cannot be known; the rows before it are then not judged. */
const firstConcurrency = (history: readonly HistoryRow[]): number | null => {
  const first = history.find((row) => row.type === 'configured' && row.settings.concurrency !== undefined);
  if (first === undefined || first.type !== 'configured') return null;
  return first.sequence === 1 ? (first.settings.concurrency ?? null) : Number.POSITIVE_INFINITY;
};
