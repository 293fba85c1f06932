import type { SubmissionId, SubmissionState } from '@mq/core';
import { attemptKey, type Change, type Check, isOf, isOver, runsOf } from './ledger.js';
import { isFrozen, isFrozenFor, isOpen } from './line.js';

/** The legal moves as the oracle knows them; it does not use the engine's table. */
const legal: Readonly<Record<SubmissionState, readonly SubmissionState[]>> = {
  not_ready: ['pending', 'merged', 'failed', 'cancelled'],
  pending: ['testing', 'tests_passed', 'merged', 'failed', 'cancelled'],
  testing: ['tests_passed', 'pending_failure', 'pending', 'merged', 'failed', 'cancelled'],
  // Back to testing if a check of the passed test run is rerun.
  tests_passed: ['testing', 'merged', 'pending', 'failed', 'cancelled'],
  pending_failure: ['tests_passed', 'pending', 'merged', 'failed', 'cancelled'],
  merged: [],
  failed: [],
  cancelled: [],
};

/** I18: each commit names the version that it read, and the store accepts one commit per version. */
export const oneWriterPerVersion: Check = ({ commit, before, after }) =>
  commit.expected === before.version && after.version === before.version + 1
    ? []
    : [`A commit based on version ${commit.expected} was accepted at version ${before.version}.`];

/** I9: moves are legal, attempts end once and follow each other, and rows agree with the history. */
export const legalMoves: Check = ({ commit, before, after }) => {
  const faults: string[] = [];
  const attempts = new Map<string, number>();
  const states = new Map<string, SubmissionState | null>();
  for (const row of commit.writes.history) {
    if (row.type !== 'moved') continue;
    const state = states.get(row.submissionId) ?? before.submissions.get(row.submissionId)?.state ?? null;
    const attempt = attempts.get(row.submissionId) ?? before.submissions.get(row.submissionId)?.attempt ?? 0;
    if (row.from !== state)
      faults.push(`${attemptKey(row)} moves from ${row.from}, but it was ${state ?? 'nothing'}.`);
    const isNewAttempt = row.attempt === attempt + 1;
    if (isNewAttempt && state !== null && !isOver({ state: state }))
      faults.push(`${attemptKey(row)} begins while the previous attempt is ${state}.`);
    if (!isNewAttempt && row.attempt !== attempt)
      faults.push(`${attemptKey(row)} follows attempt ${attempt}.`);
    if (!isNewAttempt && state !== null && !legal[state].includes(row.to))
      faults.push(`${attemptKey(row)} moves from ${state} to ${row.to}, which is not a legal move.`);
    states.set(row.submissionId, row.to);
    attempts.set(row.submissionId, row.attempt);
  }
  for (const row of commit.writes.submissions) {
    const was = before.submissions.get(row.id);
    const recorded = states.get(row.id) ?? was?.state;
    if (after.submissions.get(row.id) === row && recorded !== row.state)
      faults.push(`${attemptKey(row)} is ${row.state}, but its history says ${recorded ?? 'nothing'}.`);
    if (was !== undefined && was.attempt === row.attempt && isOver(was) && was.state !== row.state)
      faults.push(`${attemptKey(row)} was ${was.state} and is ${row.state}.`);
  }
  return [...faults, ...oneLivePerPullRequest(after)];
};

/** Holds in the rows agree with the history. Leaving the queue ends a hold without a history row. */
export const holdsRecorded: Check = ({ commit, before, after }) => {
  const recorded = new Map<string, boolean>();
  const faults: string[] = [];
  for (const row of commit.writes.history) {
    if (row.type !== 'aside') continue;
    const was = recorded.get(attemptKey(row)) ?? wasAside(before, row.submissionId, row.attempt);
    const is = row.lack !== null;
    if (was === is)
      faults.push(`${attemptKey(row)} ${is ? 'goes on hold' : 'becomes ready'} twice in a row.`);
    recorded.set(attemptKey(row), is);
  }
  for (const row of commit.writes.submissions) {
    const isAside = row.asideSince !== null;
    const isRecorded = recorded.get(attemptKey(row)) ?? wasAside(before, row.id, row.attempt);
    if (isOver(row) || after.submissions.get(row.id) !== row || isRecorded === isAside) continue;
    faults.push(
      `${attemptKey(row)} ${isAside ? 'is on hold' : 'is ready'}, but its history does not say so.`,
    );
  }
  return faults;
};

