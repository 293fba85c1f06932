import { actorName } from '../model/actor.js';
import {
  type Commanded,
  type HistoryRow,
  isUntestedPass,
  type Moved,
  type PutOff,
  type PutOnHold,
  type RunChanged,
} from '../model/history.js';
import type { TestRunId } from '../model/ids.js';
import { nextSteps, nextStepsOtherwise } from '../model/next-steps.js';
import { lackPhrase } from '../model/readiness.js';
import { type ReasonCode, reasons } from '../model/reasons.js';
import { restackRemedy } from '../model/restack.js';
import type { CloseCause } from '../model/run.js';
import {
  type AttemptStory,
  COMPOSED,
  closeSentences,
  DELAYED,
  holdSentences,
  moveSentences,
  outcomeSentences,
  PASSED_UNTESTED,
  type StoryEvent,
  stateNames,
} from '../model/story.js';
import { moves, type SubmissionState } from '../model/submission.js';
import { filledIn } from '../model/waits.js';
import { durationOf, prOf, prsOf, quoted, runOf } from './phrases.js';
import { rebaseStep } from './rebase-step.js';

/** Rows about a pull request that do not change its state. */
type OtherRow = PutOnHold | PutOff | RunChanged | Commanded;

/** The story of each attempt of a pull request in these rows, newest attempt first. Rows may be in any order. */
export const storiesOf = (rows: readonly HistoryRow[], pr: number): readonly AttemptStory[] => {
  const inOrder = rows.toSorted(bySequence);
  const attempts = new Map<number, { moved: Moved[]; otherRows: OtherRow[] }>();
  let latest = 1;
  const rowsOf = (attempt: number) => {
    const rows = attempts.get(attempt) ?? { moved: [], otherRows: [] };
    attempts.set(attempt, rows);
    // A test run of the previous attempt may be closed after the next attempt has begun.
    latest = Math.max(latest, attempt);
    return rows;
  };
  const opening = openingSubmits(inOrder, pr);
  for (const row of inOrder) {
    if (row.type === 'moved' && row.pr === pr) rowsOf(row.attempt).moved.push(row);
    if ((row.type === 'aside' || row.type === 'put_off') && row.pr === pr)
      rowsOf(row.attempt).otherRows.push(row);
    if (row.type === 'run' && row.prs.includes(pr))
      rowsOf(row.attempts[row.prs.indexOf(pr)] ?? latest).otherRows.push(row);
    if (row.type === 'commanded' && row.pr === pr && !opening.has(row)) rowsOf(latest).otherRows.push(row);
  }
  return [...attempts]
    .flatMap(([attempt, { moved, otherRows }]) => storyOf(attempt, pr, moved, otherRows) ?? [])
    .sort((one, other) => other.attempt - one.attempt)
    .map((story, _, [newest = story]) => {
      if (story.attempt === newest.attempt) return story;
      return {
        ...story,
        remedy: `See attempt ${newest.attempt} of ${prOf(pr)}, which came later.`,
      };
    });
};

/** Submit commands that open an attempt, right before its first move. A submit of a live pull request only changes options. */
const openingSubmits = (inOrder: readonly HistoryRow[], pr: number): ReadonlySet<HistoryRow> => {
  const opening = new Set<HistoryRow>();
  let last: HistoryRow | null = null;
  for (const row of inOrder) {
    if (row.type === 'moved' && row.pr === pr && row.to === 'not_ready' && last !== null) opening.add(last);
    if (row.type === 'commanded' && row.pr === pr && row.command === 'submit') last = row;
  }
  return opening;
};

