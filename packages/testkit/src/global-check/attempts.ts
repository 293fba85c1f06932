import { type HistoryRow, isLive, moves, type Submission, terminalStates } from '@mq/core';
import type { Evidence } from './evidence.js';

type Moved = Extract<HistoryRow, { type: 'moved' }>;

export const movedRows = (evidence: Evidence): readonly Moved[] =>
  evidence.history.flatMap((row) => (row.type === 'moved' ? [row] : []));

export const attemptKey = (row: { readonly pr: number; readonly attempt: number }): string =>
  `#${row.pr} attempt ${row.attempt}`;

export const isTerminal = (state: Moved['to']): boolean =>
  (terminalStates as readonly string[]).includes(state);

/** Legal moves only, one terminal state per attempt, at most one live attempt per pull request, rows that agree. */
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
      faults.push(`${key} moves from ${before.to} to ${row.to}, which is no legal move.`);
    states.set(key, row);
    const other = live.get(row.pr);
    if (other !== undefined && other !== key) faults.push(`${key} begins while ${other} is live.`);
    if (isTerminal(row.to)) live.delete(row.pr);
    else live.set(row.pr, key);
  }
  for (const { submission } of evidence.submissions)
    if (states.get(attemptKey(submission))?.to !== submission.state)
      faults.push(`${attemptKey(submission)} is ${submission.state}, and its history says otherwise.`);
  return [...faults, ...sequenceFaults(evidence), ...waitFaults(evidence)];
};

const sequenceFaults = ({ history }: Evidence): readonly string[] =>
  history.flatMap((row, index) => {
    const before = history[index - 1];
    if (before === undefined || (row.sequence > before.sequence && row.at >= before.at)) return [];
    return [`Row ${row.sequence} of the history comes after row ${before.sequence} and is not later.`];
  });

/** Nobody waits without a reason; nobody tests without a run that has a deadline, or a time to try again. */
const waitFaults = (evidence: Evidence): readonly string[] =>
  evidence.submissions.flatMap(({ submission, waiting }) => {
    const key = attemptKey(submission);
    if (!isLive(submission)) return waiting === null ? [] : [`${key} has ended and still waits.`];
    const faults: string[] = [];
    if (waiting === null || waiting.sentence === '')
      faults.push(`${key} is ${submission.state} and nobody knows what it waits for.`);
    if (submission.state === 'testing' && !isCared(evidence, submission))
      faults.push(`${key} is testing and has neither an open run with a deadline nor a time to try again.`);
    return faults;
  });

const isCared = ({ runs, queue }: Evidence, submission: Submission): boolean => {
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
