import type { Check } from '../../model/checks.js';
import { provingChecks } from '../../model/checks.js';
import type { Instant } from '../../model/ids.js';
import type { MovedOutcome } from '../../model/outcomes.js';
import {
  type Landing,
  type LandingMember,
  type LandingTerms,
  type Queue,
  stepsOf,
} from '../../model/queue.js';
import { type Receipt, type ReceiptBody, sealed } from '../../model/receipt.js';
import { shownRepo } from '../../model/repo.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import {
  type Candidate,
  evidenceOf,
  isSameMember,
  type Member,
  type Step,
  type TestRun,
} from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';

/** The settings by which a landing that is decided now is judged. */
export const termsOf = (queue: Queue): LandingTerms => ({
  settingsVersion: queue.settingsVersion,
  mergeMethod: queue.settings.mergeMethod,
  required: requiredChecksOf(queue),
  digests: queue.target.digests,
});

/** Adds one receipt for each of the first `count` members of a landing. Call it before their runs are closed. */
export const addReceipts = (
  draft: Draft,
  landing: Landing,
  outcome: MovedOutcome,
  { count, checksReadAt }: { readonly count: number; readonly checksReadAt: Instant | null },
): void => {
  const steps = stepsOf(landing);
  for (const [index, member] of landing.members.slice(0, count).entries()) {
    const step = steps[index];
    if (step === undefined) continue;
    // The host reports the commit of the last member only. The others landed as they were built.
    const landedAs = index === count - 1 ? { commit: outcome.head, tree: outcome.tree } : commitAndTree(step);
    const below = landing.members.slice(0, index);
    append(
      draft,
      receiptOf(draft, landing, { member, step, below, became: landedAs, head: outcome.head, checksReadAt }),
    );
  }
};

interface LandedMember {
  readonly member: LandingMember;
  readonly step: Step;
  /** What lands below it in the same move. */
  readonly below: readonly Member[];
  readonly became: Pick<Step, 'commit' | 'tree'>;
  readonly head: string;
  readonly checksReadAt: Instant | null;
}

type Unchained = Omit<ReceiptBody, 'version' | 'queueId' | 'repo' | 'branch' | 'number' | 'previous' | 'at'>;

const receiptOf = (draft: Draft, landing: Landing, landedMember: LandedMember): Unchained => {
  const { member, step, became: landedAs, head } = landedMember;
  const { terms, candidate, runId, onto, effectId } = landing;
  const submission = draft.attemptOf(member);
  const run = draft.run(member.verifiedBy);
  const tested = run?.candidate?.steps.find(({ pr }) => pr === member.pr);
  const isAsTested = tested === undefined || tested.commit === step.commit;
  const names = terms.required?.names ?? run?.requiredChecks ?? [];
  return {
    ...numberAndHead(member),
    ...(step.reviewedTree === undefined ? {} : { reviewedTree: step.reviewedTree }),
    submitted: submission === undefined ? null : submittedOf(submission),
    settingsVersion: terms.settingsVersion,
    mergeMethod: terms.mergeMethod,
    required: { names, source: terms.required?.source ?? null },
    tested: run === undefined ? null : testedOf(run, step, checksFor(names, run, terms), landedMember),
    landed: {
      landingId: effectId,
      runId,
      onto,
      trial: commitAndTree(candidate),
      step: commitAndTree(step),
      ...landedAs,
      head,
    },
    between: run === undefined || isAsTested ? [] : betweenOf(run, candidate, landedMember),
    vouchedBy: isAsTested ? [] : [member.verifiedBy],
  };
};

/**
 * Returns the changes below this member that were not there when it was tested: those that landed beside its run
 * since, and the members that this landing puts below it.
 */
const betweenOf = (
  run: TestRun,
  candidate: Candidate,
  { member, below }: LandedMember,
): Receipt['between'] => {
  const allMembers = [...run.stack, ...run.batch];
  const testedBelow = allMembers.slice(
    0,
    allMembers.findIndex((one) => isSameMember(one, member)),
  );
  const notTestedBelow = below.filter((one) => !testedBelow.some((other) => isSameMember(other, one)));
  const last = notTestedBelow.at(-1);
  const commit = candidate.steps.find(({ pr }) => pr === last?.pr)?.commit;
  return [
    ...run.beside.map(({ head, prs }) => ({ commit: head, prs })),
    ...(commit === undefined ? [] : [{ commit, prs: notTestedBelow.map(({ pr }) => pr) }]),
  ];
};

const submittedOf = (submission: Submission): Receipt['submitted'] => ({
  by: { kind: submission.submittedBy.kind, name: submission.submittedBy.name },
  at: submission.submittedAt,
  forced: submission.forceEnqueued,
});

const append = (draft: Draft, unchained: Unchained): void => {
  const { id: queueId, repo, branch, receipts } = draft.queue;
  const receipt = sealed({
    version: 1,
    queueId,
    repo: shownRepo(repo),
    branch,
    number: receipts.count + 1,
    previous: receipts.hash,
    at: draft.now,
    ...unchained,
  });
  draft.putReceipt(receipt);
  draft.changeQueue({ receipts: { count: receipt.number, hash: receipt.hash } });
};

const checksFor = (names: readonly string[], run: TestRun, { digests }: LandingTerms): readonly Check[] =>
  provingChecks(names, [...run.known, ...run.checks], evidenceOf(run, digests));

const testedOf = (
  run: TestRun,
  landed: Step,
  checks: readonly Check[],
  { checksReadAt }: Pick<LandedMember, 'checksReadAt'>,
): Receipt['tested'] => {
  const step = run.candidate?.steps.find(({ pr }) => pr === landed.pr);
  if (run.candidate === null || step === undefined) return null;
  return {
    runId: run.id,
    base: run.base,
    stack: run.stack.map(numberAndHead),
    batch: run.batch.map(numberAndHead),
    trial: commitAndTree(run.candidate),
    step: commitAndTree(step),
    checks: checks.map(toShownCheck),
    ...(checksReadAt === null ? {} : { checksReadAt }),
  };
};

type ShownCheck = NonNullable<Receipt['tested']>['checks'][number];

const toShownCheck = (check: Check): ShownCheck => {
  const { name, source, id, runId, digest, conclusion, startedAt, completedAt, url } = check;
  return {
    name,
    source,
    id,
    runId,
    digest,
    conclusion,
    startedAt,
    completedAt,
    url: withoutCredentials(url),
  };
};

/** An address may contain credentials. A receipt is public and permanent, so they are removed. */
const withoutCredentials = (url: string | null): string | null =>
  url === null ? null : url.replace(/[?#].*/s, '').replace(/:\/\/[^/]*@/g, '://');

const commitAndTree = ({ commit, tree }: Pick<Candidate, 'commit' | 'tree'>) => ({ commit, tree });
const numberAndHead = ({ pr, attempt, head }: Member) => ({ pr, attempt, head });
