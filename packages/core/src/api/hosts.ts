import type { StoreTime } from '../engine/store-time.js';
import { type Question, withTimeout } from '../engine/timeout.js';
import { closedError, MergeQueueError } from '../errors.js';
import type { Sha } from '../model/ids.js';
import type { PullRequest, PullRequestFault } from '../model/pull-request.js';
import { symbolicRefOf, type Target } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import type { MergeMethod } from '../model/settings.js';
import type { Clock } from '../ports/clock.js';
import { type CodeHost, HostError, isReadable, readAsOf } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import { validatedHost } from '../validation/host-answers.js';
import type { QueueRef } from '../validation/requests.js';

/** A pull request as it was read for a caller. `fault`: why its mergeability cannot be computed; null without one. */
export interface AskedPullRequest {
  readonly pull: PullRequest;
  readonly fault: PullRequestFault | null;
}

/** The code hosts by name, and the questions that a caller waits for. */
export class Hosts {
  readonly #hosts: ReadonlyMap<string, CodeHost>;
  readonly #waiting = new Set<Question>();
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

  /** Callers do not wait for an answer any more, and are told `CLOSED`. */
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
    const others = named === '' ? '' : `, only ${named}`;
    throw new MergeQueueError('UNKNOWN_HOST', `No code host is named ${repo.host}${others}.`);
  }

  /** For a caller who waits. `merging`: with its mergeability by that method, or why that cannot be computed. */
  async pullRequest(repo: RepoRef, number: number, merging?: MergeMethod): Promise<AskedPullRequest> {
    const host = this.of(repo);
    const readAt = this.time.now();
    const options = merging === undefined ? { isUrgent: true } : { isUrgent: true, merging };
    const [answer] = await this.#reach(() => host.getPullRequests(repo, [number], options));
    if (answer === undefined)
      throw new MergeQueueError('PULL_REQUEST_NOT_FOUND', `The code host knows no pull request #${number}.`);
    if (!isReadable(answer)) {
      const sentence = `The code host cannot read pull request #${number}, and can read others: ${answer.fault.message}`;
      throw new MergeQueueError('PULL_REQUEST_UNREADABLE', sentence);
    }
    const message = answer.mergeFault ?? null;
    const fault = message === null ? null : ({ code: 'MERGE_NOT_COMPUTABLE', message } as const);
    return { pull: readAsOf(answer, readAt), fault };
  }

  /** Whether a head holds a commit; false where the host does not say. */
  async contains(repo: RepoRef, head: Sha, commit: Sha): Promise<boolean> {
    const host = this.find(repo);
    if (host === null) return false;
    return this.#reach(() => host.contains(repo, head, commit)).catch(() => false);
  }

  /** The hooks of a repository that a landing passes over; none where that cannot be told: only a remark depends on it. */
  async hooksNotRun(repo: RepoRef): Promise<readonly string[]> {
    const host = this.find(repo);
    if (host?.hooksNotRun === undefined) return [];
    const { hooksNotRun } = host;
    return this.#reach(() => hooksNotRun(repo)).catch(() => []);
  }

  /** The target of a queue that is to be made. */
  async target({ repo, targetBranch: branch }: QueueRef): Promise<Target> {
    const host = this.of(repo);
    const readAt = this.time.now();
    if (!(await this.#reach(() => host.hasRepository(repo))))
      throw new MergeQueueError(
        'REPOSITORY_NOT_FOUND',
        `${repo.host} knows no repository ${repo.owner}/${repo.name}.`,
      );
    const found = await this.#reach(() => host.getBranch(repo, branch));
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

  /** Nothing has been stored when a host cannot be reached: the caller may simply ask again. */
  async #reach<Value>(question: () => Promise<Value>): Promise<Value> {
    if (this.#isClosed) throw closedError();
    const asked: Question = { giveUp: () => undefined };
    this.#waiting.add(asked);
    try {
      return await withTimeout(this.clock, question(), asked);
    } catch (error) {
      if (this.#isClosed) throw closedError();
      this.logger.warn({ error }, 'the code host was not reached');
      const said = error instanceof HostError ? error.message : 'it did not answer.';
      throw new MergeQueueError('HOST_UNREACHABLE', `The code host cannot be reached: ${said}`, [], {
        cause: error,
      });
    } finally {
      this.#waiting.delete(asked);
    }
  }
}
