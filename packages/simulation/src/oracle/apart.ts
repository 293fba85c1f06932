import type { Queue, Submission, TestRun } from '@mq/core';
import { doMeet } from '@mq/testkit';
import type { Change, Check } from './ledger.js';
import { targetsOf } from './line.js';

/**
 * What happens in one lane has nobody of another one tested anew: whoever's test is let go of for somebody else's sake touches
 * something in common with whoever came, went, or changed.
 */
export const lanesStandApart: Check = (change) => {
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
      // What changed while it may have been landing counts only once that has ended.
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
          `Run ${run.id} of ${run.batch.map(({ pr }) => `#${pr}`)} is let go of, and nobody whom it touches has changed.`,
        ];
  });
};

const isLandedBy = ({ landing }: Queue, { id }: TestRun): boolean =>
  landing?.runId === id || landing?.members.some(({ verifiedBy }) => verifiedBy === id) === true;

/** The tip that it was tested on fails by itself, in whichever lane that has been mended since. */
const isOfBrokenBase = ({ commit }: Change, { batch }: TestRun): boolean =>
  commit.writes.history.some(
    (row) => row.type === 'moved' && row.reason === 'BASE_BROKEN' && batch.some(({ pr }) => pr === row.pr),
  );

/** Whoever is somewhere else than before, by his own doing or that of the world: who is only sent back is no reason. */
const changedIn = ({ commit, before }: Change): readonly Submission[] => {
  const uploads = new Set(commit.writes.targets.map(({ pr }) => pr));
  const changed = commit.writes.submissions.filter((row) => isElsewhere(before.submissions.get(row.id), row));
  const uploaded = [...before.submissions.values()].filter(({ pr }) => uploads.has(pr));
  // Whether somebody still bears witness of one who has failed is not in his row.
  const failed = [...before.submissions.values()].filter(({ state }) => state === 'pending_failure');
  return [...changed, ...uploaded, ...failed, ...outOfSearch({ commit, before })];
};

/** Whoever was looked for among others who failed together, and is not any more: he is built on again, whatever his row says. */
const outOfSearch = ({ commit, before }: Pick<Change, 'commit' | 'before'>): readonly Submission[] => {
  const searches = commit.writes.runs.filter(
    ({ bisection, closedAt }) => bisection !== null && closedAt !== null,
  );
  return searches.flatMap(({ batch }) =>
    batch.flatMap(({ submissionId }) => before.submissions.get(submissionId) ?? []),
  );
};

const isElsewhere = (was: Submission | undefined, is: Submission): boolean => {
  if (was === undefined || was.attempt !== is.attempt) return true;
  // Whoever comes out of a search stands ahead again of those who were tested without it.
  const isSentBack =
    was.place !== null &&
    !isSearchedIn(was) &&
    (is.state === 'pending' || is.state === 'testing') &&
    (is.reason === 'CAPACITY_AVAILABLE' || (is.reason?.startsWith('PREREQUISITE_') ?? false));
  return (
    (!isSentBack && (was.state !== is.state || was.reason !== is.reason)) ||
    was.head !== is.head ||
    was.heldBy !== is.heldBy ||
    was.asideSince !== is.asideSince ||
    was.skipTheLine !== is.skipTheLine ||
    was.priority.value !== is.priority.value ||
    was.goesWithUrgent !== is.goesWithUrgent ||
    was.alone !== is.alone ||
    was.suspectedBy !== is.suspectedBy
  );
};

const isSearchedIn = ({ reason }: Submission): boolean => reason?.startsWith('BISECTION_') ?? false;
