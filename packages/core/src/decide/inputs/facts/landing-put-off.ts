import type { HostRefusal } from '../../../model/outcomes.js';
import type { Landing } from '../../../model/queue.js';
import { isSameMember, type TestRun } from '../../../model/run.js';
import type { Refusals, RefusedLandings, Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { leave, requeue } from '../../moves/leave.js';
import { landLater, retryLater } from '../../moves/retry.js';
import { holdLandings, isOfHost, LONGEST_PAUSE_MS, letOthersTry } from './hold-landings.js';

/**
 * A landing that does not happen is tried at least this many times, for at least this long. Then the pull request
 * fails.
 */
export const LANDING_TRIES_LIMIT = 12;
export const LANDING_WAIT_MS = 3_600_000;

/** The answer to a landing that the queue retries unchanged. `reason`: absent if the host asked to wait, or did not answer. */
export interface PutOff extends Pick<HostRefusal, 'pr' | 'message' | 'isUnanswered'> {
  readonly reason?: 'HOST_NOT_READY' | 'LANDING_PUT_OFF';
}

/**
 * Handles a host that asks to wait, or that does not land although nothing has changed. If it keeps doing so for the
 * same pull request, that one fails with the host's message. If it then refuses another one with the same message, the
 * host is at fault: no pull request fails for that any more, and the first in line is retried every ten minutes. Before
 * that, the same one, submitted again, fails again after its tries. A landing that the host did not answer fails its
 * pull request only if another one has landed meanwhile; else the next one is tried first.
 */
export const putLandingOff = (draft: Draft, landing: Landing, run: TestRun, answer: PutOff): void => {
  // One that names a pull request outside the landing says nothing about a member, as if it named none.
  const isAboutMember = landing.members.some((member) => member.pr === answer.pr);
  const refusal = isAboutMember ? answer : { ...answer, pr: null };
  // The others wait behind the first, so the message is counted for the first.
  const pr = refusal.pr ?? landing.members[0]?.pr;
  const submission = pr === undefined ? undefined : draft.liveSubmission(pr);
  if (isOfHost(draft, pr, refusal)) return holdLandings(draft, submission, becauseOf(refusal));
  if (submission === undefined) return landLater(draft);
  const extent = extentOf(draft, landing, refusal);
  const updated = countRefusal(draft, submission, extent);
  if (isEnough(draft, updated.refusedLandings?.[extent])) {
    if (extent === 'one' || (extent === 'unanswered' && hasAnotherLanded(draft, updated)))
      return failRefused(draft, updated, run, refusal);
    if (extent === 'unanswered') return letOthersTry(draft, updated, becauseOf(refusal));
    if (extent === 'batch') return testEachAlone(draft, landing, refusal);
    draft.changeQueue({ landsSingly: true });
  }
  const until = retryLater(draft, [updated], becauseOf(refusal), LONGEST_PAUSE_MS);
  if (refusal.pr === null) landLater(draft, until);
};

const becauseOf = ({ message, isUnanswered, reason }: PutOff) => ({
  reason: reason ?? (isUnanswered ? ('LANDING_PUT_OFF' as const) : ('HOST_NOT_READY' as const)),
  detail: message,
});

/**
 * What a refusal is about: one pull request, which it names or which was landed alone, or its batch, or several lanes.
 * That the host did not answer is no objection to one pull request, so it is counted apart.
 */
type Extent = keyof RefusedLandings;

const extentOf = (draft: Draft, landing: Landing, { pr, isUnanswered }: PutOff): Extent => {
  if (pr === null && landing.members.length > 1) {
    if (isOneBatch(draft, landing)) return 'batch';
    if (!draft.queue.landsSingly) return 'several';
  }
  return isUnanswered ? 'unanswered' : 'one';
};

/**
 * Counts the refusal beside those that were about something else, so that neither adds to or ends the count of the other.
 * A count goes on after other tests of the pull request. A new count starts with short pauses again.
 */
const countRefusal = (draft: Draft, submission: Submission, extent: Extent): Submission => {
  const before = submission.refusedLandings;
  const counted = recentOf(draft, before?.[extent]) ?? { tries: 0, since: draft.now };
  return draft.change(submission, {
    refusedLandings: { ...before, [extent]: { ...counted, tries: counted.tries + 1, last: draft.now } },
    ...(before === null || counted.tries > 0 ? {} : { timesPutOff: 0 }),
  });
};

/** The count, unless its last refusal is so long ago that the next one says nothing about the same objection. */
const recentOf = ({ now }: Draft, refusals: Refusals | undefined): Refusals | null => {
  if (refusals === undefined) return null;
  const { since, last = since, isBehind = false } = refusals;
  return !isBehind && now - last > LANDING_WAIT_MS ? null : refusals;
};

const isEnough = ({ now }: Draft, refusals: Refusals | undefined): boolean =>
  refusals !== undefined && refusals.tries >= LANDING_TRIES_LIMIT && now - refusals.since >= LANDING_WAIT_MS;

/** True if another landing shows that the host has answered since it first gave no answer for this one. */
const hasAnotherLanded = ({ queue }: Draft, { refusedLandings }: Submission): boolean =>
  (queue.lastLandedAt ?? 0) >= (refusedLandings?.unanswered?.since ?? 0);

const failRefused = (draft: Draft, submission: Submission, run: TestRun, { message }: PutOff): void => {
  draft.changeQueue({ refusedLanding: { words: message, pr: submission.pr, heldSince: null } });
  const because = { reason: 'GITHUB_API_MERGE_PR_FAILED', detail: message, runId: run.id } as const;
  leave(draft, submission, 'failed', because);
};

/** Landing each alone shows which member of a batch the host objects to. */
export const testEachAlone = (draft: Draft, { members }: Landing, { message }: PutOff): void => {
  const proof = members[0] === undefined ? undefined : draft.run(members[0].verifiedBy);
  if (proof === undefined || proof.closedAt !== null) return landLater(draft);
  const because = { reason: 'BATCH_REFUSED', detail: message, runId: proof.id } as const;
  draft.closeRun(proof, 'not_landed');
  for (const submission of draft.membersOf(proof)) {
    const { batch: _, several: __, ...refusedLandings } = submission.refusedLandings ?? {};
    draft.change(requeue(draft, submission, because, 'place'), { alone: true, refusedLandings });
  }
};

/** True if everything in the landing was tested as one batch. */
export const isOneBatch = (draft: Draft, { members }: Landing): boolean => {
  const [first] = members;
  const batch = first === undefined ? [] : (draft.run(first.verifiedBy)?.batch ?? []);
  return members.every((member) => batch.some((one) => isSameMember(one, member)));
};
