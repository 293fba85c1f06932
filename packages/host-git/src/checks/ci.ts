import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Check,
  HostError,
  type RepoRef,
  type Sha,
  type StartChecksRequest,
  type TestRunId,
} from '@mq/core';
import PQueue from 'p-queue';
import type { GitRepository } from '../repositories.js';
import { CheckFolders } from './check-folders.js';
import { type CheckUser, findCheckUser } from './check-user.js';
import type { ConfiguredCheck } from './config.js';
import { CANCELLED, type Job, newRecord, perform } from './job.js';
import { isAlive, Owners } from './owner.js';
import { KILL_GRACE_MS, killGroup } from './process.js';
import {
  type AskIfRunning,
  type CheckRecord,
  checkFolder,
  checksOf,
  commitOf,
  ended,
  ordinalOf,
  runFolder,
  STOPPED,
  type StoredCheck,
  storedChecks,
  withEnds,
  writeRecord,
} from './results.js';
import { sweepResults } from './sweep.js';

export interface CiOptions {
  /** Max commands that run at the same time, over all repositories. Default: one less than the number of processors. */
  readonly concurrency?: number;
  /** The parent of the folders of checks. Default: the system's folder for temporary files. */
  readonly workFolder?: string;
  /** Time between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number;
  /** Environment variables added to those of every check. */
  readonly checkEnvironment?: Readonly<Record<string, string>>;
  /**
   * The user that commands run as, each with its own home. Requires that the server runs as root. Use a dedicated user,
   * because processes that a check leaves running as this user are killed.
   */
  readonly user?: string;
  /**
   * A program with arguments, e.g. bubblewrap or a container, to which `/bin/sh -c <command>` is appended. `{tree}`,
   * `{home}` and `{tmp}` are replaced by the folders of the check.
   */
  readonly wrapper?: readonly string[];
  /** The address of a check's log for people; `id` is the check's. Default: a `file:` URL. */
  readonly logUrl?: (check: {
    readonly repo: RepoRef;
    readonly runId: TestRunId;
    readonly name: string;
    readonly id: string;
  }) => string;
}

const STARTS_PER_SWEEP = 100;
/** Max restarts of a check whose server died, because the check itself may be what kills the server. */
const RESUMES_LIMIT = 3;
/** Max attempts to mark a check as cancelled, because it may change from queued to running meanwhile. */
const CANCEL_TRIES = 3;

/** Runs the configured commands on exported trees and stores the results in the repository. */
export class Ci {
  readonly #owners = new Owners();
  readonly #workplaces: CheckFolders;
  readonly #queue: PQueue;
  readonly #jobs = new Set<Job>();
  /** Pending work that closing waits for: starts, jobs, and kills of processes. */
  readonly #underWay = new Set<Promise<unknown>>();
  #user: Promise<CheckUser> | null = null;
  #starts = 0;
  #closed = false;

