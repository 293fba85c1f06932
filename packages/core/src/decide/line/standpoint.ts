import type { SubmissionId } from '../../model/ids.js';
import { type ImpactedTargets, targetsInForce } from '../../model/impacted-targets.js';
import { hasFailed, type Member, memberKey, remainingBatch, type TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';

/** What decides where one stands, besides who stands ahead of it. */
export interface Standpoint {
  readonly member: Member;
  readonly targets: ImpactedTargets;
  readonly isFit: boolean;
  /** Whether it may be built on, if it does not stand too deep. */
  readonly isBuiltOn: boolean;
  /** The failed ones that it bears witness for. */
  readonly awaited: ReadonlySet<SubmissionId>;
}

/** What it counts as touching now. */
export const targetsOf = (draft: Draft, { pr, head }: Pick<Member, 'pr' | 'head'>): ImpactedTargets =>
  draft.queue.settings.mode === 'single'
    ? 'ALL'
    : targetsInForce(draft.targets(pr), head, draft.queue.settings);

export const memberOf = (submission: Submission): Member => ({
  submissionId: submission.id,
  attempt: submission.attempt,
  pr: submission.pr,
  head: submission.head,
});

export const standpointOf = (draft: Draft, ties: Ties, submission: Submission): Standpoint => ({
  member: memberOf(submission),
  targets: targetsOf(draft, submission),
  isFit: isFit(submission),
  isBuiltOn: isBuiltOn(ties, submission),
  awaited: awaitedBy(ties, submission),
});

/**
 * Those of these, which stand in this order ahead of one that touches these targets, that it stands behind: by what it touches itself,
 * or by what one of them touches that stands behind them.
 */
export const tiedAhead = <One extends { readonly targets: ImpactedTargets }>(
  ahead: readonly One[],
  targets: ImpactedTargets,
): readonly One[] => {
  if (targets === 'ALL') return ahead;
  const touched = new Set(targets);
  const tied: One[] = [];
  for (let place = ahead.length - 1; place >= 0; place -= 1) {
    const one = ahead[place];
    if (one === undefined) continue;
    if (one.targets === 'ALL') return [...ahead.slice(0, place + 1), ...tied.reverse()];
    if (!one.targets.some((target) => touched.has(target))) continue;
    for (const target of one.targets) touched.add(target);
    tied.push(one);
  }
  return tied.reverse();
};

const isFit = ({ heldBy, asideSince, fault }: Submission): boolean =>
  heldBy === null && asideSince === null && fault?.isAside !== true;

/** True of one in line that is expected to land, if it does not stand too deep. */
export const canBeBuiltOn = (draft: Draft, submission: Submission): boolean =>
  isBuiltOn(tiesOf(draft), submission);

const isBuiltOn = (ties: Ties, submission: Submission): boolean =>
  isFit(submission) &&
  submission.state !== 'pending_failure' &&
  (submission.state === 'tests_passed' || !isAmong(ties.isolated, submission));

/** True while the culprit of its batch is looked for and it has not been cleared. */
export const isBisected = (draft: Draft, submission: Submission): boolean =>
  isAmong(tiesOf(draft).isolated, submission);

const isAmong = (keys: ReadonlySet<string>, submission: Submission): boolean =>
  keys.size > 0 && keys.has(memberKey(memberOf(submission)));

/** What failed runs have to do with where anybody stands. */
export interface Ties {
  /** Those of batches that are looked into. */
  readonly isolated: ReadonlySet<string>;
  /** By who bears witness for them, those who failed. */
  readonly awaited: ReadonlyMap<string, ReadonlySet<SubmissionId>>;
}

export const tiesOf = (draft: Draft): Ties =>
  draft.derived('ties', () => {
    const isolated = new Set<string>();
    const awaited = new Map<string, Set<SubmissionId>>();
    for (const run of draft.openRuns())
      if (run.bisection !== null) for (const member of remainingBatch(run)) isolated.add(memberKey(member));
      else if (hasFailed(run)) callWitnesses(awaited, run);
    return { isolated, awaited };
  });

const callWitnesses = (awaited: Map<string, Set<SubmissionId>>, { witnesses, batch }: TestRun): void => {
  for (const witness of witnesses) {
    const key = memberKey(witness);
    const failed = awaited.get(key) ?? new Set();
    awaited.set(key, failed);
    for (const { submissionId } of batch) failed.add(submissionId);
  }
};

/** The failed ones that this one was called to bear witness for: it is tested with them, whatever others are. */
const awaitedBy = ({ awaited }: Ties, submission: Submission): ReadonlySet<SubmissionId> =>
  (awaited.size === 0 ? undefined : awaited.get(memberKey(memberOf(submission)))) ?? nobody;

const nobody: ReadonlySet<SubmissionId> = new Set();
