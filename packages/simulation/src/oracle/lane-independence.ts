import type { Queue, Submission, TestRun } from '@mq/core';
import { doMeet } from '@mq/testkit';
import type { Change, Check } from './ledger.js';
import { targetsOf } from './line.js';

/**
 * A change in one lane restarts no test run of another: a superseded test run overlaps with a pull request that was submitted,
 * left or changed.
 */
export const lanesAreIndependent: Check = (change) => {
  const { commit, before, after, now } = change;
  if (before.queue.settings !== after.queue.settings) return [];
  if (after.queue.settings.mode === 'single' || before.queue.target.head !== after.queue.target.head)
    return [];
  return commit.writes.runs.flatMap((run) => {
    if (
      run.closedAt !== now ||
      run.closedBecause !== 'superseded' ||
      run.purpose.kind !== 'test' ||
      !before.runs.has(run.id) ||
      // A change during its landing takes effect only after the landing has ended.
      isLandedBy(before.queue, run) ||
      isOfBrokenBase(change, run)
    )
      return [];
    const members = [...run.stack, ...run.batch];
    const isTouched = changedIn(change).some(
      ({ pr, head }) =>
        members.some((member) => member.pr === pr) ||
        members.some((member) =>
          [before, after].some((mirror) =>
            doMeet(targetsOf(mirror, member), targetsOf(mirror, { pr, head })),
          ),
        ),
    );
    return isTouched
      ? []
      : [
          `Test run ${run.id} of ${run.batch.map(({ pr }) => `#${pr}`)} is superseded, but no pull request that overlaps with it has changed.`,
        ];
  });
};

const isLandedBy = ({ landing }: Queue, { id }: TestRun): boolean =>
  landing?.runId === id || landing?.members.some(({ verifiedBy }) => verifiedBy === id) === true;

/** True if the base of the test run was found broken. */
const isOfBrokenBase = ({ commit }: Change, { batch }: TestRun): boolean =>
  commit.writes.history.some(
    (row) => row.type === 'moved' && row.reason === 'BASE_BROKEN' && batch.some(({ pr }) => pr === row.pr),
  );

/** Submissions that changed in a way that may affect others. Being requeued only because of others does not count. */
const changedIn = ({ commit, before, after }: Change): readonly Submission[] => {
  const uploads = new Set(commit.writes.targets.map(({ pr }) => pr));
  const changed = commit.writes.submissions.filter((row) => hasChanged(before.submissions.get(row.id), row));
  const uploaded = [...before.submissions.values()].filter(({ pr }) => uploads.has(pr));
  // The row of a pending failure does not show which witnesses it still has.
  const failed = [...before.submissions.values()].filter(({ state }) => state === 'pending_failure');
  return [
    ...changed,
    ...uploaded,
    ...failed,
    ...bisectionEnded({ commit, before }),
    ...landingEnded(before, after),
  ];
};

/** Members of bisections that ended in this commit: others may be built on them again. */
const bisectionEnded = ({ commit, before }: Pick<Change, 'commit' | 'before'>): readonly Submission[] => {
  const bisections = commit.writes.runs.filter(
    ({ bisection, closedAt }) => bisection !== null && closedAt !== null,
  );
  return bisections.flatMap(({ batch }) =>
    batch.flatMap(({ submissionId }) => before.submissions.get(submissionId) ?? []),
  );
};

/** Members of a landing that ended in this commit: only now urgent pull requests can go ahead of them. */
const landingEnded = (before: Change['before'], after: Change['after']): readonly Submission[] => {
  const { landing } = before.queue;
  if (landing === null || landing.runId === after.queue.landing?.runId) return [];
  const prs = new Set(landing.members.map(({ pr }) => pr));
  return [...before.submissions.values()].filter(({ pr }) => prs.has(pr));
};

const hasChanged = (was: Submission | undefined, is: Submission): boolean => {
  if (was === undefined || was.attempt !== is.attempt) return true;
  // A member whose bisection ended is again ahead of pull requests that were tested without it.
  const isRequeued =
    was.place !== null &&
    !isBisected(was) &&
    (is.state === 'pending' || is.state === 'testing') &&
    (is.reason === 'CAPACITY_AVAILABLE' || (is.reason?.startsWith('PREREQUISITE_') ?? false));
  return (
    (!isRequeued && (was.state !== is.state || was.reason !== is.reason)) ||
    was.head !== is.head ||
    was.heldBy !== is.heldBy ||
    was.asideSince !== is.asideSince ||
    (was.fault?.isAside === true) !== (is.fault?.isAside === true) ||
    was.skipTheLine !== is.skipTheLine ||
    was.priority.value !== is.priority.value ||
    was.goesWithUrgent !== is.goesWithUrgent ||
    was.alone !== is.alone ||
    was.suspectedBy !== is.suspectedBy
  );
};

const isBisected = ({ reason }: Submission): boolean => reason?.startsWith('BISECTION_') ?? false;
