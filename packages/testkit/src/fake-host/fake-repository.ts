import type {
  BuildCandidateRequest,
  CandidateOutcome,
  Clock,
  HostEvent,
  HostPullRequest,
  LandOutcome,
  LandRequest,
  MergeMethod,
  RepoRef,
  Sha,
  TestRunId,
} from '@mq/core';
import { buildCandidate } from './fake-candidate.js';
import type { FakeCi, ShownChecks } from './fake-ci.js';
import { FakeDiscussion, personNamed } from './fake-discussion.js';
import { FakeDrafts } from './fake-drafts.js';
import { FakeFaults } from './fake-faults.js';
import { edited, type FakeCommit, FakeGit, type Files } from './fake-git.js';
import { type FakeRefusal, refusalOf, stepOf } from './fake-landing.js';
import { FakeTimeline } from './fake-timeline.js';
import {
  type BranchMove,
  commitsOf,
  type Edits,
  type FakePull,
  fileOf,
  type NewPullRequest,
  shownOf,
} from './pull-request.js';

type Written = Pick<FakeCommit, 'message' | 'author' | 'committedAt'>;

/** One repository in memory, with the actions of people and of the queue. Each call is atomic. */
export class FakeRepository {
  readonly git = new FakeGit();
  readonly branches = new Map<string, Sha>();
  /** Branches that are symbolic refs, with the full name of the ref that each points to. */
  readonly aliases = new Map<string, string>();
  readonly pulls = new Map<number, FakePull>();
  readonly candidates = new Map<TestRunId, Sha>();
  readonly drafts = new FakeDrafts((runId) => this.candidates.has(runId));
  readonly moves: BranchMove[] = [];
  readonly rules = new Map<string, readonly string[] | null>();
  /** Hooks that a landing does not run. */
  readonly hooks: string[] = [];
  isPublic: boolean | null = null;
  #landings = new Map<TestRunId, Extract<LandOutcome, { kind: 'landed' }>>();
  #pushes = 0;
  /** The refusal that the host returns for the next landings; null if it accepts them. */
  landingRefusal: FakeRefusal | null = null;
  /** Pull requests whose landing the host refuses with class `wait`, and its message for each. */
  readonly landingWaits = new Map<number, string>();
  /** The refusal that the host returns for the next candidates; null if it builds them. */
  buildingRefusal: FakeRefusal | null = null;
  /** The pull requests on which the host fails, while it works for all others. */
  readonly faults = new FakeFaults(() => this.#changed());
  /** How many members the next landings merge before they stop; null for all, in one move. */
  landsOnly: number | null = null;
  /** True: landings create another tree than requested, as a host with its own hooks may. */
  rewritesLandings = false;
  readonly timeline = new FakeTimeline({ now: () => this.clock.now() });
  readonly discussion = new FakeDiscussion({ now: () => this.clock.now() }, (pr) => this.pulls.has(pr));

  constructor(
    readonly ref: RepoRef,
    readonly ci: FakeCi,
    /** The checks of its CI. All are required on a branch without a rule of its own. */
    public checkNames: readonly string[],
    private readonly clock: Pick<Clock, 'now'>,
    private readonly emit: (event: HostEvent) => void,
  ) {}

  // --- people ---------------------------------------------------------------------------------------------------

  /** Creates or changes a branch that is a symbolic ref. */
  pointAlias(name: string, ref: string): void {
    this.aliases.set(name, ref);
    this.emit({ repo: this.ref, what: 'branch' });
  }

  /** The branch that an alias points to; any other name is returned unchanged. */
  resolved(branch: string): string {
    return this.aliases.get(branch)?.replace('refs/heads/', '') ?? branch;
  }

  headOf(branch: string): Sha | null {
    return this.branches.get(this.resolved(branch)) ?? null;
  }

  createBranch(branch: string, from: string | Files): Sha {
    const commit =
      typeof from === 'string'
        ? this.git.get(this.#headOf(from))
        : this.git.commit({
            ...{ files: from, parents: [], message: 'Begin', author: 'someone', pr: null },
            committedAt: this.clock.now(),
          });
    this.#move(branch, commit.sha);
    return commit.sha;
  }

  openPullRequest(wanted: NewPullRequest = {}): number {
    const number = wanted.number ?? Math.max(0, ...this.pulls.keys()) + 1;
    if (this.pulls.has(number)) throw new Error(`Pull request #${number} exists already.`);
    const base = wanted.base ?? 'main';
    const author = wanted.author ?? 'someone';
    const headBranch = wanted.headBranch ?? `change-${number}`;
    let head = wanted.head ?? this.#headOf(base);
    for (const { edits, message } of wanted.head === undefined ? commitsOf(number, wanted) : [])
      head = this.#commitOn(head, edits, message, author);
    this.#move(headBranch, head);
    this.pulls.set(number, { ...shownOf(number, wanted, this.ref), ...{ author, head, headBranch, base } });
    this.timeline.authors.set(number, personNamed(author));
    this.timeline.pushed(number);
    this.#changed();
    return number;
  }

  /** Creates a commit on no branch: the files of its first parent with these edits. */
  commit(parents: readonly Sha[], edits: Edits, part: Partial<Written> = {}): Sha {
    const files = edited(parents[0] === undefined ? {} : this.git.get(parents[0]).files, edits);
    const { message = 'Change', author = 'someone', committedAt = this.clock.now() } = part;
    this.#pushes += 1;
    return this.git.commit({ files, parents, message, author, committedAt, pr: null }, this.#pushes).sha;
  }

  /** Adds a commit to its head branch. */
  push(number: number, edits?: Edits): Sha {
    const pull = this.#pull(number);
    const change = edits ?? { [fileOf(number)]: `change ${number}, again ${this.#pushes + 1}\n` };
    const head = this.#commitOn(pull.head, change, `Change ${number} again`, pull.author);
    if (pull.headBranch !== null) this.#move(pull.headBranch, head);
    this.edit(number, { head });
    return head;
  }

  /** Force-pushes its head back by `commits`. Throws if it does not have more commits than that. */
  pushBack(number: number, commits = 1): Sha {
    const { head: from, headBranch, base } = this.#pull(number);
    const own = this.git.ownCommits(from, this.#headOf(base));
    const head = this.git.firstParents(from)[commits]?.sha;
    if (head === undefined || commits >= own.length)
      throw new Error(`#${number} has only ${own.length} commits.`);
    if (headBranch !== null) this.#move(headBranch, head);
    this.edit(number, { head });
    return head;
  }

  /** Changes what the host shows: title, body, base, draft, labels, state (close, reopen), mergeability. */
  edit(number: number, part: Partial<Omit<FakePull, 'number'>>, actor = personNamed('someone')): void {
    const before = this.#pull(number);
    this.pulls.set(number, { ...before, ...part });
    this.timeline.edited(number, before.labels, part, actor);
    this.#changed(number);
  }

  /** Removes it from the host. */
  deletePullRequest(number: number): void {
    this.pulls.delete(number);
    this.#changed();
  }

  /** Deletes its head branch; the commits stay. */
  deleteHeadBranch(number: number): void {
    const { headBranch } = this.#pull(number);
    if (headBranch !== null) this.#move(headBranch, null);
    this.edit(number, { headBranch: null });
  }

  /** A user merges it at the host, bypassing the queue. */
  mergeByHand(number: number, method: MergeMethod = 'merge_commit'): Sha {
    const pull = this.#pull(number);
    const part = { pr: number, head: pull.head, message: { title: `Merge #${number} by hand`, body: '' } };
    const base = this.#headOf(pull.base);
    const built = buildCandidate(this.git, {
      repo: this.ref,
      runId: 'by hand' as TestRunId,
      branch: pull.base,
      base,
      parts: [part],
      method,
      decidedAt: this.clock.now(),
    });
    if (built.kind !== 'built') throw new Error(`#${number} cannot be merged by hand: ${built.kind}.`);
    this.#move(pull.base, built.candidate.commit);
    this.#markMerged(number, pull.base, built.candidate.commit);
    return built.candidate.commit;
  }

  /** A user pushes a commit to a branch, bypassing the queue. */
  pushTo(branch: string, edits?: Edits): Sha {
    const change = edits ?? { [`push-${this.#pushes + 1}.txt`]: 'by hand\n' };
    const head = this.#commitOn(this.#headOf(branch), change, 'Push by hand', 'someone');
    this.#move(branch, head);
    return head;
  }

  /** A user force-pushes a branch back by `commits` first parents. */
  rewind(branch: string, commits = 1): Sha {
    const to = this.git.firstParents(this.#headOf(branch))[commits];
    if (to === undefined) throw new Error(`${branch} has fewer than ${commits + 1} commits.`);
    this.#move(branch, to.sha);
    return to.sha;
  }

  deleteBranch(branch: string): void {
    this.#move(branch, null);
  }

  /** Points a branch to a commit; creates the branch if it does not exist. */
  restoreBranch(branch: string, to: Sha): void {
    this.#move(branch, to);
  }

  /** Adds checks on the head of a pull request that no test run requested: `{ test: 'success', lint: 'running' }`. */
  reportHeadChecks(number: number, checks: ShownChecks): void {
    this.ci.show(this.git.get(this.#pull(number).head), checks);
  }

  /** Adds checks on the tip of a branch that no test run requested. */
  reportTipChecks(branch: string, checks: ShownChecks): void {
    this.ci.show(this.git.get(this.#headOf(branch)), checks);
  }

  /** Sets the required checks of the branch's rules; null if no rule is about checks. */
  setRequiredChecks(branch: string, names: readonly string[] | null): void {
    this.rules.set(branch, names);
    this.emit({ repo: this.ref, what: 'branch' });
  }

  // --- the port -------------------------------------------------------------------------------------------------

  shown(number: number): HostPullRequest | null {
    const pull = this.pulls.get(number);
    if (pull === undefined) return null;
    const base = this.headOf(pull.base);
    if (pull.state !== 'open' || base === null) {
      const mergeabilityReason =
        pull.state === 'open' ? `${pull.base} does not exist.` : `It is ${pull.state}.`;
      return { ...pull, mergeability: 'not_mergeable', mergeabilityReason, conflicts: false };
    }
    const conflicts = this.#conflicts(base, pull.head);
    const mergeability = pull.mergeability ?? (conflicts ? 'not_mergeable' : 'mergeable');
    const reason = conflicts
      ? `It conflicts with ${pull.base}.`
      : 'The host reports that it is not mergeable.';
    const mergeabilityReason = mergeability === 'not_mergeable' ? reason : null;
    return { ...pull, mergeability, mergeabilityReason, conflicts };
  }

  requiredChecks(branch: string): readonly string[] | null {
    const rule = this.rules.get(branch);
    if (rule !== undefined) return rule;
    return this.checkNames.length === 0 ? null : this.checkNames;
  }

  build(request: BuildCandidateRequest): CandidateOutcome {
    if (this.buildingRefusal !== null) return { kind: 'refused', ...this.buildingRefusal };
    const outcome = this.faults.in(request) ?? buildCandidate(this.git, request);
    if (outcome.kind === 'built') this.candidates.set(request.runId, outcome.candidate.commit);
    return outcome;
  }

  /** `land` of the port: lands once; on a refusal drops the candidate and changes nothing else. */
  land(request: LandRequest): LandOutcome {
    const before = this.#landings.get(request.runId);
    if (before !== undefined) return before;
    const refusal = refusalOf(this, request, this.clock.now());
    if (refusal !== null) {
      this.candidates.delete(request.runId);
      return refusal;
    }
    const { candidate, branch, runId, members } = request;
    const count = Math.min(this.landsOnly ?? members.length, members.length);
    if (count < members.length) return this.#landSome(request, members.slice(0, count));
    const head = this.rewritesLandings
      ? this.#commitOn(candidate.commit, { 'rewritten.txt': 'by the host\n' }, 'Rewritten', 'host')
      : candidate.commit;
    this.#move(branch, head, runId);
    for (const { pr } of members) this.#markMerged(pr, branch, stepOf(candidate, pr) ?? candidate.commit);
    const outcome = { kind: 'landed', head, tree: this.git.get(head).tree } as const;
    this.#landings.set(runId, outcome);
    return outcome;
  }

  #landSome({ candidate, branch, runId }: LandRequest, members: LandRequest['members']): LandOutcome {
    const head = stepOf(candidate, members.at(-1)?.pr ?? 0) ?? this.#headOf(branch);
    this.#move(branch, head, runId);
    this.candidates.delete(runId);
    for (const { pr } of members) this.#markMerged(pr, branch, stepOf(candidate, pr) ?? head);
    const { tree } = this.git.get(head);
    const cause = 'the next one was refused';
    return { kind: 'partly_landed', count: members.length, head, tree, cause };
  }

  /** What a commit contains beyond the root commit, oldest first: numbers of pull requests, and `push` for pushed commits. */
  contents(commit: Sha): readonly (number | 'push')[] {
    const names = this.git
      .firstParents(commit)
      .filter(({ parents }) => parents.length > 0)
      .map(({ pr }) => pr ?? 'push')
      .reverse();
    return names.filter((name, index) => name === 'push' || name !== names[index - 1]);
  }

  // --- inside ---------------------------------------------------------------------------------------------------
  #mergeable = new Map<string, boolean>();

  #conflicts(base: Sha, head: Sha): boolean {
    const key = `${base} ${head}`;
    const known = this.#mergeable.get(key) ?? this.git.merge(base, head).kind !== 'merged';
    this.#mergeable.set(key, known);
    return known;
  }

  #markMerged(number: number, branch: string, commit: Sha): void {
    this.edit(number, { state: 'merged', merged: { branch, commit } });
  }

  #commitOn(parent: Sha, edits: Edits, message: string, author: string): Sha {
    return this.commit([parent], edits, { message, author });
  }

  #move(name: string, to: Sha | null, runId: TestRunId | null = null): void {
    const branch = this.resolved(name);
    const from = this.branches.get(branch) ?? null;
    if (to === null) this.branches.delete(branch);
    else this.branches.set(branch, to);
    this.moves.push({ branch, from, to, runId, at: this.clock.now() });
    this.emit({ repo: this.ref, what: 'branch' });
  }

  #changed(pr?: number): void {
    this.emit({ repo: this.ref, what: 'pull_requests', ...(pr === undefined ? {} : { pr }) });
  }

  #pull(number: number): FakePull {
    const pull = this.pulls.get(number);
    if (pull === undefined) throw new Error(`There is no pull request #${number}.`);
    return pull;
  }

  #headOf(branch: string): Sha {
    const head = this.headOf(branch);
    if (head === null) throw new Error(`There is no branch ${branch}.`);
    return head;
  }
}
