import type { Draft } from '../decide/draft/draft.js';
import { isOpenRun, isUntested, remainingStack, type TestRun } from '../model/run.js';
import {
  BASELINE_CANCELLED,
  COMPOSED,
  closeSentences,
  outcomeSentences,
  PASSED_UNTESTED,
} from '../model/story.js';
import { filledIn } from '../model/waits.js';
import { be, cutName, durationOf, prsOf, quoted, runOf } from './phrases.js';
import { waitForTestRunOfBatch } from './under-test.js';

/** What a test run waits for, or its result: one sentence. */
export const explainRun = (draft: Draft, run: TestRun): string => {
  if (isOpenRun(run) && run.state !== 'ended') return waitForTestRunOfBatch(draft, run)[0]?.sentence ?? '';
  const members = run.batch.length === 0 ? draft.queue.branch : prsOf(run.batch);
  const below = run.stack.length === 0 ? '' : ` on top of ${prsOf(run.stack)}`;
  const why = whyClosed(run);
  const closed =
    why === null ? stillOpen(run) : `${run.outcome === null ? ':' : '; it was closed because'} ${why}`;
  return `${run.purpose.kind === 'compose' ? 'Run' : 'Test run'} ${runOf(run.id)} of ${members}${below} ${endOf(run)}${closed}.`;
};

const whyClosed = ({ closedBecause, purpose, batch }: TestRun): string | null => {
  if (closedBecause === null) return null;
  if (closedBecause === 'member_left' && batch.length === 1) return `${prsOf(batch)} left the queue`;
  return closedBecause === 'superseded' && purpose.kind === 'control'
    ? BASELINE_CANCELLED
    : closeSentences[closedBecause];
};

const stillOpen = (run: TestRun): string => {
  const below = remainingStack(run);
  return below.length === 0 ? '' : `; ${prsOf(below)} below it ${be(below.length)} not decided yet`;
};

const endOf = (run: TestRun): string => {
  const { outcome, purpose, decidedBy, failure, endedAt, testingSince } = run;
  if (outcome === null) return 'was cancelled';
  if (purpose.kind === 'compose') return COMPOSED;
  if (isUntested(run)) return PASSED_UNTESTED;
  const took =
    endedAt === null || testingSince === null ? '' : ` after ${durationOf(endedAt - testingSince)}`;
  const check =
    decidedBy === null
      ? ''
      : ` by check ${cutName(decidedBy.name)} (${quoted(decidedBy.summary, decidedBy.conclusion ?? 'no conclusion')})`;
  const words =
    outcome === 'infrastructure' && failure !== null ? `: ${quoted(failure, 'no reason was given')}` : '';
  return `${filledIn(outcomeSentences[outcome], { took, check })}${words}`;
};
