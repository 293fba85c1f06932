import { mayBeginFor } from '../../../model/gates.js';
import { type RefusedLanding, statusOf } from '../../../model/queue.js';
import type { Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { type Because, unstamped } from '../../draft/history-rows.js';
import { isAhead } from '../../line/line.js';
import { canBeStackedOn } from '../../line/placement-input.js';
import { closeRunsOf, requeue, requeueUnlessTested } from '../../moves/leave.js';
import { landLater, retryAfter } from '../../moves/retry.js';
import type { PutOff } from './landing-put-off.js';

/** The longest pause between two tries of a landing. */
export const LONGEST_PAUSE_MS = 600_000;

/**
 * True if the host refused two pull requests with the same message, or answered neither, or keeps doing so. Then the
 * fault is its own.
 */
export const isOfHost = ({ queue }: Draft, pr: number | undefined, refusal: PutOff): boolean => {
  const before = queue.refusedLanding;
  if (before === null || (before.pr === pr && before.heldSince === null)) return false;
  if (refusal.isUnanswered && (before.isUnanswered || before.heldSince !== null)) return true;
  return isSameMessage(before.words, refusal.message);
};

/** Numbers and ids in the message, such as seconds to wait, do not distinguish messages. */
const isSameMessage = (one: string, other: string): boolean => withoutNumbers(one) === withoutNumbers(other);

/** A word of hexadecimal digits and dashes is an id if it has a digit. */
const withoutNumbers = (words: string): string =>
  words.replace(/\b(?=[a-f-]*\d)[\da-f]+(-[\da-f]+)*\b/gi, '#').replace(/\d+/g, '#');

/** Lands only the first one in line, every ten minutes, until a landing succeeds. */
export const holdLandings = (draft: Draft, submission: Submission | undefined, because: Because): void => {
  const { refusedLanding } = draft.queue;
  if (refusedLanding === null) return;
  const isFirst = refusedLanding.pr === submission?.pr && refusedLanding.isUnanswered === true;
  if (isFirst && moveBehind(draft, submission, because)) return;
  const until = draft.now + LONGEST_PAUSE_MS;
  if (submission !== undefined) retryAfter(draft, [submission], because, until);
  landLater(draft, until);
  const heldSince = refusedLanding.heldSince ?? draft.now;
  draft.changeQueue({ landsSingly: true, refusedLanding: { ...refusedLanding, heldSince } });
  if (refusedLanding.heldSince !== null) return;
  const sentence = `Landings are on hold: ${whyOnHold(refusedLanding, submission)} ${because.detail ?? ''} ${whatFollows(refusedLanding)}`;
  draft.record({ ...unstamped, type: 'alarm', code: 'HOST_REFUSED', sentence });
};

const whyOnHold = ({ pr, isUnanswered }: RefusedLanding, submission: Submission | undefined): string => {
  const second = submission === undefined ? 'the next pull request' : `#${submission.pr}`;
  if (isUnanswered !== true) return `the code host refused #${pr} and then ${second} with the same message:`;
  return submission?.pr === pr
    ? `the code host has not answered the merge of #${pr} for over an hour, and no other pull request can be tried before it:`
    : `the code host did not answer the merge of #${pr}, and then not that of ${second}:`;
};

const whatFollows = ({ pr, isUnanswered }: RefusedLanding): string =>
  isUnanswered === true
    ? `No pull request is failed for that; the first one in line is tried every 10 min. See why the code host does not answer. If only #${pr} is concerned, cancel it.`
    : 'No other pull request is failed for that; the first one in line is tried every 10 min. Change what the code host objects to.';

/**
 * After the tries of a landing that the host did not answer: the next landing shows whether the fault is the host's. If
 * nothing else can be tried, landings are on hold.
 */
export const letOthersTry = (draft: Draft, submission: Submission, because: Because): void => {
  const heldSince = draft.queue.refusedLanding?.heldSince ?? null;
  const words = because.detail ?? '';
  draft.changeQueue({ refusedLanding: { words, pr: submission.pr, heldSince, isUnanswered: true } });
  holdLandings(draft, submission, because);
};

/**
 * Tests the pull request again, alone, behind those that wait now, and counts its tries again from zero. False if
 * none of them would come before it.
 */
const moveBehind = (draft: Draft, submission: Submission, { detail = null }: Because): boolean => {
  if (!mayBeginFor(statusOf(draft.queue), draft, submission)) return false;
  const last = { place: null, admittedAt: draft.now, admittedRank: draft.sequence + 1 };
  const moved = { ...submission, ...last, goesWithUrgent: false };
  const isBefore = (other: Submission) =>
    other.id !== submission.id && canBeStackedOn(draft, other) && isAhead(draft, other, moved);
  if (![...draft.ordered('begun'), ...draft.ordered('waiting')].some(isBefore)) return false;
  const batchMates = closeRunsOf(draft, submission, 'not_landed');
  const { unanswered } = submission.refusedLandings ?? {};
  draft.change(requeue(draft, submission, { reason: 'LANDING_UNANSWERED', detail }), {
    ...last,
    alone: true,
    refusedLandings:
      unanswered === undefined ? null : { unanswered: { ...unanswered, tries: 0, isBehind: true } },
  });
  for (const id of batchMates)
    requeueUnlessTested(draft, id, {
      reason: 'PREREQUISITE_MERGE_ITEM_PENDING',
      detail: `#${submission.pr}`,
    });
  draft.changeQueue({ landsSingly: true });
  return true;
};
