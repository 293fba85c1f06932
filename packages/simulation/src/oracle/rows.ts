import type { SubmissionId, SubmissionState } from '@mq/core';
import { attemptKey, type Change, type Check, isOf, isOver, runsOf } from './ledger.js';
import { isFrozen, isFrozenFor, isOpen } from './line.js';

/** The oracle's own table: the engine's is not believed. */
const legal: Readonly<Record<SubmissionState, readonly SubmissionState[]>> = {
  not_ready: ['pending', 'merged', 'failed', 'cancelled'],
  pending: ['testing', 'tests_passed', 'merged', 'failed', 'cancelled'],
  testing: ['tests_passed', 'pending_failure', 'pending', 'merged', 'failed', 'cancelled'],
  // Back to testing where a check of the run that passed is run again.
  tests_passed: ['testing', 'merged', 'pending', 'failed', 'cancelled'],
  pending_failure: ['tests_passed', 'pending', 'merged', 'failed', 'cancelled'],
  merged: [],
  failed: [],
  cancelled: [],
};

/** I18: each commit names the version that it read, and the store lets only one of them through. */
export const oneWriterPerVersion: Check = ({ commit, before, after }) =>
  commit.expected === before.version && after.version === before.version + 1
    ? []
    : [`A commit that read version ${commit.expected} was let through at ${before.version}.`];

/** I9: legal moves only, one end per attempt, attempts one after another, rows and history that agree. */
export const legalMoves: Check = ({ commit, before, after }) => {
  const faults: string[] = [];
  const attempts = new Map<string, number>();
  const states = new Map<string, SubmissionState | null>();
  for (const row of commit.writes.history) {
    if (row.type !== 'moved') continue;
    const known = states.get(row.submissionId) ?? before.submissions.get(row.submissionId)?.state ?? null;
    const attempt = attempts.get(row.submissionId) ?? before.submissions.get(row.submissionId)?.attempt ?? 0;
    if (row.from !== known)
      faults.push(`${attemptKey(row)} moves from ${row.from}, but it was ${known ?? 'nothing'}.`);
    const isNewAttempt = row.attempt === attempt + 1;
    if (isNewAttempt && known !== null && !isOver({ state: known }))
      faults.push(`${attemptKey(row)} begins while the one before is ${known}.`);
    if (!isNewAttempt && row.attempt !== attempt) faults.push(`${attemptKey(row)} comes after ${attempt}.`);
    if (!isNewAttempt && known !== null && !legal[known].includes(row.to))
      faults.push(`${attemptKey(row)} moves from ${known} to ${row.to}, which is no legal move.`);
    states.set(row.submissionId, row.to);
    attempts.set(row.submissionId, row.attempt);
  }
  for (const row of commit.writes.submissions) {
    const was = before.submissions.get(row.id);
    const told = states.get(row.id) ?? was?.state;
    if (after.submissions.get(row.id) === row && told !== row.state)
      faults.push(`${attemptKey(row)} is ${row.state}, and its history says ${told ?? 'nothing'}.`);
    if (was !== undefined && was.attempt === row.attempt && isOver(was) && was.state !== row.state)
      faults.push(`${attemptKey(row)} was ${was.state} and is ${row.state}.`);
  }
  return [...faults, ...oneLivePerPullRequest(after)];
};

/** Who stands aside in the rows does so by the history too, and the other way round; leaving ends it without a word. */
export const asidesTold: Check = ({ commit, before, after }) => {
  const told = new Map<string, boolean>();
  const faults: string[] = [];
  for (const row of commit.writes.history) {
    if (row.type !== 'aside') continue;
    const was = told.get(attemptKey(row)) ?? wasAside(before, row.submissionId, row.attempt);
    const is = row.lack !== null;
    if (was === is)
      faults.push(`${attemptKey(row)} ${is ? 'stands aside' : 'comes back'} for the second time.`);
    told.set(attemptKey(row), is);
  }
  for (const row of commit.writes.submissions) {
    const isAside = row.asideSince !== null;
    const isTold = told.get(attemptKey(row)) ?? wasAside(before, row.id, row.attempt);
    if (isOver(row) || after.submissions.get(row.id) !== row || isTold === isAside) continue;
    faults.push(
      `${attemptKey(row)} ${isAside ? 'stands aside' : 'is back'}, and its history does not say so.`,
    );
  }
  return faults;
};

/** Another attempt begins in line, whatever the one before came to. */
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

/** The history counts up without gaps and never back in time; no command is obeyed twice. */
export const soundHistory: Check = ({ commit, before }, book) => {
  const faults: string[] = [];
  let sequence = before.queue.sequence;
  let at = book.history.at(-1)?.at ?? 0;
  for (const row of commit.writes.history) {
    if (row.sequence !== sequence + 1 || row.at < at)
      faults.push(`Row ${row.sequence} of the history comes after row ${sequence}.`);
    [sequence, at] = [row.sequence, row.at];
    if (row.type !== 'commanded') continue;
    if (book.commands.has(row.inputId)) faults.push(`The command ${row.inputId} was obeyed twice.`);
    book.commands.add(row.inputId);
  }
  return faults;
};

/** L1: whoever is testing has a run, or a time to try again. What everybody waits for is derived, and asked for over the API. */
export const everybodyWaitsForSomething: Check = ({ after }) =>
  [...after.submissions.values()].flatMap((submission) => {
    if (isOver(submission)) return [];
    const isCared =
      submission.retryAt !== null ||
      runsOf(after, submission).length > 0 ||
      [...after.runs.values()].some(
        (run) => run.outcome === 'passed' && run.stack.some((member) => isOf(member, submission)),
      );
    const needsRun = submission.state === 'testing' || submission.state === 'tests_passed';
    return needsRun && !isCared
      ? [`${attemptKey(submission)} is ${submission.state}, without a run or a time to try again.`]
      : [];
  });

/** I16: paused, nothing starts and no landing begins; draining or frozen, nothing starts that was not begun. */
export const gatesHold: Check = ({ commit, before, after }) => {
  const faults: string[] = [];
  const { wanted } = after.queue;
  for (const row of commit.writes.history) {
    if (row.type !== 'run' || row.change !== 'created') continue;
    if (isOpen(after.queue) && !isFrozen(after.queue)) continue;
    if (wanted === 'paused') faults.push(`A run of ${row.prs} (${row.purpose}) starts while it is paused.`);
    for (const pr of row.prs) {
      const was = [...before.submissions.values()].find((one) => one.pr === pr);
      const now = [...after.submissions.values()].find((one) => one.pr === pr);
      const isLetThrough = now !== undefined && isOpen(after.queue) && !isFrozenFor(after.queue, now);
      if (wanted !== 'paused' && !isLetThrough && (was === undefined || was.place === null))
        faults.push(`#${pr} starts while the queue lets nothing begin.`);
    }
  }
  if (wanted === 'paused' && commit.effects.some((effect) => effect.type === 'land'))
    faults.push('A landing begins while the queue is paused.');
  const isClosed = isFrozen(after.queue) && !after.queue.settings.freezeAllowsUrgent;
  if (isClosed && commit.effects.some((effect) => effect.type === 'land'))
    faults.push('A landing begins during a freeze.');
  return faults;
};

/** I16: only a queue in which nobody is, is deleted. */
export const emptyWhenDeleted: Check = ({ after }) => {
  const live = [...after.submissions.values()].filter((submission) => !isOver(submission));
  return after.queue.deletedAt !== null && live.length > 0
    ? [`The queue is deleted with ${live.map(attemptKey).join(', ')} in it.`]
    : [];
};