const storyOf = (
  attempt: number,
  pr: number,
  moved: readonly Moved[],
  otherRows: readonly OtherRow[],
): AttemptStory | null => {
  const [first, last] = [moved[0], moved.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isEnded = moves[last.to].length === 0;
  const spentMs = spentOf(moved);
  const untested = new Set(
    otherRows.flatMap((row) => (row.type === 'run' && isUntestedPass(row) ? row.runId : [])),
  );
  const own = isEnded ? otherRows.filter((row) => !isAfterItLeft(row, last)) : otherRows;
  const events = [...moved, ...own].sort(bySequence).flatMap((row) => eventOf(row, pr, untested) ?? []);
  return {
    attempt,
    state: last.to,
    startedAt: first.at,
    endedAt: isEnded ? last.at : null,
    sentence: summaryOf({ attempt, pr, last, isEnded, startedAt: first.at }, spentMs, moved, otherRows),
    remedy: isEnded ? remedyOf(last, pr) : null,
    spentMs,
    events: events,
  };
};

/** True for a bisection that ends after this pull request has left it: that belongs to the story of the others. */
const isAfterItLeft = (row: OtherRow, { at }: Moved): boolean =>
  row.type === 'run' && row.change === 'closed' && row.outcome !== null && row.at > at;

/** Reasons whose detail says what went wrong with the landing. */
const byLanding: ReadonlySet<ReasonCode> = new Set(['MERGE_GRAPH_MERGE', 'MERGE_GRAPH_DIRECT_MERGE']);

type End = Pick<Moved, 'to' | 'reason' | 'detail' | 'restack' | 'failedOnTopOf'>;

/** What a user can do after the end of an attempt. */
export const remedyOf = ({ to, reason, detail, restack, failedOnTopOf: below }: End, pr: number): string => {
  if (restack !== undefined) return restackRemedy(restack);
  if (reason !== null && byLanding.has(reason) && detail !== null)
    return filledIn(nextStepsOtherwise.merged_otherwise, { it: prOf(pr) });
  const steps: Partial<Record<ReasonCode, string>> = to === 'merged' ? {} : nextSteps;
  const otherwise: Partial<Record<SubmissionState, string>> = nextStepsOtherwise;
  const step = (reason === null ? undefined : steps[reason]) ?? otherwise[to] ?? '';
  const ownStep = filledIn(step, { it: prOf(pr) });
  return below === undefined ? ownStep : `${rebaseStep(below, pr)} ${ownStep}`;
};

const bySequence = (one: HistoryRow, other: HistoryRow): number => one.sequence - other.sequence;

const spentOf = (moved: readonly Moved[]): Partial<Record<SubmissionState, number>> => {
  const spent: Partial<Record<SubmissionState, number>> = {};
  for (const [index, row] of moved.entries())
    if (index > 0 && row.from !== null)
      spent[row.from] = (spent[row.from] ?? 0) + Math.max(0, row.at - row.since);
  return spent;
};

interface Summed {
  readonly attempt: number;
  readonly pr: number;
  readonly last: Moved;
  readonly isEnded: boolean;
  readonly startedAt: number;
}

const summaryOf = (
  { attempt, pr, last, isEnded, startedAt }: Summed,
  spentMs: AttemptStory['spentMs'],
  moved: readonly Moved[],
  otherRows: readonly OtherRow[],
): string => {
  const runs = new Set(otherRows.flatMap((row) => (isTest(row) ? [row.runId] : []))).size;
  const requeues = moved.filter(isRequeued).length;
  const parts = Object.entries(spentMs).flatMap(([state, ms]) =>
    ms < SHOWN_FROM_MS ? [] : [`${durationOf(ms)} ${stayOf(state as SubmissionState)}`],
  );
  const became = isEnded
    ? `${last.to === 'failed' ? 'failed' : `was ${last.to}`}${byActor(last)} after ${durationOf(last.at - startedAt)}`
    : livePhrases[last.to];
  const numbers = [
    counted(runs, 'test run'),
    ...(requeues === 0 ? [] : [`requeued ${counted(requeues, 'time')}`]),
    ...parts,
  ];
  return `${prOf(pr)} ${became}: ${reasonPhrase(last)}. Attempt ${attempt}: ${numbers.join(', ')}.`;
};

const livePhrases: Partial<Record<SubmissionState, string>> = {
  not_ready: 'is not ready',
  pending: 'is waiting in the queue',
  testing: 'is being tested',
  tests_passed: 'passed its tests and is waiting to merge',
  pending_failure: 'failed its tests and is waiting for the verdict',
};

/** False for runs that only build a combined commit of what has passed. */
const isTest = (row: OtherRow): row is RunChanged => row.type === 'run' && row.purpose !== 'compose';

/** Shorter stays in a state are left out. */
const SHOWN_FROM_MS = 1_000;

/** The actor of a cancel; empty if the queue cancelled by itself. */
const byActor = ({ to, actor }: Moved): string =>
  to !== 'cancelled' || actor.kind === 'queue' ? '' : ` by ${quoted(actorName(actor), 'a user')}`;

const stayOf = (state: SubmissionState): string =>
  state in stateNames ? stateNames[state as keyof typeof stateNames] : state;

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;

const reasonPhrase = ({
  reason,
  detail,
}: {
  readonly reason: ReasonCode | null;
  readonly detail: string | null;
}) =>
  `${reason === null ? 'no reason is recorded' : quoted(reasons[reason], reason)}${detail === null ? '' : ` (${quoted(detail, '')})`}`;

const isRequeued = ({ from, to }: Moved): boolean =>
  to === 'pending' && from !== null && from !== 'not_ready';

/** `untested`: test runs that needed no test, which shows only at their end and changes the sentence of their start. */
const eventOf = (row: Moved | OtherRow, pr: number, untested: ReadonlySet<TestRunId>): StoryEvent | null => {
  switch (row.type) {
    case 'moved':
      return movedTo(row, pr, untested);
    case 'aside':
      return { at: row.at, state: null, reason: null, runId: null, sentence: holdSentence(row) };
    case 'put_off': {
      const sentence = filledIn(DELAYED, { it: prOf(pr), reason: reasonPhrase(row) });
      return { at: row.at, state: null, reason: row.reason, runId: null, sentence };
    }
    case 'run':
      return runEvent(row, untested);
    case 'commanded':
      return {
        at: row.at,
        state: null,
        reason: null,
        runId: null,
        sentence: `Requested by ${quoted(actorName(row.actor), 'a user')}: ${requestPhrase(row.command, pr)}.`,
      };
  }
};

const movedTo = (row: Moved, pr: number, untested: ReadonlySet<TestRunId>): StoryEvent => {
  const isUntested = row.to === 'testing' && row.runId !== null && untested.has(row.runId);
  const text = isRequeued(row) ? moveSentences.again : moveSentences[isUntested ? 'untested' : row.to];
  const stayed = row.at - row.since;
  const sentence = filledIn(text, {
    it: prOf(pr),
    actor: quoted(actorName(row.actor), 'a user'),
    after:
      stayed < SHOWN_FROM_MS || row.from === null
        ? ''
        : ` after ${durationOf(stayed)} ${afterOf[row.from] ?? ''}`.trimEnd(),
    reason: reasonPhrase(row),
    run: row.runId === null ? '' : `, test run ${runOf(row.runId)}`,
  });
  return { at: row.at, state: row.to, reason: row.reason, runId: row.runId, sentence };
};

const holdSentence = ({ pr, lack, detail, since, at }: PutOnHold): string => {
  const it = prOf(pr);
  if (lack !== null)
    return filledIn(holdSentences.aside, { it, lack: quoted(lackPhrase(lack, detail), lack) });
  return filledIn(holdSentences.back, {
    it,
    after: since === null ? '' : ` after ${durationOf(at - since)}`,
  });
};

/** The state that it was in until then. */
const afterOf: Partial<Record<SubmissionState, string>> = {
  pending: 'of waiting',
  testing: 'of testing',
};

const requestPhrase = (command: string, pr: number): string => {
  if (command === 'restart_tests') return `restart the tests of ${prOf(pr)}`;
  if (command === 'submit') return `change the options of ${prOf(pr)}`;
  return command === 'cancel' ? `cancel ${prOf(pr)}` : command.replaceAll('_', ' ');
};

/** What a run was started for. */
const purposes = {
  test: 'to test {members}',
  isolate: 'to test {members} in a bisection, which searches a failed batch for the culprit',
  control: 'to test the target itself before a pull request is failed',
  compose: 'to build one commit of {members} on the tip of the target, without another test',
} as const satisfies Record<RunChanged['purpose'], string>;

const TO_SEE = 'to see what is left to test of {members}';

/** The event of a test run; null for a change that is left out, such as the build of its commit. */
const runEvent = (row: RunChanged, untested: ReadonlySet<TestRunId>): StoryEvent | null => {
  const run = `${row.purpose === 'compose' ? 'Run' : 'Test run'} ${runOf(row.runId)}`;
  const about = { at: row.at, state: null, reason: null, runId: row.runId };
  const members = prsOf(row.prs.map((pr) => ({ pr })));
  if (row.change === 'created') {
    const isUntested = row.purpose === 'test' && untested.has(row.runId);
    const purpose = isUntested ? TO_SEE : purposes[row.purpose];
    return { ...about, sentence: `${run} was started ${filledIn(purpose, { members })}.` };
  }
  if (row.change === 'ended') {
    const took = row.testingSince === null ? '' : ` after ${durationOf(row.at - row.testingSince)}`;
    return { ...about, sentence: `${run} of ${members} ${endOf(row, took)}.` };
  }
  if (row.change !== 'closed' || row.cause === null) return null;
  if (
    row.outcome !== null &&
    !inconclusive.has(row.cause) &&
    !endedBisection(row, row.cause) &&
    !landsLater(row)
  )
    return null;
  const closed = row.outcome === null ? 'cancelled' : 'closed';
  return { ...about, sentence: `${run} of ${members} was ${closed}: ${closeSentences[row.cause]}.` };
};

/** Causes that say more about a test run that had ended than the moves of its members do. */
const inconclusive: ReadonlySet<CloseCause> = new Set([
  'isolation_inconclusive',
  'isolation_skipped',
  'isolation_limit',
  'isolation_interrupted',
]);

/** True if the close ended the bisection of a failed batch. Its members are tested again then, which no move shows. */
const endedBisection = ({ outcome, prs }: RunChanged, cause: CloseCause): boolean =>
  outcome !== 'passed' && prs.length > 1 && endsBisection.has(cause);

const endsBisection: ReadonlySet<CloseCause> = new Set([
  'member_left',
  'restarted',
  'target_moved',
  'superseded',
]);

/** True if the landing of a combined commit failed. It is built again, which no move shows. */
const landsLater = ({ purpose, cause }: RunChanged): boolean =>
  purpose === 'compose' && cause === 'not_landed';

const endOf = (row: RunChanged, took: string): string => {
  if (row.outcome === null) return `ended${took} without an outcome`;
  if (row.purpose === 'compose') return COMPOSED;
  return isUntestedPass(row) ? PASSED_UNTESTED : filledIn(outcomeSentences[row.outcome], { took });
};
