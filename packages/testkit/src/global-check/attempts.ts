import { type HistoryRow, isLive, moves, type Submission, terminalStates } from '@mq/core';
import type { Evidence } from './evidence.js';

type Moved = Extract<HistoryRow, { type: 'moved' }>;

export const movedRows = (evidence: Evidence): readonly Moved[] =>
  evidence.history.flatMap((row) => (row.type === 'moved' ? [row] : []));

export const attemptKey = (row: { readonly pr: number; readonly attempt: number }): string =>
  `#${row.pr} attempt ${row.attempt}`;

export const isTerminal = (state: Moved['to']): boolean =>
  (terminalStates as readonly string[]).includes(state);

/** Checks that moves are legal, attempts end once, a pull request has one live attempt, and rows agree with the history. */
export const attemptFaults = (evidence: Evidence): readonly string[] => {
  const faults: string[] = [];
  const states = new Map<string, Moved>();
  const live = new Map<number, string>();
  for (const row of movedRows(evidence)) {
    const key = attemptKey(row);
    const before = states.get(key);
    if (
      (before?.to ?? null) !== row.from &&
      !(before === undefined && row.from !== null && isTerminal(row.from))
    )
      faults.push(`${key} moves from ${row.from} to ${row.to}, but it was ${before?.to ?? 'nothing'}.`);
    if (before !== undefined && !(moves[before.to] as readonly string[]).includes(row.to))
      faults.push(`${key} moves from ${before.to} to ${row.to}, which is not a legal move.`);
    states.set(key, row);
    const other = live.get(row.pr);
    if (other !== undefined && other !== key) faults.push(`${key} begins while ${other} is live.`);
    if (isTerminal(row.to)) live.delete(row.pr);
    else live.set(row.pr, key);
  }
  for (const { submission } of evidence.submissions)
    if (states.get(attemptKey(submission))?.to !== submission.state)
      faults.push(`${attemptKey(submission)} is ${submission.state}, which disagrees with its history.`);
  return [...faults, ...sequenceFaults(evidence), ...waitFaults(evidence)];
};

const sequenceFaults = ({ history }: Evidence): readonly string[] =>
  history.flatMap((row, index) => {
    const before = history[index - 1];
    if (before === undefined || (row.sequence > before.sequence && row.at >= before.at)) return [];
    return [`Row ${row.sequence} of the history comes after row ${before.sequence} but is not later.`];
  });

/** Every live attempt has a wait reason; every attempt under test has a test run with a deadline, or a time to retry. */
const waitFaults = (evidence: Evidence): readonly string[] =>
  evidence.submissions.flatMap(({ submission, waiting }) => {
    const key = attemptKey(submission);
    if (!isLive(submission)) return waiting === null ? [] : [`${key} has ended and still has a wait reason.`];
    const faults: string[] = [];
    if (waiting === null || waiting.sentence === '')
      faults.push(`${key} is ${submission.state} and has no wait reason.`);
    if (submission.state === 'testing' && !willProgress(evidence, submission))
      faults.push(`${key} is testing and has neither an open test run with a deadline nor a time to retry.`);
    return faults;
  });

const willProgress = ({ runs, queue }: Evidence, submission: Submission): boolean => {
  if (submission.retryAt !== null) return true;
  return [...runs.values()].some(
    (run) =>
      run.closedAt === null &&
      run.batch.some(
        ({ submissionId, attempt }) => submissionId === submission.id && attempt === submission.attempt,
      ) &&
      (run.state !== 'testing' || run.deadlineAt !== null || queue.settings.testingTimeoutMinutes === 0),
  );
};