/** Whether the attempt was on hold before the commit; a new attempt is not. */
const wasAside = ({ submissions }: Change['before'], id: SubmissionId, attempt: number): boolean => {
  const was = submissions.get(id);
  return was !== undefined && was.attempt === attempt && was.asideSince !== null;
};

const oneLivePerPullRequest = (after: Change['after']): readonly string[] => {
  const live = [...after.submissions.values()].filter((submission) => !isOver(submission));
  const numbers = live.map(({ pr }) => pr);
  return numbers
    .filter((pr, index) => numbers.indexOf(pr) !== index)
    .map((pr) => `#${pr} is in the queue twice.`);
};

/** The history has no gaps and never goes back in time; no command is applied twice. */
export const soundHistory: Check = ({ commit, before }, book) => {
  const faults: string[] = [];
  let sequence = before.queue.sequence;
  let at = book.history.at(-1)?.at ?? 0;
  for (const row of commit.writes.history) {
    if (row.sequence !== sequence + 1 || row.at < at)
      faults.push(`Row ${row.sequence} of the history follows row ${sequence}.`);
    [sequence, at] = [row.sequence, row.at];
    if (row.type !== 'commanded') continue;
    if (book.commands.has(row.inputId)) faults.push(`The command ${row.inputId} was applied twice.`);
    book.commands.add(row.inputId);
  }
  return faults;
};

/** L1: a submission that is testing or has passed has a test run, or a time to retry. Wait reasons are derived by the API. */
export const testingHasRun: Check = ({ after }) =>
  [...after.submissions.values()].flatMap((submission) => {
    if (isOver(submission)) return [];
    const hasRun =
      submission.retryAt !== null ||
      runsOf(after, submission).length > 0 ||
      [...after.runs.values()].some(
        (run) => run.outcome === 'passed' && run.stack.some((member) => isOf(member, submission)),
      );
    const needsRun = submission.state === 'testing' || submission.state === 'tests_passed';
    return needsRun && !hasRun
      ? [`${attemptKey(submission)} is ${submission.state} without a test run or a time to retry.`]
      : [];
  });

/** I16: while paused no test run or landing starts; while draining or frozen no pull request starts that had not started. */
export const statusIsRespected: Check = ({ commit, before, after }) => {
  const faults: string[] = [];
  const { wanted } = after.queue;
  for (const row of commit.writes.history) {
    if (row.type !== 'run' || row.change !== 'created') continue;
    if (isOpen(after.queue) && !isFrozen(after.queue)) continue;
    if (wanted === 'paused')
      faults.push(`A test run of ${row.prs} (${row.purpose}) starts while the queue is paused.`);
    for (const pr of row.prs) {
      const was = [...before.submissions.values()].find((one) => one.pr === pr);
      const now = [...after.submissions.values()].find((one) => one.pr === pr);
      const isLetThrough = now !== undefined && isOpen(after.queue) && !isFrozenFor(after.queue, now);
      if (wanted !== 'paused' && !isLetThrough && (was === undefined || was.place === null))
        faults.push(`#${pr} starts while the queue is draining, switching modes or frozen.`);
    }
  }
  if (wanted === 'paused' && commit.effects.some((effect) => effect.type === 'land'))
    faults.push('A landing starts while the queue is paused.');
  const isClosed = isFrozen(after.queue) && !after.queue.settings.freezeAllowsUrgent;
  if (isClosed && commit.effects.some((effect) => effect.type === 'land'))
    faults.push('A landing starts during a freeze.');
  return faults;
};

/** I16: a queue is deleted only if it is empty. */
export const emptyWhenDeleted: Check = ({ after }) => {
  const live = [...after.submissions.values()].filter((submission) => !isOver(submission));
  return after.queue.deletedAt !== null && live.length > 0
    ? [`The queue is deleted with ${live.map(attemptKey).join(', ')} in it.`]
    : [];
};
