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

/** What a landing that is decided now is judged by. */
export const termsOf = (queue: Queue): LandingTerms => ({
  settingsVersion: queue.settingsVersion,
  mergeMethod: queue.settings.mergeMethod,
  required: requiredChecksOf(queue),
  digests: queue.target.digests,
});

/** One receipt for each of the first `count` members of a landing. To be given before their runs are let go of. */
export const giveReceipts = (
  draft: Draft,
  landing: Landing,
  outcome: MovedOutcome,
  { count, checksReadAt }: { readonly count: number; readonly checksReadAt: Instant | null },
): void => {
  const steps = stepsOf(landing);
  for (const [index, member] of landing.members.slice(0, count).entries()) {
    const step = steps[index];
    if (step === undefined) continue;
    // Only of the last one has the host said what it became; the others lie in it as they were built.
    const became = index === count - 1 ? { commit: outcome.head, tree: outcome.tree } : built(step);
    const below = landing.members.slice(0, index);
    append(
      draft,
      receiptOf(draft, landing, { member, step, below, became, head: outcome.head, checksReadAt }),
    );
  }
};

interface Arrival {
  readonly member: LandingMember;
  readonly step: Step;
  /** What lands below it in the same move. */
  readonly below: readonly Member[];
  readonly became: Pick<Step, 'commit' | 'tree'>;
  readonly head: string;
  readonly checksReadAt: Instant | null;
}

type Unchained = Omit<ReceiptBody, 'version' | 'queueId' | 'repo' | 'branch' | 'number' | 'previous' | 'at'>;

const receiptOf = (draft: Draft, landing: Landing, arrival: Arrival): Unchained => {
  const { member, step, became, head } = arrival;
  const { terms, candidate, runId, onto, effectId } = landing;
  const submission = draft.attemptOf(member);
  const run = draft.run(member.verifiedBy);
  const tested = run?.candidate?.steps.find(({ pr }) => pr === member.pr);
  const isAsTested = tested === undefined || tested.commit === step.commit;
  const names = terms.required?.names ?? run?.requiredChecks ?? [];
  return {
    ...named(member),
    ...(step.reviewedTree === undefined ? {} : { reviewedTree: step.reviewedTree }),
    submitted: submission === undefined ? null : submittedOf(submission),
    settingsVersion: terms.settingsVersion,
    mergeMethod: terms.mergeMethod,
    required: { names, source: terms.required?.source ?? null },
    tested: run === undefined ? null : testedOf(run, step, checksFor(names, run, terms), arrival),
    landed: { landingId: effectId, runId, onto, trial: built(candidate), step: built(step), ...became, head },
    between: run === undefined || isAsTested ? [] : betweenOf(run, candidate, arrival),
    vouchedBy: isAsTested ? [] : [member.verifiedBy],
  };
};

/**
 * Returns what lies below it now and did not when it was tested: landed since beside the run, or put below it in the same
 * landing, also where the run held it above.
 */
const betweenOf = (run: TestRun, candidate: Candidate, { member, below }: Arrival): Receipt['between'] => {
  const whole = [...run.stack, ...run.batch];
  const testedBelow = whole.slice(
    0,
    whole.findIndex((one) => isSameMember(one, member)),
  );
  const others = below.filter((one) => !testedBelow.some((other) => isSameMember(other, one)));
  const last = others.at(-1);
  const commit = candidate.steps.find(({ pr }) => pr === last?.pr)?.commit;
  return [
    ...run.beside.map(({ head, prs }) => ({ commit: head, prs })),
    ...(commit === undefined ? [] : [{ commit, prs: others.map(({ pr }) => pr) }]),
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
    repo: { host: repo.host, owner: repo.owner, name: repo.name },
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
  { checksReadAt }: Pick<Arrival, 'checksReadAt'>,
): Receipt['tested'] => {
  const step = run.candidate?.steps.find(({ pr }) => pr === landed.pr);
  if (run.candidate === null || step === undefined) return null;
  return {
    runId: run.id,
    base: run.base,
    stack: run.stack.map(named),
    batch: run.batch.map(named),
    trial: built(run.candidate),
    step: built(step),
    checks: checks.map(shown),
    ...(checksReadAt === null ? {} : { checksReadAt }),
  };
};

type Shown = NonNullable<Receipt['tested']>['checks'][number];

const shown = (check: Check): Shown => {
  const { name, source, id, runId, digest, conclusion, startedAt, completedAt, url } = check;
  return { name, source, id, runId, digest, conclusion, startedAt, completedAt, url: withoutKeys(url) };
};

/** An address may let in whoever has it. A receipt is for everybody, for ever, and nothing can be taken out of it. */
const withoutKeys = (url: string | null): string | null =>
  url === null ? null : url.replace(/[?#].*/s, '').replace(/:\/\/[^/]*@/g, '://');

const built = ({ commit, tree }: Pick<Candidate, 'commit' | 'tree'>) => ({ commit, tree });
const named = ({ pr, attempt, head }: Member) => ({ pr, attempt, head });
