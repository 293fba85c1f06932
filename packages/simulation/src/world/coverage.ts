import { activeConcurrency, type Commit, type HistoryRow, isOpenRun } from '@mq/core';
import type { Trace } from './trace.js';

/** Counts events of a commit that every long run must show. */
export const tallyCoverage = (trace: Trace, { writes }: Commit): void => {
  for (const row of writes.history) tallyRow(trace, row, writes);
  tallyBisections(trace, writes);
  const { queue, runs } = writes;
  if (queue?.settings.mode === 'parallel') tallyLanes(trace, writes);
  const open = runs.filter((run) => isOpenRun(run) && run.state !== 'ended');
  if (queue !== null && open.length >= activeConcurrency(queue)) trace.tally('all slots taken');
};

const tallyRow = (trace: Trace, row: HistoryRow, { queue, runs }: Commit['writes']): void => {
  switch (row.type) {
    case 'adapted':
      return trace.tally(`${row.what} ${row.to < row.from ? 'lowered' : 'raised'}`);
    case 'alarm':
      return trace.tally(`alarm ${row.code}`);
    case 'configured':
      if (row.wanted === 'paused' && queue?.landing != null) trace.tally('paused with a landing under way');
      return;
    case 'moved':
      trace.tally(`moved to ${row.to}`);
      if (row.from === 'pending_failure') trace.tally(`pending_failure became ${row.to}`);
      return trace.tally(`reason ${row.reason}`);
    case 'aside':
      return trace.tally(row.lack === null ? 'is ready again' : `on hold: ${row.lack}`);
    case 'put_off':
      return trace.tally(`postponed: ${row.reason}`);
    case 'run': {
      const isBatch = row.purpose === 'test' && row.prs.length > 1;
      if (row.change === 'created') {
        trace.tally('runs');
        trace.tally(`run ${row.purpose}`);
        if (isBatch) trace.tally('a batch');
      }
      if (isBatch && row.change === 'closed' && row.cause === 'member_left')
        if (runs.find(({ id }) => id === row.runId)?.outcome === null)
          trace.tally('a member of a batch left');
      if (isBatch && row.change === 'ended' && row.outcome === 'failed') trace.tally('a batch that failed');
      return;
    }
    default:
      return;
  }
};

const tallyBisections = (trace: Trace, { runs }: Commit['writes']): void => {
  for (const { bisection, closedBecause } of runs)
    if (bisection !== null && closedBecause !== null) trace.tally(`bisection ended: ${closedBecause}`);
};

const tallyLanes = (trace: Trace, { runs, targets }: Commit['writes']): void => {
  if (runs.some(({ beside, closedAt }) => beside.length > 0 && closedAt === null))
    trace.tally('beside another lane');
  if (targets.some(({ sets }) => sets[0]?.targets === 'ALL')) trace.tally('an ALL among lanes');
};
