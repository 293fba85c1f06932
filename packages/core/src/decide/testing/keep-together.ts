import { isForUrgentOnly } from '../../model/gates.js';
import type { SubmissionId } from '../../model/ids.js';
import { type Member, remainingStack, type TestRun } from '../../model/run.js';
import { goesFirst, isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { frontPositions } from '../line/positions.js';
import { isBeingLanded } from '../moves/landing.js';
import { delayedUntil } from '../moves/retry.js';
import { gather } from './batch.js';
import { isPrefixRun } from './bisection.js';

/**
 * Lets the batch of an urgent pull request go first together with it, if only such batches stand ahead. The urgent pull
 * request then keeps its running tests. While a freeze lets only urgent pull requests through, nothing goes with them.
 */
export const keepTogether = (draft: Draft): void => {
  const [front] = draft.ordered('begun');
  if (front === undefined || !goesFirst(front)) return;
  const inFront = pullRequestsInFront(draft);
  for (const submission of [...draft.ordered('begun')]) {
    const goesWithUrgent = inFront.has(submission.id) && !isUrgent(submission);
    if (submission.goesWithUrgent !== goesWithUrgent) draft.change(submission, { goesWithUrgent });
  }
};

/** Urgent pull requests and their batches, from the front of the line. */
const pullRequestsInFront = (draft: Draft): ReadonlySet<SubmissionId> => {
  if (isForUrgentOnly(draft)) return new Set();
  const begun = draft.ordered('begun');
  const urgent = begun.filter(isUrgent);
  const stillWithUrgent = begun.filter((submission) =>
    urgent.some((other) => staysWithUrgent(draft, other, submission)),
  );
  const inFront = new Set([...urgent, ...stillWithUrgent].map(({ id }) => id));
  const urgentRuns = draft.openRuns().filter((run) => hasUrgentMember(draft, run));
  let sizeBefore: number;
  do {
    sizeBefore = inFront.size;
    for (const run of urgentRuns)
      if (remainingStack(run).every((member) => isInFront(draft, inFront, member)))
        for (const { id } of draft.membersOf(run)) inFront.add(id);
  } while (inFront.size > sizeBefore);
  return inFront;
};

/**
 * True for a batch member that went first and has no test run of its own any more: another run proves it, or it is to
 * be tested again with the urgent one.
 */
const staysWithUrgent = (draft: Draft, urgent: Submission, submission: Submission): boolean =>
  submission.goesWithUrgent &&
  submission.batch !== null &&
  submission.batch === urgent.batch &&
  submission.state !== 'pending' &&
  draft.runsOf(submission).length === 0 &&
  (submission.state !== 'testing' || isTestedWith(draft, urgent, submission));

/** Their targets or the option to be tested alone may separate them. That is known only after the retry delay. */
const isTestedWith = (draft: Draft, urgent: Submission, submission: Submission): boolean => {
  const until = delayedUntil(draft, submission);
  if (until !== null) return until === delayedUntil(draft, urgent);
  return gather(draft, frontPositions(draft)).some(
    ({ members }) => members.includes(submission) && members.includes(urgent),
  );
};

/** A batch under test, or a prefix run of a failed batch. A failed batch itself never lands as it was tested. */
const hasUrgentMember = (draft: Draft, run: TestRun): boolean =>
  (run.purpose.kind === 'test' || isPrefixRun(run)) &&
  run.bisection === null &&
  draft.membersOf(run).some(isUrgent);

const isInFront = (draft: Draft, inFront: ReadonlySet<SubmissionId>, member: Member): boolean => {
  const ahead = draft.attemptOf(member);
  return ahead !== undefined && (inFront.has(ahead.id) || isBeingLanded(draft, ahead));
};