  constructor(
    private readonly options: CiOptions,
    private readonly onEnd: (repo: RepoRef) => void,
  ) {
    const concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1);
    this.#queue = new PQueue({ concurrency });
    this.#workplaces = new CheckFolders(this.#owners, options.workFolder, options.user !== undefined);
  }

  async start(
    request: StartChecksRequest,
    git: GitRepository,
    configured: readonly ConfiguredCheck[],
  ): Promise<void> {
    await this.#track(this.#start(request, git, configured));
  }

  async #start(
    request: StartChecksRequest,
    git: GitRepository,
    configured: readonly ConfiguredCheck[],
  ): Promise<void> {
    this.#refuseWhenClosed();
    if (this.#starts % STARTS_PER_SWEEP === 0) await sweepResults(git, this.isRunning);
    this.#starts += 1;
    await mkdir(join(git.folder, 'logs'), { recursive: true });
    for (const name of new Set(request.names))
      await this.#startOne(request, git, name, configured.find((check) => check.name === name) ?? null);
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new HostError('The CI is stopping.', 'later');
  }

  #track<Value>(work: Promise<Value>): Promise<Value> {
    this.#underWay.add(work);
    const forget = () => this.#underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #startOne(
    { repo, runId, commit }: StartChecksRequest,
    git: GitRepository,
    name: string,
    check: ConfiguredCheck | null,
  ): Promise<void> {
    const folder = checkFolder(commit, runId, name);
    const stored = await storedChecks(git, [folder]);
    const before = await withEnds(git, stored, this.isRunning, (left) =>
      this.#takeOver(repo, git, check === null ? [] : [check], left),
    );
    if (before.some(({ record }) => record.status !== 'completed' || record.conclusion === 'success')) return;
    const ordinal = before.reduce((most, { ref }) => Math.max(most, ordinalOf(ref)), 0) + 1;
    const ref = `${folder}/${ordinal}`;
    const owner = await this.#owners.self();
    const made = newRecord({ ref, runId, name, check, owner });
    const logFile = join(git.folder, 'logs', `${made.id}.log`);
    const record = { ...made, url: this.#urlOf(repo, runId, name, made.id, logFile) };
    const fault = check === null ? 'no check of that name is configured' : check.fault;
    if (check === null || fault !== null) {
      const summary = `${name.slice(0, 100)} cannot be run: ${fault}.`;
      await writeRecord(git, ref, ended({ ...record, url: null }, 'infrastructure', summary), null);
      this.onEnd(repo);
      return;
    }
    this.#refuseWhenClosed();
    await this.#take({ repo, git, ref, commit, check, logFile, record, orphan: null }, null);
  }

  /** Stores the record of a job and enqueues it. Null, without effect, if the stored record is no longer `was`. */
  async #take(
    given: Pick<Job, 'repo' | 'git' | 'ref' | 'commit' | 'check' | 'logFile' | 'record' | 'orphan'>,
    was: Sha | null,
  ) {
    const job: Job = { ...given, blob: null, stop: new AbortController(), hasBegun: false };
    // Added before the record is written, so that a concurrent reader does not see it as abandoned.
    this.#jobs.add(job);
    try {
      job.blob = await writeRecord(job.git, job.ref, job.record, was);
    } finally {
      if (job.blob === null) this.#jobs.delete(job);
    }
    if (job.blob !== null) this.#enqueue(job);
    return job.blob;
  }

  /** The checks of commits. Restarts those that a server left when it was closed, or when it was killed on this machine. */
  async read(
    repo: RepoRef,
    git: GitRepository,
    configured: () => Promise<readonly ConfiguredCheck[]>,
    commits: readonly Sha[],
  ): Promise<ReadonlyMap<Sha, readonly Check[]>> {
    return checksOf(git, this.isRunning, commits, async (stored) =>
      this.#takeOver(repo, git, await configured(), stored),
    );
  }

  async #takeOver(
    repo: RepoRef,
    git: GitRepository,
    configured: readonly ConfiguredCheck[],
    { ref, blob, record }: StoredCheck,
  ): Promise<StoredCheck | null> {
    const commit = commitOf(ref);
    const check = configured.find(({ name, digest }) => name === record.name && digest === record.digest);
    this.#refuseWhenClosed();
    if (commit === null || check === undefined || check.fault !== null) return null;
    const isLost = !record.left && (await this.#owners.isAlive(record.owner)) === false;
    if (!record.left && (!isLost || record.resumed >= RESUMES_LIMIT)) return null;
    const resumed: CheckRecord = {
      ...record,
      status: 'queued',
      owner: await this.#owners.self(),
      resumed: record.resumed + (isLost ? 1 : 0),
      left: false,
      process: null,
    };
    const logFile = join(git.folder, 'logs', `${record.id}.log`);
    const orphan = record.process;
    this.#refuseWhenClosed();
    const written = await this.#take(
      { repo, git, ref, commit, check, logFile, record: resumed, orphan },
      blob,
    );
    return written === null ? null : { ref, blob: written, record: resumed };
  }

  #enqueue(job: Job): void {
    void this.#track(
      this.#run(job).finally(() => {
        this.#jobs.delete(job);
        this.onEnd(job.repo);
      }),
    );
  }

  /** A job that is stopped before its turn ends at once. A started one keeps its slot until its command has ended. */
  async #run(job: Job): Promise<void> {
    const { killGraceMs = KILL_GRACE_MS, checkEnvironment = {} } = this.options;
    const context = {
      workplaces: this.#workplaces,
      killGraceMs,
      environment: checkEnvironment,
      user: () => this.#findUser(),
      wrapper: this.options.wrapper ?? [],
    };
    const begin = async (): Promise<void> => {
      job.hasBegun = true;
      if (job.orphan !== null && (await isAlive(job.orphan)) === true)
        await killGroup(job.orphan.pid, killGraceMs);
      return perform(job, context);
    };
    // Not the job's own signal, because p-queue would release the slot while the command is still ending.
    const leave = new AbortController();
    const onStop = () => {
      if (!job.hasBegun) leave.abort();
    };
    job.stop.signal.addEventListener('abort', onStop);
    if (job.stop.signal.aborted) onStop();
    await this.#queue.add(begin, { signal: leave.signal }).catch(() => perform(job, context));
  }

  /** Caches the user, but not a failed lookup: the user may be created later. */
  async #findUser(): Promise<CheckUser | null> {
    const { user } = this.options;
    if (user === undefined) return null;
    this.#user ??= findCheckUser(user);
    return this.#user.catch((error: unknown) => {
      this.#user = null;
      throw error;
    });
  }

  #urlOf(repo: RepoRef, runId: TestRunId, name: string, id: string, logFile: string): string {
    return this.options.logUrl?.({ repo, runId, name, id }) ?? pathToFileURL(logFile).href;
  }

  /** True if a check runs in this object or another process of this machine; null if it belongs to another machine. */
  readonly isRunning: AskIfRunning = async ({ record, ref }: StoredCheck) => {
    // After closing, this object must not report its own checks as abandoned.
    if (this.#closed) return true;
    if (record.left) return false;
    const self = await this.#owners.self();
    if (record.owner.id === self.id) return [...this.#jobs].some((job) => job.ref === ref);
    return this.#owners.isAlive(record.owner);
  };

  /**
   * Marks the open checks as cancelled and starts killing their commands, also those of other processes of this machine.
   * Does not wait until they have ended.
   */
  async cancel(git: GitRepository, runId: TestRunId, commit: Sha): Promise<void> {
    const prefix = runFolder(commit, runId);
    for (const job of this.#jobs)
      if (job.git.path === git.path && job.ref.startsWith(`${prefix}/`)) job.stop.abort(CANCELLED);
    for (let tries = 0; tries < CANCEL_TRIES; tries += 1) {
      const open = (await storedChecks(git, [prefix])).filter(({ record }) => record.status !== 'completed');
      if (open.length === 0) return;
      for (const check of open) await this.#cancelOne(git, check);
    }
  }

  async #cancelOne(git: GitRepository, { ref, blob, record }: StoredCheck): Promise<void> {
    const written = await writeRecord(git, ref, ended(record, 'cancelled', CANCELLED), blob);
    if (written === null || record.process === null || [...this.#jobs].some((job) => job.ref === ref)) return;
    const { killGraceMs = KILL_GRACE_MS } = this.options;
    if ((await isAlive(record.process)) === true)
      void this.#track(killGroup(record.process.pid, killGraceMs));
  }

  sweep(): Promise<void> {
    return this.#track(this.#workplaces.sweep());
  }

  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#jobs) job.stop.abort(STOPPED);
    await this.ended();
    this.#owners.close();
    await this.#workplaces.close();
  }
}
