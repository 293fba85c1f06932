import type { Schemas } from '../command.js';
import { type Ahead, aheadLine } from './ahead.js';
import { withShortIds } from './plain.js';
import { priorityText } from './priority.js';
import { paint, type Style, stateText } from './style.js';
import { type Column, table } from './table.js';
import { clock, relative, since } from './time.js';
import { wrapped } from './width.js';

export type Found = Schemas['FoundPullRequest'];
/** With what its test run tested: null if it has none, or the test run is no longer on record. */
export type Tested = Found & {
  readonly testedOnTopOf: readonly number[] | null;
  /** The pull requests of its batch, itself included. */
  readonly testedWith: readonly number[] | null;
  readonly testedCommit: string | null;
};
/** With the pull requests before it in the queue and why they are; empty if there are none. */
export type Explained = Tested & { readonly ahead: readonly Ahead[] };
type Enqueued = Schemas['EnqueuedPullRequest'];
type Failure = Schemas['Failure'];

export const numbers = (prs: readonly number[]): string => prs.map((pr) => `#${pr}`).join(', ');

const titleLine = (found: Found, style: Style): string =>
  wrapped(`#${found.prNumber} ${found.prTitle} (by ${found.prAuthor})`, style.width, '  ');

const terminal: ReadonlySet<string> = new Set(['merged', 'failed', 'cancelled']);

const stateLine = (found: Found, style: Style): string => {
  const { stateChangedAt: at, usedDefaultPriorityName } = found;
  const shown = priorityText(found);
  const priority = shown === usedDefaultPriorityName ? '' : `, priority ${shown}`;
  const [word, ago] = terminal.has(found.state) ? ['at', ' ago'] : ['since', ''];
  return `${stateText(style, found.state)} ${word} ${clock(at, style.now)} (${since(at, style.now)}${ago})${priority}`;
};

const positionLine = ({ state, position, aheadInLane, queueState }: Found): readonly string[] => {
  if (terminal.has(state)) return [];
  const paused = queueState === 'running' ? '' : ` The queue is ${queueState.replaceAll('_', ' ')}.`;
  if (position === null) return paused === '' ? [] : [paused.trim()];
  if (aheadInLane === null) return [`Position ${position}.${paused}`];
  const ahead = aheadInLane === 0 ? 'next to merge' : `${aheadInLane} to merge before it`;
  // Pull requests that merge before it but are not under test stand after it in the table.
  const below = aheadInLane - (position - 1);
  const listed = below > 0 ? ` (${below} of them further down in the table: not under test now)` : '';
  return [`Position ${position}, ${ahead}${listed}.${paused}`];
};

/** When it will be merged, or why that is not known. */
export const estimateLine = ({ estimatedTimeToMerge: estimate }: Found, style: Style): readonly string[] => {
  if (estimate === undefined) return [];
  if (estimate.status === 'unavailable')
    return estimate.reason === 'ended' ? [] : [`No estimate: ${estimate.sentence}`];
  if (estimate.expectedMergeAt === null)
    return estimate.expectedResolutionAt === null
      ? []
      : [`The verdict on its failure is expected ${relative(estimate.expectedResolutionAt, style.now)}.`];
  const late =
    estimate.pessimisticMergeAt === null
      ? ''
      : `, at the latest ${relative(estimate.pessimisticMergeAt, style.now)}`;
  return [`Expected to merge ${relative(estimate.expectedMergeAt, style.now)}${late}, if all tests pass.`];
};

/** Why it is where it is, in one sentence; '' where there is nothing to say. */
export const whyOf = ({ waitingFor, reason }: Pick<Enqueued, 'waitingFor' | 'reason'>): string =>
  withShortIds(waitingFor?.sentence ?? [reason?.sentence, reason?.detail].filter(Boolean).join(' '));

/** The signed address of a log of the server, which is long and short-lived: `mq log` shows the log itself. */
const isLogOfOurs = (url: string | null): boolean => url !== null && /\/logs\/.*[?&]key=/.test(url);

const onTopOf = (prs: readonly number[]): string =>
  prs.length === 0 ? 'on the target branch alone' : `on top of ${numbers(prs)}`;

/** The batch, where it has several pull requests. */
export const together = (batch: readonly number[]): string =>
  batch.length < 2 ? '' : `, in a batch of ${numbers(batch)}`;

export const failureLines = (failure: Failure | null): readonly string[] => {
  if (failure === null) return [];
  const checks = failure.failingChecks.map(({ name, conclusion, summary, url }) =>
    [`  ✖ ${name}: ${conclusion.toLowerCase().replaceAll('_', ' ')}`, summary, isLogOfOurs(url) ? null : url]
      .filter(Boolean)
      .join('  '),
  );
  return [
    `Failed in test run ${failure.testRunId}, ${onTopOf(failure.testedOnTopOf)}${together(failure.testedWith)}:`,
    ...checks,
  ];
};

const mergedLine = ({ landedCommit, testedCommit = null }: Found & Partial<Tested>): readonly string[] => {
  if (landedCommit === null) return [];
  if (testedCommit === null) return [`Merged as ${landedCommit}.`];
  return testedCommit === landedCommit
    ? [`Merged as ${landedCommit}, the commit that was tested.`]
    : [`Merged as ${landedCommit}; tested as ${testedCommit}.`];
};

