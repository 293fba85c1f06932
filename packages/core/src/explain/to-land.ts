import type { Draft } from '../decide/draft/draft.js';
import { memberOf } from '../decide/line/placement-input.js';
import { positionIn } from '../decide/line/positions.js';
import { proofOf } from '../decide/line/proof.js';
import { isBeingLanded } from '../decide/moves/landing.js';
import { delayedUntil } from '../decide/moves/retry.js';
import { isSameMember, type Member, remainingMembers } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { type ChainStep, causeOf, type ExplainedCause, endOfChain } from './chain-step.js';
import { aboutToDecide, landingGate } from './gates.js';
import { durationOf, oneOf, prOf, prsOf, quoted, runOf, shortOf, timeOf } from './phrases.js';

/** Why a pull request that passed has not landed: others ahead, a landing under way, or a combined commit to build. */
export const toLand = (draft: Draft, submission: Submission): ChainStep => {
  if (isBeingLanded(draft, submission)) return landing(draft, submission);
  const undecided = undecidedBefore(draft, submission);
  if (undecided.length > 0) return behindUndecided(draft, submission, undecided);
  const gate = landingGate(draft, submission);
  if (gate !== null) return gate;
  const { queue, now } = draft;
  if (queue.landing !== null) {
    const members = prsOf(queue.landing.members);
    const age = durationOf(now - queue.landing.startedAt);
    const values = { it: prOf(submission.pr), run: runPhrase(draft, submission), age, members };
    return endOfChain(causeOf('other_landing', values, { pr: queue.landing.members[0]?.pr ?? null }));
  }
  const cause =
    notYet(draft, submission) ?? nothingYet(draft, submission) ?? waitForComposition(draft, submission);
  return endOfChain(cause ?? aboutToDecide(submission));
};

/** A delay that the host demands for every landing. */
const nothingYet = (draft: Draft, { pr }: Submission): ExplainedCause | null => {
  const { branch, landAfter } = draft.queue;
  if (landAfter === null || landAfter <= draft.now) return null;
  const why = whyNothingLands(draft);
  const values = { what: 'Nothing could be', branch, it: prOf(pr), why, until: timeOf(landAfter) };
  return causeOf('landing_delay', values, { pr, untilAt: landAfter });
};

/** The detail of a submission that waits for the same instant; empty without one. */
const whyNothingLands = (draft: Draft): string => {
  const { landAfter } = draft.queue;
  const waiting = draft
    .liveSubmissions()
    .find(
      ({ retryAt, reason, state }) =>
        retryAt === landAfter && (reason === 'HOST_NOT_READY' || state === 'tests_passed'),
    );
  const words = quoted(waiting?.reasonDetail ?? null, '');
  return words === '' ? '' : ` (${words})`;
};

/** A delay of this pull request alone, if it lasts at least as long as the one for all. */
const notYet = (draft: Draft, submission: Submission): ExplainedCause | null => {
  const { branch, landAfter } = draft.queue;
  const { pr, reason, reasonDetail } = submission;
  const untilAt = delayedUntil(draft, submission);
  if (untilAt === null || untilAt < (landAfter ?? 0)) return null;
  const isForAll = landAfter === untilAt;
  const words = quoted(reasonDetail, 'no details are known');
  if (reason === 'LANDING_PUT_OFF') {
    const what = isForAll ? 'Nothing could be' : `${prOf(pr)} could not be`;
    const values = { what, branch, it: prOf(pr), why: ` (${words})`, until: timeOf(untilAt) };
    return causeOf('landing_delay', values, { pr, untilAt });
  }
  const what = isForAll ? `anything on ${branch}` : prOf(pr);
  return causeOf('host', { it: prOf(pr), what, words, until: timeOf(untilAt) }, { pr, untilAt });
};

/** The landing under way: the nearest cause for all its members. */
const landing = (draft: Draft, submission: Submission): ChainStep => {
  const { landing: move, branch } = draft.queue;
  if (move === null) return endOfChain(aboutToDecide(submission));
  const values = {
    it: prOf(submission.pr),
    branch,
    from: shortOf(move.onto),
    to: shortOf(move.candidate.commit),
    members: prsOf(move.members),
    age: durationOf(draft.now - move.startedAt),
  };
  return endOfChain(causeOf('landing', values, { pr: submission.pr, runId: move.runId }));
};

/** The pull requests ahead of it, or in the test run that it passed, that have not passed or cannot land yet. */
const undecidedBefore = (draft: Draft, submission: Submission): readonly Submission[] => {
  const proof = proofOf(draft, submission);
  const stack = positionIn(draft, submission.id)?.stack ?? [];
  const proven = proof === null ? [] : remainingMembers(proof);
  const outsideStack = proven.filter(
    (member) => member.submissionId !== submission.id && !stack.some((one) => isSameMember(one, member)),
  );
  return [...stack, ...outsideStack].flatMap((member: Member) => {
    const one = draft.submission(member.submissionId);
    const isUndecided = one !== undefined && !isLandable(draft, one) && isSameMember(memberOf(one), member);
    return isUndecided ? [one] : [];
  });
};

const isLandable = (draft: Draft, submission: Submission): boolean =>
  submission.state === 'tests_passed' &&
  submission.missingSince === null &&
  delayedUntil(draft, submission) === null;

const behindUndecided = (
  draft: Draft,
  submission: Submission,
  undecided: readonly Submission[],
): ChainStep => {
  const stack = positionIn(draft, submission.id)?.stack ?? [];
  const areAhead = undecided.every(({ id }) => stack.some(({ submissionId }) => submissionId === id));
  const values = {
    it: prOf(submission.pr),
    run: runPhrase(draft, submission),
    ahead: prsOf(undecided),
    which: areAhead ? ' ahead of it' : ', which it was tested with,',
    when: areAhead ? 'right behind those ahead of it' : 'together with those that it was tested with',
    others: leftOutPhrase(draft, submission),
  };
  const cause = causeOf('landing_turn', values, {
    pr: undecided.at(-1)?.pr ?? null,
    runId: proofOf(draft, submission)?.id ?? null,
  });
  return { causes: [cause], waitsOf: undecided, fallback: [aboutToDecide(submission)] };
};

/** Names failed pull requests that its tests left out: if they are tested again, it may be behind them again. */
const leftOutPhrase = (draft: Draft, { id }: Submission): string => {
  const { without } = positionIn(draft, id) ?? { without: [] };
  const failed = without.filter(
    ({ submissionId }) => draft.submission(submissionId)?.state === 'pending_failure',
  );
  if (failed.length === 0) return '';
  return `, or if ${oneOf(failed)}, which it was tested without, is ahead of it again`;
};

const runPhrase = (draft: Draft, submission: Submission): string => {
  const proof = proofOf(draft, submission);
  return proof === null ? '' : ` in test run ${runOf(proof.id)}`;
};

/** The build of a combined commit. Nothing else lands before; pull requests that passed since are not part of it. */
const waitForComposition = (draft: Draft, submission: Submission): ExplainedCause | null => {
  const run = draft.openRuns().find(({ purpose }) => purpose.kind === 'compose');
  if (run === undefined) return null;
  const isIncluded = run.batch.some(({ submissionId }) => submissionId === submission.id);
  const values = {
    after: isIncluded ? '' : `, and ${prOf(submission.pr)} can merge after that`,
    members: prsOf(run.batch),
    branch: draft.queue.branch,
    tip: shortOf(run.base),
    run: runOf(run.id),
    age: durationOf(draft.now - run.createdAt),
  };
  return causeOf('composition', values, { pr: submission.pr, runId: run.id });
};
