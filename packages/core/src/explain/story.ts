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
import type { CloseCause } from '../model/run.js';
import {
  type AttemptStory,
  asides,
  COMPOSED,
  closings,
  endings,
  PASSED_UNTESTED,
  PUT_OFF,
  stays,
  type Turning,
  turnings,
} from '../model/story.js';
import { moves, type SubmissionState } from '../model/submission.js';
import { filledIn } from '../model/waits.js';
import { durationOf, prOf, prsOf, quoted, runOf } from './words.js';

/** Rows that tell of a pull request without moving it. */
type OtherRow = PutOnHold | PutOff | RunChanged | Commanded;

/** What became of a pull request in each attempt that these rows tell of, newest attempt first. Rows in any order. */
export const storiesOf = (rows: readonly HistoryRow[], pr: number): readonly AttemptStory[] => {
  const inOrder = rows.toSorted(bySequence);
  const attempts = new Map<number, { moved: Moved[]; others: OtherRow[] }>();
  let latest = 1;
  const rowsOf = (attempt: number) => {
    const known = attempts.get(attempt) ?? { moved: [], others: [] };
    attempts.set(attempt, known);
    // A run of the attempt before may be let go of when the next one has begun.
    latest = Math.max(latest, attempt);
    return known;
  };
  const opening = openingSubmits(inOrder, pr);
  for (const row of inOrder) {
    if (row.type === 'moved' && row.pr === pr) rowsOf(row.attempt).moved.push(row);
    if ((row.type === 'aside' || row.type === 'put_off') && row.pr === pr)
      rowsOf(row.attempt).others.push(row);
    if (row.type === 'run' && row.prs.includes(pr))
      rowsOf(row.attempts[row.prs.indexOf(pr)] ?? latest).others.push(row);
    if (row.type === 'commanded' && row.pr === pr && !opening.has(row)) rowsOf(latest).others.push(row);
  }
  return [...attempts]
    .flatMap(([attempt, told]) => storyOf(attempt, pr, told.moved, told.others) ?? [])
    .sort((one, other) => other.attempt - one.attempt)
    .map((story, _, [newest = story]) => {
      if (story.attempt === newest.attempt) return story;
      return {
        ...story,
        remedy: `Nothing has to be done: attempt ${newest.attempt} of ${prOf(pr)} came after it.`,
      };
    });
};