/** Where a pull request is, in a few lines. */
export const statusText = (found: Found & Partial<Tested>, style: Style): string => {
  const why = whyOf(found);
  const lines = [
    paint(style, 'bold', titleLine(found, style)),
    stateLine(found, style),
    ...(why === '' ? [] : [why]),
    ...failureLines(found.failure),
    ...positionLine(found),
    ...(found.estimatedTimeToMerge?.status === 'available' ? estimateLine(found, style) : []),
    ...mergedLine(found),
    ...(found.state === 'merged' ? testLine(found) : []),
    ...(found.endedBy === null || found.state !== 'cancelled'
      ? []
      : [`Cancelled by ${found.endedBy.person ?? found.endedBy.name}.`]),
  ];
  return lines.map((line) => wrapped(line, style.width, '  ')).join('\n');
};

const hasLog = ({ failure, testRunId, failedTestRun, verifiedByTestRun }: Found): boolean =>
  failure !== null || testRunId !== undefined || failedTestRun !== null || verifiedByTestRun !== null;

const testLine = (found: Found & Partial<Tested>): readonly string[] => {
  const { testRunId, verifiedByTestRun, testedOnTopOf = null, testedWith = null, failure } = found;
  const id = testRunId ?? verifiedByTestRun;
  if (failure !== null || id === null) return [];
  if (testedOnTopOf === null) return [`Tested in test run ${id}.`];
  return [`Tested ${onTopOf(testedOnTopOf)}${together(testedWith ?? [])}, in test run ${id}.`];
};

const forward = (pr: number): string =>
  `mq priority ${pr} high  moves it forward; with --preview, only shows what that would change`;
const resume = (): string => 'mq queue resume  resumes the queue, once the cause is fixed';

/** The command that helps, keyed by what the pull request waits for. */
const helping: Readonly<Record<string, (pr: number) => string>> = {
  ...{ turn: forward, lane_ahead: forward, batch: forward },
  ...{ queue_paused: resume, queue_draining: resume, queue_frozen: resume },
  impacted_targets: (pr) =>
    `mq targets set ${pr}  sets what it touches: --target, --file, --paths, --all or --none`,
};

/** The chain of causes, what helps, and where to look. */
export const whyText = (found: Explained, style: Style): string => {
  const { waitingFor, remedy, failure, prUrl, prNumber } = found;
  const causes = waitingFor?.causes ?? [];
  const chain = causes.length > 0 ? causes.map(({ sentence }) => withShortIds(sentence)) : [whyOf(found)];
  const helps = found.state === 'merged' ? '' : (waitingFor?.remedy ?? remedy);
  const lines = [
    paint(style, 'bold', titleLine(found, style)),
    stateLine(found, style),
    '',
    ...chain
      .filter((sentence) => sentence !== '')
      .map((sentence, index) => `${'  '.repeat(index)}→ ${sentence}`),
    ...failureLines(failure),
    ...mergedLine(found),
    ...testLine(found),
    ...positionLine(found),
    ...aheadLine(found),
    ...estimateLine(found, style),
    ...(helps === '' ? [] : ['', `${paint(style, 'bold', 'What helps:')} ${helps}`]),
    '',
    ...(prUrl === '' ? [] : [prUrl]),
    ...(hasLog(found) ? [`mq log ${prNumber}      the log of its check`] : []),
    `mq history ${prNumber}  what has happened to it`,
    ...(terminal.has(found.state) ? [] : [helping[waitingFor?.code ?? '']?.(prNumber) ?? []].flat()),
  ];
  return lines.map((line) => wrapped(line, style.width, `${/^ */.exec(line)?.[0] ?? ''}  `)).join('\n');
};

const hasPriority = (one: Enqueued): boolean =>
  one.skipTheLine || priorityText(one) !== one.usedDefaultPriorityName;

type Row = Enqueued & { readonly position: number | null };

const columns = (now: number, rows: readonly Row[]): readonly Column<Row>[] => [
  { title: '', cell: ({ position }) => (position === null ? '–' : String(position)) },
  { title: 'PR', cell: ({ prNumber }) => `#${prNumber}` },
  { title: 'STATE', cell: ({ state }) => state.replaceAll('_', ' ') },
  { title: 'BY', cell: ({ prAuthor }) => (prAuthor.length > 20 ? `${prAuthor.slice(0, 19)}…` : prAuthor) },
  ...(rows.some(hasPriority)
    ? [{ title: 'PRIORITY', cell: (row: Row) => priorityText(row), from: 100 }]
    : []),
  { title: 'SINCE', cell: ({ stateChangedAt }) => since(stateChangedAt, now) },
  {
    title: 'TITLE',
    cell: ({ prTitle }) => (prTitle.length > 40 ? `${prTitle.slice(0, 39)}…` : prTitle),
    from: 140,
  },
  { title: 'WHY', cell: whyOf, grows: true },
];

/** The queue in its order, and below what is not ready. */
export const queueTable = (queue: Schemas['GetQueueAnswer'], style: Style): string => {
  const rows = [
    ...queue.enqueuedPullRequests.map((one, index) => ({ ...one, position: index + 1 })),
    ...queue.notReadyPullRequests.map((one) => ({ ...one, position: null })),
  ];
  if (rows.length === 0) return 'The queue is empty.';
  const [titles = '', ...lines] = table(columns(style.now, rows), rows, style.width).split('\n');
  return [paint(style, 'dim', titles), ...lines].join('\n');
};
