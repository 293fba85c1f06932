import type { Schemas } from '../command.js';
import { numbers, together } from './pull-request.js';
import { paint, type Style } from './style.js';
import { type Column, table } from './table.js';
import { clock, duration } from './time.js';

export type Past = Schemas['GetQueueAtAnswer'];
type Row = Past['pullRequests'][number];

const testedOn = ({ testRuns }: Past, { testRunId }: Row): string => {
  const run = testRuns.find((one) => one.testRunId === testRunId);
  if (run === undefined) return '';
  const { outcome, testedOnTopOf, prNumbers } = run;
  const below =
    testedOnTopOf === null || testedOnTopOf.length === 0
      ? 'on the target branch'
      : `on top of ${numbers(testedOnTopOf)}`;
  return `${outcome === null ? 'under test' : `tests ${outcome}`} ${below}${together(prNumbers)}`;
};

const columns = (past: Past): readonly Column<Row>[] => [
  { title: '', cell: ({ position }) => (position === null ? '–' : String(position)) },
  { title: 'PR', cell: ({ prNumber }) => `#${prNumber}` },
  { title: 'STATE', cell: ({ state }) => state.replaceAll('_', ' ') },
  { title: 'BY', cell: ({ prAuthor }) => (prAuthor ?? '').slice(0, 20) },
  {
    title: 'SINCE',
    cell: ({ stateChangedAt }) => duration(Date.parse(past.at) - Date.parse(stateChangedAt)),
  },
  { title: 'TITLE', cell: ({ prTitle }) => prTitle.slice(0, 40), from: 140 },
  { title: 'TESTS', cell: (row) => testedOn(past, row), grows: true },
];

/** The queue as it was at an instant. */
export const pastText = (past: Past, style: Style): string => {
  const { at, state, pullRequests, morePullRequests: more } = past;
  const title = `At ${clock(at, style.now)}${state === null ? '' : ` the queue was ${state.replaceAll('_', ' ')}`}.`;
  const next = `mq history --at ${at} shows what happened then.`;
  if (pullRequests.length === 0) return [title, '', 'No such pull request was in it.', next].join('\n');
  const [titles = '', ...lines] = table(columns(past), pullRequests, style.width).split('\n');
  return [
    ...[title, '', paint(style, 'dim', titles), ...lines],
    ...(more === 0 ? [] : [`… ${more} more`]),
    ...['', next],
  ].join('\n');
};
