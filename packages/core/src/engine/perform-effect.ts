import { type Check, isPass, isSuccess, reusablePasses } from '../model/checks.js';
import type { Effect, Land, ReadChecks } from '../model/effect.js';
import type { InputId, Instant, QueueId, Sha, TestRunId } from '../model/ids.js';
import type {
  CandidateBuilt,
  ChecksSeen,
  Fact,
  FaultyPullRequest,
  LandFinished,
  PullRequestsSeen,
} from '../model/input.js';
import { checksFor, commitsOf, stillPasses } from '../model/landing-proof.js';
import type { CandidateOutcome, LandOutcome } from '../model/outcomes.js';
import { mayStillLand, type PullRequest } from '../model/pull-request.js';
import { symbolicRefOf } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import type { StackedOn } from '../model/restack.js';
import { areSameMembers, type Candidate } from '../model/run.js';
import {
  COMMITS_PER_READ,
  type CodeHost,
  isReadable,
  PULL_REQUESTS_PER_READ,
  type PullRequestAnswer,
  type ReadOptions,
  readAsOf,
} from '../ports/code-host.js';
import type { Lease, Store } from '../ports/store.js';
import { findMemberWithoutChecks, readShown } from './hidden-checks.js';
import { provingRuns } from './proving-runs.js';
import { findStackedOn } from './stacked-on.js';
import type { StoreTime } from './store-time.js';
import { isLasting, tryLanding } from './try-landing.js';

interface Surroundings {
  readonly store: Store;
  readonly time: StoreTime;
}

const effectTypes = {
  build_candidate: true,
  start_checks: true,
  cancel_checks: true,
  drop_candidate: true,
  read_checks: true,
  read_pull_requests: true,
  read_branch: true,
  land: true,
} as const satisfies Record<Effect['type'], true>;

/** False for an effect type that only a newer release knows, whose replica runs side by side with this one. */
export const isKnownEffect = ({ type }: Effect): boolean => Object.hasOwn(effectTypes, type);

/** The id of the facts learnt under one lease. It stays the same if they are reported twice. */
export const factId = (lease: Lease): InputId => `${lease.effect.id}/${lease.tries}` as InputId;

/** Performs an effect at the host, and returns the results as facts. Throws if it is unknown what happened. */
export const performEffect = async (
  host: CodeHost,
  lease: Lease,
  parts: Surroundings,
): Promise<readonly Fact[]> => {
  const { effect, repo } = lease;
  const answer = { id: factId(lease), effectId: effect.id };
  switch (effect.type) {
    case 'build_candidate': {
      const outcome = await host.buildCandidate({ ...effect, repo });
      const passes =
        outcome.kind === 'built'
          ? await passesOf(host, lease, effect, outcome.candidate, parts)
          : { known: [], passedOnHead: [] };
      const pulls = await obstacleOf(host, repo, outcome, parts);
      const below = await belowConflict(host, lease, effect, outcome, parts.store);
      const stackedOn = below === null ? {} : { stackedOn: below };
      return [
        { ...answer, type: 'candidate_built', runId: effect.runId, outcome, ...passes, pulls, ...stackedOn },
      ];
    }
    case 'start_checks':
      if (effect.draft !== undefined)
        await host.openDraft?.({ repo, runId: effect.runId, commit: effect.commit, ...effect.draft });
      await host.startChecks?.({ ...effect, repo });
      return [{ ...answer, type: 'checks_started', runId: effect.runId, commit: effect.commit }];
    case 'cancel_checks':
      await host.cancelChecks?.({ ...effect, repo });
      return [];
    case 'drop_candidate':
      await host.dropCandidate({ ...effect, repo });
      return [];
    case 'read_checks':
      return [
        {
          ...answer,
          type: 'checks_seen',
          seen: await readShown(effect.runs, lease.tries, (runs) => readChecks(host, repo, { runs })),
        },
      ];
    case 'read_pull_requests': {
      const readAt = parts.time.now();
      return [
        {
          ...answer,
          type: 'pull_requests_seen',
          ...(await readForPoll(host, repo, effect, readAt)),
        },
      ];
    }
    case 'read_branch': {
      const readAt = parts.time.now();
      const branch = await host.getBranch(repo, effect.branch);
      const isMoved = branch !== null && effect.known !== null && branch.head !== effect.known;
      const rewound = isMoved && !(await host.contains(repo, branch.head, effect.known));
      const target = {
        head: branch?.head ?? null,
        requiredChecks: branch?.requiredChecks ?? null,
        digests: branch?.digests ?? {},
        ...symbolicRefOf(branch),
      };
      return [
        { ...answer, type: 'branch_seen', target: { ...target, exists: branch !== null, readAt }, rewound },
      ];
    }
    case 'land': {
      const landed = await land(host, lease, effect, parts);
      const { outcome } = landed;
      const head = outcome.kind === 'base_moved' ? outcome.head : null;
      // A landing that did not happen is not repeated only because this read failed.
      const isHeld = head === null || (await host.contains(repo, head, effect.onto).catch(() => true));
      return [{ ...answer, type: 'land_finished', runId: effect.runId, ...landed, rewound: !isHeld }];
    }
  }
};

