import type { Commit } from '@mq/core';
import { tallyCoverage } from './coverage.js';
import { short } from './short-id.js';
import type { Trace } from './trace.js';

/** Adds the writes of a commit to the trace, and counts them. */
export const traceCommit = (trace: Trace, commit: Commit, outcome: string): void => {
  if (outcome !== 'committed') return trace.say('store', `version ${commit.expected}: ${outcome}`);
  const moves = commit.writes.history.map((row) => {
    if (row.type === 'moved') return `#${row.pr}/${row.attempt} ${row.from}->${row.to} ${row.reason}`;
    if (row.type === 'aside') return `#${row.pr}/${row.attempt} ${row.lack ?? 'is ready again'}`;
    if (row.type === 'put_off') return `#${row.pr}/${row.attempt} postponed ${row.reason}`;
    if (row.type === 'run')
      return `run ${short(row.runId)} [${row.prs}] ${row.change} ${row.outcome ?? ''} ${row.cause ?? ''}`;
    if (row.type === 'configured')
      return `configured ${row.wanted ?? ''} ${Object.keys(row.settings).join(' ')}`;
    if (row.type === 'adapted') return `${row.what} ${row.from} -> ${row.to}`;
    return row.type === 'alarm' ? `alarm ${row.code} ${row.sentence}` : `${row.command} #${row.pr}`;
  });
  const effects = commit.effects.map(({ type }) => type);
  trace.say(
    'store',
    `version ${commit.expected + 1}: ${moves.join('; ')}${effects.length > 0 ? ` effects ${effects}` : ''}`,
  );
  tallyCoverage(trace, commit);
};
