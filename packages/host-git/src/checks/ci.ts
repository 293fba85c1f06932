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
import { Workplaces } from './workplaces.js';

export interface CiOptions {
  /** How many commands run at once, over all repositories; by default one less than there are processors. */
  readonly concurrency?: number;
  /** Where the tests' folders are made; by default the system's folder for temporary files. */
  readonly workFolder?: string;
  /** How long a command has between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number;
  /** What the commands find in their environment besides what every command finds. */
  readonly checkEnvironment?: Readonly<Record<string, string>>;
  /**
   * The user that commands run as, with a home of their own. The server has to run as root, and the user is for nothing
   * else: what a check leaves running as this user is ended with it.
   */
  readonly user?: string;
  /**
   * The program and its arguments that each command is handed to as `/bin/sh -c <command>`: bubblewrap, a container. The
   * words `{tree}`, `{home}` and `{tmp}` in it stand for the folders of the check.
   */
  readonly wrapper?: readonly string[];
  /** Where a person reads a check's log; by default a `file:` URL. `id` is the check's. */
  readonly logUrl?: (check: {
    readonly repo: RepoRef;
    readonly runId: TestRunId;
    readonly name: string;
    readonly id: string;
  }) => string;
}

const STARTS_PER_SWEEP = 100;
/** A check that brings the server down must not do so for ever. */
const RESUMES_LIMIT = 3;
/** A check may go on from waiting to running while it is being marked. */
const CANCEL_TRIES = 3;

/** Runs the configured commands on exported trees and keeps what came out in the repository. */
export class Ci {
  readonly #owners = new Owners();
  readonly #workplaces: Workplaces;
  readonly #queue: PQueue;
  readonly #jobs = new Set<Job>();
  /** Everything that closing has to wait for: starts, jobs, and processes that are being ended. */
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
    this.#workplaces = new Workplaces(this.#owners, options.workFolder, options.user !== undefined);
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

  /** False where what is stored is no longer what it was. */
  async #take(
    given: Pick<Job, 'repo' | 'git' | 'ref' | 'commit' | 'check' | 'logFile' | 'record' | 'orphan'>,
    was: Sha | null,
  ) {
    const job: Job = { ...given, blob: null, stop: new AbortController(), hasBegun: false };
    // Known before it is written: a reader must not take it for an abandoned one.
    this.#jobs.add(job);
    try {
      job.blob = await writeRecord(job.git, job.ref, job.record, was);
    } finally {
      if (job.blob === null) this.#jobs.delete(job);
    }
    if (job.blob !== null) this.#enqueue(job);
    return job.blob;
  }

  /** The checks of commits. What a server left when it was closed, or killed on this machine, is run from its beginning. */
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

  /** A job that is stopped before its turn ends at once; one that has begun keeps its place until its command is gone. */
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
    // Not the job's own signal: p-queue would give away the place of a command that is still ending.
    const leave = new AbortController();
    const onStop = () => {
      if (!job.hasBegun) leave.abort();
    };
    job.stop.signal.addEventListener('abort', onStop);
    if (job.stop.signal.aborted) onStop();
    await this.#queue.add(begin, { signal: leave.signal }).catch(() => perform(job, context));
  }

  /** Looked up once, and again where that failed: the user may be created later. */
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

  /** Whether a check is running in this object or another process of this machine; null if it belongs to another machine. */
  readonly isRunning: AskIfRunning = async ({ record, ref }: StoredCheck) => {
    // A host that is closed says nothing of what it has left behind.
    if (this.#closed) return true;
    if (record.left) return false;
    const self = await this.#owners.self();
    if (record.owner.id === self.id) return [...this.#jobs].some((job) => job.ref === ref);
    return this.#owners.isAlive(record.owner);
  };

  /**
   * Marks what has not ended as cancelled, and has its commands ended; it does not wait until they are gone. What another
   * process runs is ended likewise.
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
