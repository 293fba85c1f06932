import type { StoreTime } from '../engine/store-time.js';
import { ANSWER_LIMIT_MS, type Question, withTimeout } from '../engine/timeout.js';
import { closedError, MergeQueueError } from '../errors.js';
import type { Sha } from '../model/ids.js';
import type { PullRequest, PullRequestFault } from '../model/pull-request.js';
import { type BranchRules, symbolicRefOf, type Target } from '../model/queue.js';
import { branchKey, isSameRepo, type RepoRef } from '../model/repo.js';
import type { MergeMethod } from '../model/settings.js';
import type { Clock } from '../ports/clock.js';
import { type CodeHost, HostError, isReadable, readAsOf } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import { validatedHost } from '../validation/host-answers.js';
import type { QueueChange, QueueRef, UpdateQueueRequest } from '../validation/requests.js';

/** Timeout of a read. Without an answer the last known values are used. */
export const RULES_READ_LIMIT_MS = 3_000;

/** A pull request read for a caller. `fault`: why its mergeability cannot be computed; null otherwise. */
export interface AskedPullRequest {
  readonly pull: PullRequest;
  readonly fault: PullRequestFault | null;
}

/** The data on which a submit is decided. `rules`: what the target requires; null if it was not read. */
export interface AskedForSubmit extends AskedPullRequest {
  readonly rules: BranchRules | null;
}

/** The code hosts by name, and calls to them that a caller waits for. */
export class Hosts {
  readonly #hosts: ReadonlyMap<string, CodeHost>;
  readonly #waiting = new Set<Question>();
  /** Reads of rules that are shown, by branch, until they are answered. */
  readonly #shownRules = new Map<string, Promise<BranchRules | null>>();
  #isClosed = false;