/**
 * The recorded passes for the built tree, and those that the host shows for its commit, which may have been built and
 * tested before. If the tree is that of a head alone on the tip, or of the tip itself, also those shown for that
 * commit: it is the same content. A skipped or neutral check counts only if it is from that head, or was started for a
 * test run with the same batch and stack.
 */
const passesOf = async (
  host: CodeHost,
  { repo, queueId, tries }: Lease,
  { runId, base, isDirect, parts: candidateParts }: Extract<Effect, { type: 'build_candidate' }>,
  candidate: Candidate,
  { store }: Surroundings,
): Promise<Pick<CandidateBuilt, 'known' | 'passedOnHead'>> => {
  const recorded = (await store.verdicts(repo, candidate.tree)).map((verdict) => verdict.check);
  const [step] = candidate.steps;
  const sameTree =
    candidateParts.length === 0 ? base : isDirect && step?.headTree === candidate.tree ? step.head : null;
  const commits = [...new Set([candidate.commit, ...(sameTree === null ? [] : [sameTree])])];
  // Checks of a merge say nothing until it is known where the target stood.
  const isOfCommit = (check: Check): boolean => check.isOnMerge !== true;
  const shown = new Map<Sha, readonly Check[]>();
  // Without them the candidate is only tested more.
  const read = await host.getChecks(repo, commits).catch((error: unknown) => {
    if (isLasting(error, tries)) return new Map<Sha, readonly Check[]>();
    throw error;
  });
  for (const [commit, checks] of read)
    shown.set(
      commit,
      checks.filter(isOfCommit).map((check) => ({ ...check, commit })),
    );
  const ofHead = new Set(sameTree === null || candidateParts.length === 0 ? [] : shown.get(sameTree));
  // A baseline run with a skipped check is inconclusive; showing the check again must not count as a repetition.
  const onCandidate = candidateParts.length === 0 ? [] : (shown.get(candidate.commit) ?? []);
  const ofSameTest = new Set(await skipsOfSameTest(store, queueId, runId, onCandidate));
  const passes = reusablePasses(
    [...recorded, ...commits.flatMap((commit) => shown.get(commit) ?? [])],
    (check) => isSuccess(check) || ofHead.has(check) || ofSameTest.has(check),
  );
  return {
    known: passes,
    passedOnHead: passes.filter((check) => ofHead.has(check)).map(({ name }) => name),
  };
};

/** The skipped and neutral ones among these checks that were started for a test run of the same batch and stack. */
const skipsOfSameTest = async (
  store: Store,
  queueId: QueueId,
  runId: TestRunId,
  checks: readonly Check[],
): Promise<readonly Check[]> => {
  const skips = checks.filter((check) => isPass(check) && !isSuccess(check) && check.runId !== null);
  const run = skips.length === 0 ? null : await store.run(queueId, runId);
  if (run === null) return [];
  const found: Check[] = [];
  for (const skip of skips) {
    const other = skip.runId === null ? null : await store.run(queueId, skip.runId);
    const isSame = other !== null && areSameMembers(other.batch, run.batch);
    if (isSame && areSameMembers(other.stack, run.stack)) found.push(skip);
  }
  return found;
};

/**
 * Reads the pull request that could not be built again: it may have been merged by hand, pushed to or closed meanwhile.
 */
const obstacleOf = async (
  host: CodeHost,
  repo: RepoRef,
  outcome: CandidateOutcome,
  { time }: Surroundings,
): Promise<readonly PullRequest[]> => {
  if (outcome.kind === 'built' || outcome.pr === null) return [];
  const readAt = time.now();
  return (await readPullRequests(host, repo, [outcome.pr], readAt)).pulls;
};

/** The landed pull request that the conflicting one was stacked on. Null if none is known, or without an answer. */
const belowConflict = async (
  host: CodeHost,
  { repo, queueId }: Lease,
  { branch, parts }: Extract<Effect, { type: 'build_candidate' }>,
  outcome: CandidateOutcome,
  store: Store,
): Promise<StackedOn | null> => {
  if (outcome.kind !== 'conflicted' || outcome.with !== 'target') return null;
  const head = parts.find(({ pr }) => pr === outcome.pr)?.head;
  const [queue] = (await store.queues({ repo, branch, limit: 1 })).items;
  if (head === undefined || queue === undefined || queue.id !== queueId) return null;
  const contains = (commit: Sha) => host.contains(repo, head, commit);
  return findStackedOn(store, { queueId, receipts: queue.receipts, head, contains }).catch(() => null);
};