/** Those with which an attempt begins, right before its first move. Another submit of one that is live changes what it names. */
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
  others: readonly OtherRow[],
): AttemptStory | null => {
  const [first, last] = [moved[0], moved.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isEnded = moves[last.to].length === 0;
  const spentMs = spentOf(moved);
  const untested = new Set(
    others.flatMap((row) => (row.type === 'run' && isUntestedPass(row) ? row.runId : [])),
  );
  const own = isEnded ? others.filter((row) => !isOfTheOthers(row, last)) : others;
  const told = [...moved, ...own].sort(bySequence).flatMap((row) => turningOf(row, pr, untested) ?? []);
  return {
    attempt,
    state: last.to,
    startedAt: first.at,
    endedAt: isEnded ? last.at : null,
    sentence: summaryOf({ attempt, pr, last, isEnded, startedAt: first.at }, spentMs, moved, others),
    remedy: isEnded ? remedyOf(last, pr) : null,
    spentMs,
    turnings: told,
  };
};

/** How the search in a failed batch ends after this one has left it is the story of those who are still there. */
const isOfTheOthers = (row: OtherRow, { at }: Moved): boolean =>
  row.type === 'run' && row.change === 'closed' && row.outcome !== null && row.at > at;

/** Where these have a detail, it says what went wrong with the landing. */
const byLanding: ReadonlySet<ReasonCode> = new Set(['MERGE_GRAPH_MERGE', 'MERGE_GRAPH_DIRECT_MERGE']);

/** What can be done about the end of an attempt. */
export const remedyOf = (
  { to, reason, detail }: Pick<Moved, 'to' | 'reason' | 'detail'>,
  pr: number,
): string => {
  if (reason !== null && byLanding.has(reason) && detail !== null)
    return filledIn(nextStepsOtherwise.merged_otherwise, { it: prOf(pr) });
  const steps: Partial<Record<ReasonCode, string>> = to === 'merged' ? {} : nextSteps;
  const otherwise: Partial<Record<SubmissionState, string>> = nextStepsOtherwise;
  const step = (reason === null ? undefined : steps[reason]) ?? otherwise[to] ?? '';
  return filledIn(step, { it: prOf(pr) });
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
  others: readonly OtherRow[],
): string => {
  const runs = new Set(others.flatMap((row) => (isTest(row) ? [row.runId] : []))).size;
  const back = moved.filter(isSentBack).length;
  const parts = Object.entries(spentMs).flatMap(([state, ms]) =>
    ms < TOLD_FROM_MS ? [] : [`${durationOf(ms)} ${stayOf(state as SubmissionState)}`],
  );
  const became = isEnded
    ? `${last.to === 'failed' ? 'failed' : `was ${last.to}`}${byWhom(last)} after ${durationOf(last.at - startedAt)}`
    : `is ${last.to.replaceAll('_', ' ')}`;
  const sentBack = back === 0 ? '' : ` and was sent back ${counted(back, 'time')}`;
  const spent = parts.length === 0 ? '' : `, having spent ${parts.join(', ')}`;
  return `Attempt ${attempt} of ${prOf(pr)} ${became}: ${reasonPhrase(last)}. It was in ${counted(runs, 'run')}${sentBack}${spent}.`;
};

/** What only puts together what has passed is no test: a landing that is tried three times is not tested three times. */
const isTest = (row: OtherRow): row is RunChanged => row.type === 'run' && row.purpose !== 'compose';

/** A shorter stay than this is not worth a word. */
const TOLD_FROM_MS = 1_000;

/** Who ended it, where that was not the queue by itself. */
const byWhom = ({ to, actor }: Moved): string =>
  to !== 'cancelled' || actor.kind === 'queue' ? '' : ` by ${quoted(actorName(actor), 'somebody')}`;

const stayOf = (state: SubmissionState): string =>
  state in stays ? stays[state as keyof typeof stays] : state;

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;

const reasonPhrase = ({
  reason,
  detail,
}: {
  readonly reason: ReasonCode | null;
  readonly detail: string | null;
}) =>
  `${reason === null ? 'no reason is on record' : quoted(reasons[reason], reason)}${detail === null ? '' : ` (${quoted(detail, '')})`}`;

const isSentBack = ({ from, to }: Moved): boolean =>
  to === 'pending' && from !== null && from !== 'not_ready';

/** Runs that needed no test are known once they have ended: how they began is told by that. */
const turningOf = (row: Moved | OtherRow, pr: number, untested: ReadonlySet<TestRunId>): Turning | null => {
  switch (row.type) {
    case 'moved':
      return movedTo(row, pr, untested);
    case 'aside':
      return { at: row.at, state: null, reason: null, runId: null, sentence: asideTold(row) };
    case 'put_off': {
      const sentence = filledIn(PUT_OFF, { it: prOf(pr), reason: reasonPhrase(row) });
      return { at: row.at, state: null, reason: row.reason, runId: null, sentence };
    }
    case 'run':
      return runTold(row, untested);
    case 'commanded':
      return {
        at: row.at,
        state: null,
        reason: null,
        runId: null,
        sentence: `Asked for by ${quoted(actorName(row.actor), 'somebody')}: ${askedFor(row.command, pr)}.`,
      };
  }
};

const movedTo = (row: Moved, pr: number, untested: ReadonlySet<TestRunId>): Turning => {
  const isUntested = row.to === 'testing' && row.runId !== null && untested.has(row.runId);
  const text = isSentBack(row) ? turnings.again : turnings[isUntested ? 'untested' : row.to];
  const stayed = row.at - row.since;
  const sentence = filledIn(text, {
    it: prOf(pr),
    actor: quoted(actorName(row.actor), 'somebody'),
    after:
      stayed < TOLD_FROM_MS || row.from === null
        ? ''
        : ` after ${durationOf(stayed)} ${afterOf[row.from] ?? ''}`.trimEnd(),
    reason: reasonPhrase(row),
    run: row.runId === null ? '' : `, run ${runOf(row.runId)}`,
  });
  return { at: row.at, state: row.to, reason: row.reason, runId: row.runId, sentence };
};

const asideTold = ({ pr, lack, detail, since, at }: PutOnHold): string => {
  const it = prOf(pr);
  if (lack !== null) return filledIn(asides.aside, { it, lack: quoted(lackPhrase(lack, detail), lack) });
  return filledIn(asides.back, { it, after: since === null ? '' : ` after ${durationOf(at - since)}` });
};

/** What it was in until then. */
const afterOf: Partial<Record<SubmissionState, string>> = {
  pending: 'in line',
  testing: 'under test',
};

const askedFor = (command: string, pr: number): string => {
  if (command === 'restart_tests') return `that the tests of ${prOf(pr)} be run again`;
  if (command === 'submit') return `that ${prOf(pr)} be submitted again, which changes only what that names`;
  return command === 'cancel' ? `that ${prOf(pr)} be taken out of the queue` : command.replaceAll('_', ' ');
};

/** What a run was begun for. */
const purposes = {
  test: 'to test {members}',
  isolate: 'to test {members}, a part of a failed batch, and so find the one to blame',
  control: 'to test the target itself before anybody is blamed',
  compose: 'to put {members} together on the tip of the target, without another test',
} as const satisfies Record<RunChanged['purpose'], string>;

const TO_SEE = 'to see what of {members} is left to be tested';

/** Of a run its beginning and its end are told; that its commit was built goes without saying. */
const runTold = (row: RunChanged, untested: ReadonlySet<TestRunId>): Turning | null => {
  const run = `Run ${runOf(row.runId)}`;
  const about = { at: row.at, state: null, reason: null, runId: row.runId };
  const members = prsOf(row.prs.map((pr) => ({ pr })));
  if (row.change === 'created') {
    const isUntested = row.purpose === 'test' && untested.has(row.runId);
    const purpose = isUntested ? TO_SEE : purposes[row.purpose];
    return { ...about, sentence: `${run} was begun ${filledIn(purpose, { members })}.` };
  }
  if (row.change === 'ended') {
    const took = row.testingSince === null ? '' : ` after ${durationOf(row.at - row.testingSince)}`;
    return { ...about, sentence: `${run} of ${members} ${endOf(row, took)}.` };
  }
  if (row.change !== 'closed' || row.cause === null) return null;
  if (row.outcome !== null && !inVain.has(row.cause) && !endedSearch(row, row.cause) && !landsLater(row))
    return null;
  const when = row.outcome === null ? ' before its end' : '';
  return { ...about, sentence: `${run} of ${members} was let go of${when}: ${closings[row.cause]}.` };
};

/** Of a run that had come to its end, only these say more than the moves of its members do. */
const inVain: ReadonlySet<CloseCause> = new Set([
  'isolation_inconclusive',
  'isolation_skipped',
  'isolation_limit',
  'isolation_interrupted',
]);

/** The others of a batch that has failed wait, or are tested in parts; after any of these they are tested anew, and no move tells that. */
const endedSearch = ({ outcome, prs }: RunChanged, cause: CloseCause): boolean =>
  outcome !== 'passed' && prs.length > 1 && anew.has(cause);

const anew: ReadonlySet<CloseCause> = new Set(['member_left', 'restarted', 'target_moved', 'superseded']);

/** Its members wait on as they are, to be put together once more: no move tells that. */
const landsLater = ({ purpose, cause }: RunChanged): boolean =>
  purpose === 'compose' && cause === 'not_landed';

const endOf = (row: RunChanged, took: string): string => {
  if (row.outcome === null) return `ended${took} without an outcome`;
  if (row.purpose === 'compose') return COMPOSED;
  return isUntestedPass(row) ? PASSED_UNTESTED : filledIn(endings[row.outcome], { took });
};
