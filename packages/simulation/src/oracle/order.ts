import type { Pace, Submission } from '@mq/core';
import { attemptKey, type Change, type Check, isOver, runsOf } from './ledger.js';

/** The oracle's own order of those who wait: urgent first, then arrival plus what the priority is worth. */
const key = (submission: Submission, ageingMsPerPoint: number): readonly number[] => {
  const isUrgent = submission.skipTheLine || submission.priority.value === 0;
  const arrival = submission.admittedAt ?? submission.submittedAt;
  return [
    submission.place ?? Number.MAX_SAFE_INTEGER,
    isUrgent ? 0 : 1,
    arrival + submission.priority.value * ageingMsPerPoint,
    arrival,
    submission.submittedAt,
    submission.pr,
  ];
};

const isBefore = (one: readonly number[], other: readonly number[]): boolean => {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
};

/** I11: of those who wait and may start, the first in line starts. */
export const startsInOrder =
  (pace: Pick<Pace, 'ageingMsPerPoint'>): Check =>
  (change) => {
    const { commit, before, after } = change;
    const started = commit.writes.history.flatMap((row) => {
      if (row.type !== 'moved' || row.to !== 'testing' || row.reason !== 'CAPACITY_AVAILABLE') return [];
      const submission = after.submissions.get(row.submissionId);
      const had = before.submissions.get(row.submissionId);
      const keptPlace = had?.attempt === submission?.attempt && had?.place != null;
      return submission === undefined || keptPlace ? [] : [{ ...submission, place: null }];
    });
    const waiting = [...after.submissions.values()].filter((one) => isWaiting(change, one));
    return started.flatMap((one) =>
      waiting
        .filter((other) => isBefore(key(other, pace.ageingMsPerPoint), key(one, pace.ageingMsPerPoint)))
        .map((other) => `${attemptKey(one)} starts before ${attemptKey(other)}, which is ahead in line.`),
    );
  };

const isWaiting = ({ after, now }: Change, submission: Submission): boolean =>
  submission.state === 'pending' &&
  submission.heldBy === null &&
  submission.asideSince === null &&
  (submission.retryAt === null || submission.retryAt <= now) &&
  runsOf(after, submission).length === 0;

/** I11: nobody who is in play and stands ahead is passed over by a landing. */
export const landsInOrder: Check = ({ commit, after }) =>
  commit.effects.flatMap((effect) => {
    if (effect.type !== 'land') return [];
    const live = [...after.submissions.values()].filter((one) => !isOver(one));
    const landing = new Set(effect.members.map(({ pr }) => pr));
    const last = Math.max(...live.filter(({ pr }) => landing.has(pr)).map(({ place }) => place ?? -1));
    return live
      .filter((one) => one.place !== null && one.place < last && !landing.has(one.pr))
      .filter((one) => one.heldBy === null && one.asideSince === null && one.state !== 'pending_failure')
      .map((one) => `${attemptKey(one)} stands ahead and is passed over by the landing of ${effect.runId}.`);
  });