/** Reads the members again before the irreversible step. The host verifies the heads again within it. */
const land = async (
  host: CodeHost,
  { repo, queueId, tries }: Lease,
  effect: Land,
  { store, time }: Surroundings,
): Promise<Pick<LandFinished, 'outcome' | 'checksRead'>> => {
  const readAt = time.now();
  const request = { ...effect, repo };
  const attempt = { host, request, tries };
  const numbers = effect.members.map((member) => member.pr);
  const runs = await provingRuns(effect, queueId, store);
  const readAgain = async () => ({
    ...(await readPullRequests(host, repo, numbers, readAt)),
    checksRead: runs.length === 0 ? null : { at: time.now(), seen: await readChecks(host, repo, { runs }) },
  });
  const findMember = () =>
    findMemberWithoutChecks(request, runs, {
      readChecks: (run) => readChecks(host, repo, { runs: [run] }),
      runOf: (id) => store.run(queueId, id),
    });
  const reads = await tryLanding(attempt, readAgain, findMember);
  if ('kind' in reads) return { outcome: stamped(reads, readAt) };
  const { pulls, missing, checksRead } = reads;
  const members = new Map(effect.members.map((member) => [member.pr, member]));
  const checksByRun = new Map(checksRead?.seen.map(({ runId, checks }) => [runId, checks]));
  const isProven = (effect.proofs ?? []).every((proof) =>
    stillPasses(proof, checksByRun.get(proof.runId) ?? []),
  );
  const read = checksRead === null ? {} : { checksRead };
  const changed = pulls.filter((pull) => {
    const member = members.get(pull.number);
    return member === undefined || !mayStillLand(pull, { ...member, branch: effect.branch });
  });
  // A missing pull request may have landed and been deleted since. Only the host knows: `land`
  // answers `landed` if it has, and refuses otherwise.
  if (isProven && (changed.length === 0 || missing.length > 0))
    return { outcome: stamped(await tryLanding(attempt, () => host.land(request)), readAt), ...read };
  // An earlier try may have landed it, and the reads may be outdated. Without the candidate nothing can land any more,
  // so this call to land only reports whether it has happened.
  await host.dropCandidate({ repo, runId: effect.runId, isRunOpen: true });
  const outcome = await host.land(request);
  // Checks read afterwards say nothing about the landing.
  if (outcome.kind === 'landed' || outcome.kind === 'partly_landed') return { outcome };
  if (changed.length > 0) return { outcome: { kind: 'members_changed', pulls: changed, missing }, ...read };
  return { outcome: { kind: 'checks_changed' }, ...read };
};

/** Reads are compared by the store's time, so the adapter's clock must not be used. */
const stamped = (outcome: LandOutcome, readAt: Instant): LandOutcome =>
  outcome.kind === 'members_changed'
    ? { ...outcome, pulls: outcome.pulls.map((pull) => ({ ...pull, readAt })) }
    : outcome;

const readChecks = async (
  host: CodeHost,
  repo: RepoRef,
  { runs }: Pick<ReadChecks, 'runs'>,
): Promise<ChecksSeen['seen']> => {
  const shown = new Map<Sha, readonly Check[]>();
  for (const some of chunks([...new Set(runs.flatMap(commitsOf))], COMMITS_PER_READ))
    for (const [commit, checks] of await host.getChecks(repo, some)) shown.set(commit, checks);
  return runs.map((run) => ({ runId: run.runId, commit: run.commit, checks: checksFor(run, shown) }));
};

type Read = Pick<PullRequestsSeen, 'pulls' | 'missing'> & { readonly faulty: readonly FaultyPullRequest[] };

/** Requests the mergeability only of the pull requests that the effect names. */
const readForPoll = async (
  host: CodeHost,
  repo: RepoRef,
  { prs, merging }: Extract<Effect, { type: 'read_pull_requests' }>,
  readAt: Instant,
): Promise<Read> => {
  if (merging === undefined) return readPullRequests(host, repo, prs, readAt);
  const withMerging = new Set(merging.prs);
  const withoutMerging = prs.filter((pr) => !withMerging.has(pr));
  const one = await readPullRequests(host, repo, withoutMerging, readAt);
  const two = await readPullRequests(host, repo, merging.prs, readAt, { merging: merging.method });
  return {
    pulls: [...one.pulls, ...two.pulls],
    missing: [...one.missing, ...two.missing],
    faulty: [...one.faulty, ...two.faulty],
  };
};

const readPullRequests = async (
  host: CodeHost,
  repo: RepoRef,
  numbers: readonly number[],
  readAt: Instant,
  options: ReadOptions = {},
): Promise<Read> => {
  const answers: PullRequestAnswer[] = [];
  for (const some of chunks(numbers, PULL_REQUESTS_PER_READ))
    answers.push(...(await host.getPullRequests(repo, some, options)));
  const found = new Set(answers.map(({ number }) => number));
  return {
    pulls: answers.filter(isReadable).map((pull) => readAsOf(pull, readAt)),
    missing: numbers.filter((number) => !found.has(number)),
    faulty: answers.flatMap((answer) => faultIn(answer) ?? []),
  };
};

const faultIn = (answer: PullRequestAnswer): FaultyPullRequest | null => {
  if (!isReadable(answer)) return { pr: answer.number, fault: answer.fault };
  const message = answer.mergeFault ?? null;
  return message === null ? null : { pr: answer.number, fault: { code: 'MERGE_NOT_COMPUTABLE', message } };
};

const chunks = <Item>(items: readonly Item[], size: number): Item[][] => {
  const all: Item[][] = [];
  for (let at = 0; at < items.length; at += size) all.push(items.slice(at, at + size));
  return all;
};
