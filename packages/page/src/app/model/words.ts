import type { Queue, State, TestingDetails } from '../data/queue-view.js';

export type Tone = 'plain' | 'busy' | 'good' | 'held' | 'bad';

export interface Look {
  readonly sign: string;
  readonly word: string;
  readonly tone: Tone;
}

/** Each state has a sign and a word of its own, so that its colour says nothing that is not also written. */
export const stateLooks: Readonly<Record<State, Look>> = {
  not_ready: { sign: '◌', word: 'Not ready', tone: 'held' },
  pending: { sign: '○', word: 'Waiting', tone: 'plain' },
  testing: { sign: '●', word: 'Testing', tone: 'busy' },
  tests_passed: { sign: '◆', word: 'Tests passed', tone: 'good' },
  pending_failure: { sign: '◇', word: 'Failing', tone: 'held' },
  merged: { sign: '✓', word: 'Merged', tone: 'good' },
  failed: { sign: '✕', word: 'Failed', tone: 'bad' },
  cancelled: { sign: '–', word: 'Cancelled', tone: 'plain' },
};

export const queueLooks: Readonly<Record<Queue['state'], Look>> = {
  running: { sign: '●', word: 'Running', tone: 'good' },
  paused: { sign: '‖', word: 'Paused', tone: 'held' },
  draining: { sign: '▽', word: 'Draining', tone: 'held' },
  switching_modes: { sign: '⇄', word: 'Switching modes', tone: 'held' },
};

const outcomeLooks: Readonly<Record<NonNullable<TestingDetails['outcome']>, Look>> = {
  passed: { sign: '✓', word: 'Passed', tone: 'good' },
  failed: { sign: '✕', word: 'Failed', tone: 'bad' },
  timed_out: { sign: '✕', word: 'Timed out', tone: 'bad' },
  cancelled: { sign: '–', word: 'Cancelled', tone: 'plain' },
  infrastructure: { sign: '!', word: 'Infrastructure failure', tone: 'held' },
};

type RunState = Pick<TestingDetails, 'outcome' | 'testingSince'> & { readonly closedBecause?: string | null };

export const runLook = ({ outcome, closedBecause = null, testingSince }: RunState): Look => {
  if (outcome !== null) return outcomeLooks[outcome];
  if (closedBecause !== null) return { sign: '–', word: 'Stopped', tone: 'plain' };
  if (testingSince === null) return { sign: '○', word: 'Starting', tone: 'plain' };
  return { sign: '●', word: 'Testing', tone: 'busy' };
};

const checkLooks: Readonly<Record<string, Look>> = {
  SUCCESS: { sign: '✓', word: 'Passed', tone: 'good' },
  FAILURE: { sign: '✕', word: 'Failed', tone: 'bad' },
  TIMED_OUT: { sign: '✕', word: 'Timed out', tone: 'bad' },
  CANCELLED: { sign: '–', word: 'Cancelled', tone: 'plain' },
  SKIPPED: { sign: '–', word: 'Skipped', tone: 'plain' },
  NEUTRAL: { sign: '–', word: 'Neutral', tone: 'plain' },
};

type CheckRun = TestingDetails['checkSuites'][number]['checkRuns'][number];

export const checkLook = ({ status, conclusion }: CheckRun): Look => {
  if (status === 'QUEUED') return { sign: '○', word: 'Queued', tone: 'plain' };
  if (status === 'IN_PROGRESS') return { sign: '●', word: 'Running', tone: 'busy' };
  const word = conclusion ?? 'UNKNOWN';
  return checkLooks[word] ?? { sign: '?', word: word.toLowerCase().replaceAll('_', ' '), tone: 'held' };
};

const ID = '[0-9a-f]{8}-[0-9a-f-]{27}';

/** A sentence of the server without the ids of test runs: the page shows test runs beside it. */
export const withoutIds = (sentence: string): string =>
  sentence
    .replace(new RegExp(` \\((?:test run )?${ID}\\)|, test run ${ID}|test run ${ID}, `, 'g'), '')
    .replace(new RegExp(`Test run ${ID}`, 'g'), 'The test run')
    .replace(new RegExp(`test run ${ID}`, 'g'), 'a test run');

/** Drops the number from the beginning of a sentence about `#pr`, since the number stands beside it. */
export const rowSentence = (sentence: string, pr: number): string => {
  const text = withoutIds(sentence);
  const rest = text.startsWith(`#${pr} `) ? text.slice(`#${pr} `.length) : text;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};

export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export const prList = (numbers: readonly number[], shown = 6): string => {
  const named = numbers.slice(0, shown).map((number) => `#${number}`);
  return [...named, ...(numbers.length > shown ? [`${numbers.length - shown} more`] : [])].join(', ');
};
