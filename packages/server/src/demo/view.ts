import type { PullRequestAnswer, RunAnswer } from './client.js';
import { fit, type Line, span, type Tone } from './styled.js';
import type { Sight } from './watch.js';

export const VIEW_COLUMNS = 102;
const TITLE_CHARS = 30;
const STATE_CHARS = 15;
/** One line per test slot, so that the height stays the same. */
export const RUNS_SHOWN = 3;

interface Look {
  readonly sign: string;
  readonly word: string;
  readonly tone: Tone;
}

const looks: Readonly<Record<string, Look>> = {
  not_ready: { sign: '·', word: 'not ready', tone: 'dim' },
  pending: { sign: '○', word: 'waiting', tone: 'dim' },
  testing: { sign: '●', word: 'testing', tone: 'busy' },
  tests_passed: { sign: '◆', word: 'tests passed', tone: 'good' },
  pending_failure: { sign: '◇', word: 'failing', tone: 'held' },
  merged: { sign: '✔', word: 'merged', tone: 'good' },
  failed: { sign: '✖', word: 'failed', tone: 'bad' },
  cancelled: { sign: '–', word: 'cancelled', tone: 'held' },
};

const lookOf = (state: string): Look => looks[state] ?? { sign: '?', word: state, tone: 'plain' };

/** The state as a symbol and a word. */
export const stateSpan = (state: string, chars = STATE_CHARS) => {
  const { sign, word, tone } = lookOf(state);
  return span(fit(`${sign} ${word}`, chars), tone);
};

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Renders the queue at one moment, always with the same height. */
export const viewOf = (sight: Sight): readonly Line[] => {
  const left = sight.pullRequests.filter(({ state }) => ['merged', 'failed', 'cancelled'].includes(state));
  return [
    [
      span('  queue of main', 'strong'),
      span(`   ${left.length} of ${sight.pullRequests.length} decided   ${seconds(sight.atMs)}`, 'dim'),
    ],
    [],
    ...sight.pullRequests.map(pullRequestLine),
    [],
    ...runLines(sight.runs),
  ];
};

const pullRequestLine = (pull: PullRequestAnswer): Line => [
  span(`  #${pull.prNumber}  `, 'strong'),
  span(fit(pull.prTitle, TITLE_CHARS)),
  span('  '),
  stateSpan(pull.state),
  span(fit(whyOf(pull), VIEW_COLUMNS - TITLE_CHARS - STATE_CHARS - 8), 'dim'),
];

const whyOf = ({ state, waitingFor, reason }: PullRequestAnswer): string => {
  if (waitingFor === undefined) return state === 'merged' ? '' : firstSentence(reason?.sentence ?? '');
  const behind = waitingFor.behindPr === null ? '' : ` (#${waitingFor.behindPr})`;
  return `${firstSentence(waitingFor.sentence)}${behind}`;
};

const RUN = 'test run [0-9a-f-]{36}';

/** Without the ids of test runs and the number that starts the line, because the column is short. */
const firstSentence = (text: string): string =>
  (text.split(/[.;] /)[0] ?? '')
    .replace(/\.$/, '')
    .replace(new RegExp(`is in ${RUN}`), 'is tested')
    .replace(new RegExp(` \\(${RUN}\\)|, ${RUN}|${RUN}, `, 'g'), '')
    .replace(/^#\d+ /, '');

/** The open test runs: the branch with the pull requests on top of it. */
export const contentOf = (run: RunAnswer): string =>
  [
    'main',
    ...[...run.dependentPrs, ...run.testedPullRequests.map(({ prNumber }) => prNumber)].map((pr) => `#${pr}`),
  ].join(' + ');

const runLines = (runs: readonly RunAnswer[]): readonly Line[] =>
  Array.from({ length: RUNS_SHOWN }, (_, slot): Line => {
    const run = runs[slot];
    const label = span(`  slot ${slot + 1}  `, 'strong');
    return run === undefined
      ? [label, span('free', 'dim')]
      : [label, span('● ', 'busy'), span(contentOf(run), 'busy')];
  });
