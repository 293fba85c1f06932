import type { Draft } from '../decide/draft/draft.js';
import { positionIn } from '../decide/line/positions.js';
import { proofOf } from '../decide/line/proof.js';
import { memberOf } from '../decide/line/standpoint.js';
import { isBeingLanded } from '../decide/moves/landing.js';
import { delayedUntil } from '../decide/moves/retry.js';
import { isSameMember, type Member, remainingMembers } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { type Explained, endsWith, explained, type Step } from './explained.js';
import { aboutToDecide, landingGate } from './gates.js';
import { durationOf, oneOf, prOf, prsOf, quoted, runOf, shortOf, timeOf } from './words.js';

/** Why one that passed has not landed: those ahead, the landing under way, or what has yet to be put together. */
export const toLand = (draft: Draft, submission: Submission): Step => {
  if (isBeingLanded(draft, submission)) return landing(draft, submission);
  const ahead = undecidedAhead(draft, submission);
  if (ahead.length > 0) return behindUndecided(draft, submission, ahead);
  const gate = landingGate(draft, submission);
  if (gate !== null) return gate;
  const { queue, now } = draft;
  if (queue.landing !== null) {
    const members = prsOf(queue.landing.members);
    const age = durationOf(now - queue.landing.startedAt);
    const values = { it: prOf(submission.pr), run: runPhrase(draft, submission), age, members };
    return endsWith(explained('other_landing', values, { pr: queue.landing.members[0]?.pr ?? null }));
  }
  const told = notYet(draft, submission) ?? nothingYet(draft, submission) ?? composing(draft, submission);
  return endsWith(told ?? aboutToDecide(submission));
};

/** Nothing at all lands at this moment. */
const nothingYet = (draft: Draft, { pr }: Submission): Explained | null => {
  const { branch, landAfter } = draft.queue;
  if (landAfter === null || landAfter <= draft.now) return null;
  const why = whyNothingLands(draft);
  const values = { what: 'nothing could be', branch, it: prOf(pr), why, until: timeOf(landAfter) };
  return explained('landing_delay', values, { pr, untilAt: landAfter });
};

/** In the words of those who hold back as long because of it; empty where there is nobody left. */
const whyNothingLands = (draft: Draft): string => {
  const { landAfter } = draft.queue;
  const told = draft
    .liveSubmissions()
    .find(
      ({ retryAt, reason, state }) =>
        retryAt === landAfter && (reason === 'HOST_NOT_READY' || state === 'tests_passed'),
    );
  const words = quoted(told?.reasonDetail ?? null, '');
  return words === '' ? '' : ` (${words})`;
};

/** The code host would not land it a moment ago, and nothing is held back for longer. */
const notYet = (draft: Draft, submission: Submission): Explained | null => {
  const { branch, landAfter } = draft.queue;
  const { pr, reason, reasonDetail } = submission;
  const untilAt = delayedUntil(draft, submission);
  if (untilAt === null || untilAt < (landAfter ?? 0)) return null;
  const isForAll = landAfter === untilAt;
  const words = quoted(reasonDetail, 'nothing more is known of it');
  if (reason === 'LANDING_PUT_OFF') {
    const what = isForAll ? 'nothing could be' : `${prOf(pr)} could not be`;
    const values = { what, branch, it: prOf(pr), why: ` (${words})`, until: timeOf(untilAt) };
    return explained('landing_delay', values, { pr, untilAt });
  }
  const what = isForAll ? `anything on ${branch}` : prOf(pr);
  return explained('host', { it: prOf(pr), what, words, until: timeOf(untilAt) }, { pr, untilAt });
};

/** What the code host has been asked to do: the nearest cause for all that it lands. */
const landing = (draft: Draft, submission: Submission): Step => {
  const { landing: move, branch } = draft.queue;
  if (move === null) return endsWith(aboutToDecide(submission));
  const values = {
    it: prOf(submission.pr),
    branch,
    from: shortOf(move.onto),
    to: shortOf(move.candidate.commit),
    members: prsOf(move.members),
    age: durationOf(draft.now - move.startedAt),
  };
  return endsWith(explained('landing', values, { pr: submission.pr, runId: move.runId }));
};

/** Those ahead of it, and those in the run that vouches for it, who have not passed or may not land yet. */
const undecidedAhead = (draft: Draft, submission: Submission): readonly Submission[] => {
  const proof = proofOf(draft, submission);
  const stack = positionIn(draft, submission.id)?.stack ?? [];
  const held = proof === null ? [] : remainingMembers(proof);
  const others = held.filter(
    (member) => member.submissionId !== submission.id && !stack.some((one) => isSameMember(one, member)),
  );
  return [...stack, ...others].flatMap((member: Member) => {
    const one = draft.submission(member.submissionId);
    const isUndecided = one !== undefined && !isLandable(draft, one) && isSameMember(memberOf(one), member);
    return isUndecided ? [one] : [];
  });
};

const isLandable = (draft: Draft, submission: Submission): boolean =>
  submission.state === 'tests_passed' &&
  submission.missingSince === null &&
  delayedUntil(draft, submission) === null;

const behindUndecided = (draft: Draft, submission: Submission, ahead: readonly Submission[]): Step => {
  const others = leftOutPhrase(draft, submission);
  const values = { it: prOf(submission.pr), run: runPhrase(draft, submission), ahead: prsOf(ahead), others };
  const told = explained('landing_turn', values, {
    pr: ahead.at(-1)?.pr ?? null,
    runId: proofOf(draft, submission)?.id ?? null,
  });
  return { causes: [told], because: ahead, otherwise: [aboutToDecide(submission)] };
};

/** Those who failed ahead of it and were left out of its tests: where they go on after all, they may go on ahead of it. */
const leftOutPhrase = (draft: Draft, { id }: Submission): string => {
  const { without } = positionIn(draft, id) ?? { without: [] };
  const failed = without.filter(
    ({ submissionId }) => draft.submission(submissionId)?.state === 'pending_failure',
  );
  if (failed.length === 0) return '';
  return `, or if ${oneOf(failed)}, which it was tested without, stands ahead of it again`;
};

const runPhrase = (draft: Draft, submission: Submission): string => {
  const proof = proofOf(draft, submission);
  return proof === null ? '' : ` in run ${runOf(proof.id)}`;
};

/** Whoever has passed since is not among those who are put together: nothing else lands before that is done. */
const composing = (draft: Draft, submission: Submission): Explained | null => {
  const run = draft.openRuns().find(({ purpose }) => purpose.kind === 'compose');
  if (run === undefined) return null;
  const isIncluded = run.batch.some(({ submissionId }) => submissionId === submission.id);
  const values = {
    after: isIncluded ? '' : `, and ${prOf(submission.pr)} may land after them`,
    members: prsOf(run.batch),
    branch: draft.queue.branch,
    tip: shortOf(run.base),
    run: runOf(run.id),
    age: durationOf(draft.now - run.createdAt),
  };
  return explained('composition', values, { pr: submission.pr, runId: run.id });
};