  constructor(
    hosts: Readonly<Record<string, CodeHost>>,
    private readonly clock: Clock,
    private readonly time: StoreTime,
    private readonly logger: Logger,
    withChecks: (host: CodeHost) => CodeHost = (host) => host,
  ) {
    this.#hosts = new Map(
      Object.entries(hosts).map(([name, host]) => [name, validatedHost(withChecks(host))]),
    );
  }

  /** Rejects all calls that callers wait for, and later ones, with `CLOSED`. */
  close(): void {
    this.#isClosed = true;
    for (const question of this.#waiting) question.giveUp();
  }

  all(): readonly CodeHost[] {
    return [...this.#hosts.values()];
  }

  find(repo: RepoRef): CodeHost | null {
    return this.#hosts.get(repo.host) ?? null;
  }

  of(repo: RepoRef): CodeHost {
    const host = this.find(repo);
    if (host !== null) return host;
    const named = [...this.#hosts.keys()].join(', ');
    const served = named === '' ? '' : `, only ${named}`;
    throw new MergeQueueError('UNKNOWN_HOST', `No code host is named ${repo.host}${served}.`);
  }

  /** Reads a pull request for a waiting caller. `merging`: also requests its mergeability by that method. */
  async pullRequest(repo: RepoRef, number: number, merging?: MergeMethod): Promise<AskedPullRequest> {
    const host = this.of(repo);
    const readAt = this.time.now();
    const options = merging === undefined ? { isUrgent: true } : { isUrgent: true, merging };
    const [answer] = await this.#reach(() => host.getPullRequests(repo, [number], options));
    if (answer === undefined)
      throw new MergeQueueError('PULL_REQUEST_NOT_FOUND', `The code host has no pull request #${number}.`);
    if (!isReadable(answer)) {
      const sentence = `The code host cannot read pull request #${number}, although it can read others: ${answer.fault.message}`;
      throw new MergeQueueError('PULL_REQUEST_UNREADABLE', sentence);
    }
    const message = answer.mergeFault ?? null;
    const fault = message === null ? null : ({ code: 'MERGE_NOT_COMPUTABLE', message } as const);
    return { pull: readAsOf(answer, readAt), fault };
  }

  /** Reads a pull request that is submitted; also what the target requires if the queue is idle, since it reads nothing then. */
  async forSubmit(
    ref: QueueRef & { readonly pr: number },
    merging: MergeMethod,
    isIdle: boolean,
  ): Promise<AskedForSubmit> {
    const [answer, rules] = await Promise.all([
      this.pullRequest(ref.repo, ref.pr, merging),
      isIdle ? this.#branchRules(ref) : null,
    ]);
    return { ...answer, rules };
  }

  /**
   * What the target requires now, if the answer to an update depends on it; null otherwise, and if the host does not
   * answer.
   */
  async forUpdate(request: UpdateQueueRequest): Promise<BranchRules | null> {
    const { requiredStatuses, requiredStatusesSource } = request;
    return requiredStatuses != null || requiredStatusesSource === 'host' ? this.#branchRules(request) : null;
  }

  /** Whether a head contains a commit. False if the host does not answer. */
  async contains(repo: RepoRef, head: Sha, commit: Sha): Promise<boolean> {
    const host = this.find(repo);
    if (host === null) return false;
    return this.#reach(() => host.contains(repo, head, commit)).catch(() => false);
  }

  /** The hooks that a landing does not run. Empty if the host does not answer, since only a warning depends on it. */
  async hooksNotRun(repo: RepoRef): Promise<readonly string[]> {
    const host = this.find(repo);
    if (host?.hooksNotRun === undefined) return [];
    const { hooksNotRun } = host;
    return this.#reach(() => hooksNotRun(repo)).catch(() => []);
  }

  /** What the rules of a branch require now. Null if the host does not answer soon or has no such branch. */
  async #branchRules({ repo, targetBranch }: QueueRef): Promise<BranchRules | null> {
    const host = this.find(repo);
    if (host === null) return null;
    const readAt = this.time.now();
    const answer = this.#reach(
      () => host.getBranch(repo, targetBranch, { isUrgent: true }),
      RULES_READ_LIMIT_MS,
    );
    const branch = await answer.catch(() => null);
    if (branch === null) return null;
    return { requiredChecks: branch.requiredChecks, digests: branch.digests ?? {}, readAt };
  }

  /** What the rules of a branch require now, for callers that only show it: those that ask during a read share its answer. */
  shownRules(ref: QueueRef): Promise<BranchRules | null> {
    const key = branchKey(ref.repo, ref.targetBranch);
    const pending = this.#shownRules.get(key);
    if (pending !== undefined) return pending;
    const rules = this.#branchRules(ref).finally(() => this.#shownRules.delete(key));
    this.#shownRules.set(key, rules);
    return rules;
  }

  /** The repository of a queue to be created, with the id and in the letter case that it has at the host. */
  async identified(repo: RepoRef): Promise<RepoRef> {
    const host = this.of(repo);
    if (!(await this.#reach(() => host.hasRepository(repo))))
      throw new MergeQueueError(
        'REPOSITORY_NOT_FOUND',
        `${repo.host} has no repository ${repo.owner}/${repo.name}.`,
      );
    const { identify } = host;
    const found = identify === undefined ? null : await this.#reach(() => identify(repo));
    if (found === null) return repo;
    const { id, owner, name } = found;
    const withId: RepoRef = id === null ? repo : { ...repo, id };
    return isSameRepo(repo, { ...repo, owner, name }) ? { ...withId, owner, name } : withId;
  }

  /**
   * Throws INVALID_SETTINGS if a request begins to trust the targets of forks of a public repository without confirming it.
   * `isTrusting`: whether the queue does so already.
   */
  async requireConfirmedTrust(repo: RepoRef, change: QueueChange, isTrusting: boolean): Promise<void> {
    if (change.trustForkTargets !== true || change.allowPublicForkTargets === true || isTrusting) return;
    const { identify } = this.of(repo);
    const found = identify === undefined ? null : await this.#reach(() => identify(repo));
    if (found?.isPublic !== true) return;
    const message =
      'must come with allowPublicForkTargets: true, since anyone can fork a public repository and say what a change touches';
    throw new MergeQueueError('INVALID_SETTINGS', `trustForkTargets ${message}.`, [
      { path: ['trustForkTargets'], message },
    ]);
  }

  /** Reads the target branch of a queue to be created. */
  async target({ repo, targetBranch: branch }: QueueRef): Promise<Target> {
    const host = this.of(repo);
    const readAt = this.time.now();
    const found = await this.#reach(() => host.getBranch(repo, branch, { isUrgent: true }));
    if (found === null) throw new MergeQueueError('BRANCH_NOT_FOUND', `There is no branch ${branch}.`);
    return {
      head: found.head,
      requiredChecks: found.requiredChecks,
      digests: found.digests ?? {},
      ...symbolicRefOf(found),
      exists: true,
      readAt,
    };
  }

  /** Calls a host. Rejects with HOST_UNREACHABLE; nothing was stored then, so the caller can retry. */
  async #reach<Value>(call: () => Promise<Value>, limitMs = ANSWER_LIMIT_MS): Promise<Value> {
    if (this.#isClosed) throw closedError();
    const pending: Question = { giveUp: () => undefined };
    this.#waiting.add(pending);
    try {
      return await withTimeout(this.clock, call(), pending, limitMs);
    } catch (error) {
      if (this.#isClosed) throw closedError();
      this.logger.warn({ error }, 'the code host could not be reached');
      const said = error instanceof HostError ? error.message : 'it did not answer in time.';
      throw new MergeQueueError('HOST_UNREACHABLE', `The code host cannot be reached: ${said}`, [], {
        cause: error,
      });
    } finally {
      this.#waiting.delete(pending);
    }
  }
}
