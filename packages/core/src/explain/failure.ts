import type { Draft } from '../decide/draft/draft.js';
import { targetsOf } from '../decide/line/standpoint.js';
import { hasComeAhead, isVoidOnceLanded } from '../decide/verdicts/blame.js';
import { doOverlap } from '../model/impacted-targets.js';
import {
  hasFailed,
  type Member,
  remainingBatch,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { type Explained, explained } from './explained.js';
import { cutName, prOf, prsOf, quoted, runOf } from './words.js';

/** What comes of a failure that counts. */
export const whatFollows = (draft: Draft, { pr }: Pick<Submission, 'pr'>, run: TestRun): string => {
  if (remainingBatch(run).length > 1 && run.bisection === null)
    return 'the one of its batch that is to blame is looked for';
  const isConfirmedFirst =
    draft.queue.settings.confirmBeforeFailing && draft.liveSubmission(pr)?.suspectedBy === null;
  return isConfirmedFirst ? `${prOf(pr)} is tested once more before it is failed` : `${prOf(pr)} is failed`;
};

/** True where a failure says nothing any more once this one has landed. */
export const wouldVoid = (draft: Draft, failed: TestRun, member: Member): boolean =>
  (isVoidOnceLanded(draft, failed, member.pr) || hasComeAhead(draft, failed, member)) &&
  remainingMembers(failed).some((one) => doOverlap(targetsOf(draft, one), targetsOf(draft, member)));

/** What one more run is to confirm before it is failed; null where nothing is. Where that run stands on others, a pass of it is worth what becomes of those. */
export const confirming = (draft: Draft, submission: Submission): Explained | null => {
  const { pr, suspectedBy, suspectedDetail } = submission;
  if (suspectedBy === null) return null;
  const detail = suspectedDetail === null ? [] : [quoted(suspectedDetail, '')];
  const failure = [...detail, `run ${runOf(suspectedBy)}`].join(', ');
  const run = draft.runsOf(submission).at(-1);
  const below = run === undefined ? [] : remainingStack(run);
  const land = below.length === 1 ? 'lands' : 'land';
  const ahead = below.length === 0 ? '' : ` and ${prsOf(below)} ahead of it ${land}`;
  return explained('confirmation', { it: prOf(pr), failure, ahead }, { pr, runId: suspectedBy });
};

export const failureOf = (run: TestRun): { readonly check: string; readonly run: string } => {
  const name = run.decidedBy?.name;
  const otherwise = run.outcome === 'timed_out' ? 'no verdict in time' : 'a required check';
  return { check: name === undefined ? otherwise : `check ${cutName(name)}`, run: runOf(run.id) };
};

export const failedChecks = (run: TestRun): readonly string[] =>
  hasFailed(run) && run.decidedBy !== null ? [run.decidedBy.name] : [];

/** To an urgent one that is to be tested once more: who has passed without it, and lands first. */
export const behindPassed = (
  { pr }: Pick<Submission, 'pr'>,
  failed: TestRun,
  landing: readonly Member[],
): Explained => {
  const land = landing.length === 1 ? 'lands' : 'land';
  const values = { it: prOf(pr), ...failureOf(failed), others: prsOf(landing), land };
  return explained('passed_without', values, {
    pr: landing[0]?.pr ?? null,
    runId: failed.id,
    checks: failedChecks(failed),
  });
};
