import type { Check, StartDue } from '../model/checks.js';
import {
  type CheckReport,
  type CheckSource,
  type ExpectedCheck,
  type ExternalCheckSource,
  type ReportOutcome,
  shownChecks,
  sourceDigest,
  withReport,
} from '../model/external-check.js';
import type { Instant, Sha, TestRunId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import type { CheckStore, ExpectedCheckRef } from '../ports/check-store.js';
import type { BranchState, CodeHost, StartChecksRequest } from '../ports/code-host.js';
import type { StoreTime } from './store-time.js';

/** Started checks between two prunings of closed ones. */
const STARTS_PER_PRUNING = 100;
/** How long reports are kept after their test run has ended. Until then they can be reused for the same commit. */
export const REPORTS_KEPT_MS = 7 * 86_400_000;
/** Max concurrent changes of a check by other processes while a report is stored. */
const REPLACE_TRIES = 20;

export interface ExternalChecksParts {
  readonly store: CheckStore;
  readonly sourcesOf: (repo: RepoRef) => readonly CheckSource[];
  readonly ciStartMs: number;
  readonly time: StoreTime;
}

interface ClosedChecks {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly names?: readonly string[];
}

/**
 * Adds checks decided by external reporters to those of a code host. It is placed between engine and host, so that the
 * engine starts, cancels and reads them like any other check.
 */
export class ExternalChecks {
  readonly #since: Instant;
  #starts = 0;

  constructor(private readonly parts: ExternalChecksParts) {
    this.#since = parts.time.now();
  }

  /** The host with these checks. A check with an external source counts by that source only. */
  wrap(host: CodeHost): CodeHost {
    const { identify, startChecks, cancelChecks, hooksNotRun, openDraft } = host;
    const { ignoresCase, canForce, presence, commands, onEvent } = host;
    return {
      hasRepository: (repo) => host.hasRepository(repo),
      getBranch: async (repo, ...args) => this.#withSources(repo, await host.getBranch(repo, ...args)),
      contains: (...args) => host.contains(...args),
      getPullRequests: (...args) => host.getPullRequests(...args),
      findPullRequest: (...args) => host.findPullRequest(...args),
      buildCandidate: (request) => host.buildCandidate(request),
      startChecks: async (request) => {
        const external = await this.#expect(request);
        const names = request.names.filter((name) => !external.has(name));
        if (names.length > 0) await startChecks?.call(host, { ...request, names });
      },
      cancelChecks: async (request) => {
        await this.#close(request);
        await cancelChecks?.call(host, request);
      },
      getChecks: async (repo, commits) => this.#merged(repo, commits, await host.getChecks(repo, commits)),
      land: (request) => host.land(request),
      dropCandidate: async (request) => {
        if (request.isRunOpen !== true) await this.#close(request);
        await host.dropCandidate(request);
      },
      listCandidates: (repo) => host.listCandidates(repo),
      ...(identify === undefined ? {} : { identify: (repo) => identify.call(host, repo) }),
      ...(ignoresCase === undefined ? {} : { ignoresCase }),
      ...(hooksNotRun === undefined ? {} : { hooksNotRun: (repo) => hooksNotRun.call(host, repo) }),
      ...(openDraft === undefined ? {} : { openDraft: (request) => openDraft.call(host, request) }),
      ...(canForce === undefined ? {} : { canForce }),
      ...(presence === undefined ? {} : { presence }),
      ...(commands === undefined ? {} : { commands }),
      ...(onEvent === undefined ? {} : { onEvent: (listener) => onEvent.call(host, listener) }),
    };
  }

  /** Null if the check is not decided by reports. */
  sourceOf(repo: RepoRef, name: string): ExternalCheckSource | null {
    return this.#external(repo).get(name) ?? null;
  }

  /** The time by which a reporter must start, without the standstills of the queue. */
  startDue(check: ExpectedCheck, source: ExternalCheckSource): Omit<StartDue, 'lateSummary'> {
    // While this process was down, reporters could not read from it what is expected.
    const since = Math.max(check.askedAt, this.#since);
    return { since, by: since + (source.startTimeoutMs ?? this.parts.ciStartMs) };
  }

  /** Stores a report. Null if the check is not expected. Concurrent reports are stored one after another. */
  async report(ref: ExpectedCheckRef, report: CheckReport): Promise<ReportOutcome | null> {
    for (let tries = 0; tries < REPLACE_TRIES; tries += 1) {
      const stored = await this.parts.store.find(ref);
      if (stored === null) return null;
      if (await this.#isKeyOfAnother(ref, report)) return { kind: 'key_reused' };
      const outcome = withReport(stored, report, this.parts.time.now());
      if (outcome.kind !== 'applied' || outcome.check === stored) return outcome;
      if (await this.#replace(outcome.check)) return outcome;
    }
    throw new Error(`the check ${ref.name} changed ${REPLACE_TRIES} times while a report was taken in`);
  }

  /** True if a report about another check of the test run came with this key. */
  async #isKeyOfAnother({ repo, runId, name }: ExpectedCheckRef, { key }: CheckReport): Promise<boolean> {
    if (key === null) return false;
    const otherChecks = (await this.parts.store.ofRun(repo, runId)).filter((one) => one.name !== name);
    return otherChecks.some(({ keyed = [] }) => keyed.some(({ id }) => id === key.id));
  }

  #external(repo: RepoRef): ReadonlyMap<string, ExternalCheckSource> {
    const sources = this.parts.sourcesOf(repo).filter((one) => one.source === 'external');
    return new Map(sources.map((one) => [one.name, one]));
  }

  #withSources(repo: RepoRef, branch: BranchState | null): BranchState | null {
    const sources = this.parts.sourcesOf(repo);
    if (branch === null || sources.length === 0) return branch;
    const external = [...this.#external(repo).values()];
    const digests = Object.fromEntries(external.map((source) => [source.name, sourceDigest(source)]));
    const names = sources.map(({ name }) => name);
    return {
      ...branch,
      requiredChecks: [...new Set([...(branch.requiredChecks ?? []), ...names])],
      digests: { ...branch.digests, ...digests },
    };
  }

  /** Requests the external checks among the names from reporters, and returns which those are. */
  async #expect({ repo, runId, commit, names }: StartChecksRequest): Promise<ReadonlySet<string>> {
    const external = this.#external(repo);
    const expected = [...new Set(names)].filter((name) => external.has(name));
    if (expected.length === 0) return new Set();
    const askedAt = this.parts.time.now();
    await this.parts.store.add(
      expected.map((name) => ({
        ...{ repo, runId, commit, name, askedAt },
        ...{ closedAt: null, executions: [], version: 1 },
      })),
    );
    this.#starts += 1;
    if (this.#starts % STARTS_PER_PRUNING === 0) await this.parts.store.prune(askedAt - REPORTS_KEPT_MS);
    return new Set(expected);
  }

  async #merged(
    repo: RepoRef,
    commits: readonly Sha[],
    ofHost: ReadonlyMap<Sha, readonly Check[]>,
  ): Promise<ReadonlyMap<Sha, readonly Check[]>> {
    const external = this.#external(repo);
    if (external.size === 0) return ofHost;
    const found = new Map<Sha, Check[]>();
    for (const [commit, checks] of ofHost)
      found.set(
        commit,
        checks.filter(({ name }) => !external.has(name)),
      );
    for (const expected of await this.parts.store.ofCommits(repo, commits)) {
      const source = external.get(expected.name);
      if (source === undefined) continue;
      const shown = shownChecks(expected, { source, startDue: this.startDue(expected, source) });
      found.set(expected.commit, [...(found.get(expected.commit) ?? []), ...shown]);
    }
    return found;
  }

  /** Closes the checks of a test run: those with these names, or all. */
  async #close({ repo, runId, names }: ClosedChecks): Promise<void> {
    for (const check of await this.parts.store.ofRun(repo, runId))
      if (names?.includes(check.name) !== false) await this.#closeOne(check);
  }

  async #closeOne(check: ExpectedCheck): Promise<void> {
    const { repo, runId, name } = check;
    let stored: ExpectedCheck | null = check;
    for (let tries = 0; tries < REPLACE_TRIES; tries += 1) {
      if (stored === null || stored.closedAt !== null) return;
      if (await this.#replace({ ...stored, closedAt: this.parts.time.now() })) return;
      stored = await this.parts.store.find({ repo, runId, name });
    }
    throw new Error(`the check ${name} changed ${REPLACE_TRIES} times while it was closed`);
  }

  #replace(check: ExpectedCheck): Promise<boolean> {
    return this.parts.store.replace({ ...check, version: check.version + 1 });
  }
}
