import type { HistoryItem, Sha } from '@mq/core';

/** The history of a queue as text: one line per row, oldest first. */
export const timelineOf = (history: readonly HistoryItem[], contentOf: (commit: Sha) => string): string =>
  history.length === 0
    ? '  nothing'
    : history.map((row) => `  ${timeOf(row.at)}  ${sentenceOf(row, contentOf)}`).join('\n');

const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 19);

const sentenceOf = (row: HistoryItem, contentOf: (commit: Sha) => string): string => {
  switch (row.type) {
    case 'moved':
      return [
        `#${row.pr} attempt ${row.attempt}: ${row.from ?? 'new'} -> ${row.to}`,
        row.reason === null ? '' : `(${row.reason}${row.detail === null ? '' : `: ${row.detail}`})`,
      ].join(' ');
    case 'aside':
      return `#${row.pr} attempt ${row.attempt}: ${row.lack === null ? 'is ready again' : `is on hold (${row.lack})`}`;
    case 'put_off':
      return `#${row.pr} attempt ${row.attempt}: postponed (${row.reason}${row.detail === null ? '' : `: ${row.detail}`})`;
    case 'run': {
      const what =
        row.candidate === null ? row.prs.map((pr) => `#${pr}`).join(', ') : contentOf(row.candidate.commit);
      return `test run ${row.runId.slice(-8)} of ${what}: ${row.change} ${row.outcome ?? ''} ${row.cause ?? ''}`.trimEnd();
    }
    case 'configured':
      return `${row.actor.name} sets ${JSON.stringify(row.settings)}${row.wanted === null ? '' : ` and requests ${row.wanted}`}`;
    case 'commanded':
      return `${row.actor.name} requests ${row.command}${row.pr === null ? '' : ` of #${row.pr}`}`;
    case 'alarm':
      return `ALARM ${row.code}: ${row.sentence}`;
    case 'adapted':
      return `${row.what} ${row.from} -> ${row.to}: ${row.sentence}`;
  }
};
