import type { Check, Clock, Conclusion, Instant, Sha, TestRunId } from '@mq/core';
import { contentCrashes, contentPasses } from './content-truth.js';
import type { FakeCommit, Files } from './fake-git.js';

/** A check that is to be concluded: its name, and what it runs on. */
export interface CiQuestion {
  readonly name: string;
  readonly commit: Sha;
  readonly tree: string;
  readonly files: Files;
  readonly runId: TestRunId;
}

export interface FakeCiOptions {
  /** `manual`, the default: a check runs until `finish`. `automatic`: a check ends after `durationMs`. */
  readonly mode?: 'manual' | 'automatic';
  /** A minute by default. */
  readonly durationMs?: number | ((question: CiQuestion) => number);
  /** Overrides the conclusion, for example for flaky checks; null keeps the one that follows from the content. Must be pure. */
  readonly says?: (question: CiQuestion) => Conclusion | null;
}

export interface FakeCheck extends Check {
  readonly commit: Sha;
}

type Content = Pick<FakeCommit, 'tree' | 'files'>;

/** Conclusion by name of the check, or `running`; a running one is ended by `finish`. */
export type ShownChecks = Readonly<Record<string, Conclusion | 'running'>>;

interface Job {
  check: FakeCheck;
  /** What it tests; null for a check that was only reported. */
  readonly content: Content | null;
  readonly endsAt: Instant | null;
}

export const CI_SOURCE = 'fake-ci';

/** A CI in memory. Its conclusions follow from the content of the tree unless a test overrides them. */
export class FakeCi {
  readonly #jobs: Job[] = [];
  /** Indexes of `#jobs` by commit and of running ones: both are read on every poll. */
  readonly #byCommit = new Map<Sha, Job[]>();
  readonly #open = new Set<Job>();
  readonly #poison = new Map<string, string>();
  readonly #given = new Map<string, Set<boolean>>();
  /** How requests for checks end: `silence` accepts and starts nothing, `error` fails. */
  startsBy: 'running' | 'silence' | 'error' = 'running';
  /** False: requests to cancel fail. */
  canCancel = true;

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly options: FakeCiOptions,
    private readonly nextId: () => string,
    /** Called when a check is ended or reported from outside; not called for a check that ends after its duration. */
    private readonly changed: () => void,
  ) {}

  start(runId: TestRunId, commit: FakeCommit, names: readonly string[], known: readonly string[]): void {
    if (this.startsBy === 'silence') return;
    this.#endDue();
    for (const name of names) {
      const here = this.#byCommit.get(commit.sha) ?? [];
      const mine = here.filter(({ check }) => check.runId === runId && check.name === name);
      if (mine.some(({ check }) => check.status !== 'completed' || check.conclusion === 'success')) continue;
      if (known.includes(name)) this.#begin(runId, commit, name);
      else this.report(commit.sha, { name, conclusion: 'infrastructure', runId, source: CI_SOURCE });
    }
  }

  #begin(runId: TestRunId, commit: FakeCommit, name: string): void {
    const now = this.clock.now();
    const { sha } = commit;
    this.#add({
      content: commit,
      endsAt: this.#endOf({ name, commit: sha, runId }, commit, now),
      check: {
        id: this.nextId(),
        name,
        source: CI_SOURCE,
        digest: null,
        status: 'running',
        conclusion: null,
        startedAt: now,
        completedAt: null,
        url: null,
        summary: null,
        commit: sha,
        runId,
      },
    });
  }

  /** When a check that starts now ends by itself; null if only `finish` ends it. */
  #endOf(
    { name, commit, runId }: Pick<FakeCheck, 'name' | 'commit' | 'runId'>,
    content: Content | null,
    now: Instant,
  ): Instant | null {
    const { durationMs = 60_000, mode = 'manual' } = this.options;
    if (mode === 'manual' || content === null || runId === null) return null;
    const { tree, files } = content;
    return (
      now + (typeof durationMs === 'number' ? durationMs : durationMs({ name, commit, tree, files, runId }))
    );
  }

  /** Cancels the running checks of a test run or commit. */
  cancel(what: TestRunId | Sha): void {
    this.#endDue();
    for (const job of this.#running(what, null)) this.#end(job, 'cancelled', this.clock.now());
  }

  /** Ends running checks with `conclusion`, or as their content says. Returns how many; ended checks stay unchanged. */
  finish(what: TestRunId | Sha, name: string | null = null, conclusion: Conclusion | null = null): number {
    this.#endDue();
    const jobs = this.#running(what, name);
    for (const job of jobs) {
      if (conclusion !== null) this.#setConclusion(job.check.name, job.content, conclusion);
      this.#end(job, conclusion ?? this.#verdict(job), this.clock.now());
    }
    if (jobs.length > 0) this.changed();
    return jobs.length;
  }

  /**
   * Reruns the last check of each name, for the same test run and commit, if it has ended. Returns how many; running checks
   * stay unchanged.
   */
  rerun(what: TestRunId | Sha, name: string | null = null): number {
    this.#endDue();
    const last = new Map<string, Job>();
    for (const job of this.#jobs)
      if (isAbout(job.check, what, name)) last.set(`${job.check.runId} ${job.check.name}`, job);
    const ended = [...last.values()].filter(({ check }) => check.status === 'completed');
    for (const job of ended) this.#add(this.#again(job));
    if (ended.length > 0) this.changed();
    return ended.length;
  }

  #again({ check, content }: Job): Job {
    const now = this.clock.now();
    const begun = {
      status: 'running',
      conclusion: null,
      startedAt: now,
      completedAt: null,
      summary: null,
    } as const;
    return {
      check: { ...check, ...begun, id: this.nextId() },
      content,
      endsAt: this.#endOf(check, content, now),
    };
  }

  /** Adds a check that another system reports on a commit. */
  report(commit: Sha, part: Partial<FakeCheck> & { readonly name: string }): FakeCheck {
    return this.#show(commit, part, null);
  }

  /** Adds checks of a commit that no test run requested. Their conclusions decide `isGood` as those of a candidate do. */
  show(commit: FakeCommit, checks: ShownChecks): void {
    for (const [name, shown] of Object.entries(checks)) {
      const isRunning = shown === 'running';
      const part = { name, source: CI_SOURCE, status: isRunning ? 'running' : 'completed' } as const;
      this.#show(commit.sha, isRunning ? part : { ...part, conclusion: shown }, commit);
      if (!isRunning) this.#setConclusion(name, commit, shown);
    }
  }

  #show(
    commit: Sha,
    part: Partial<FakeCheck> & { readonly name: string },
    content: Content | null,
  ): FakeCheck {
    const now = this.clock.now();
    const status = part.status ?? 'completed';
    const check: FakeCheck = {
      id: this.nextId(),
      source: 'reporter',
      digest: null,
      status,
      conclusion: status === 'completed' ? 'success' : null,
      startedAt: now,
      completedAt: status === 'completed' ? now : null,
      url: null,
      summary: null,
      runId: null,
      ...part,
      commit,
    };
    this.#add({ check, content, endsAt: null });
    this.changed();
    return check;
  }

  checksOf(commit: Sha): readonly Check[] {
    this.#endDue();
    return (this.#byCommit.get(commit) ?? []).map(({ check: { commit: _commit, ...check } }) => check);
  }

  checks(): readonly FakeCheck[] {
    this.#endDue();
    return this.#jobs.map(({ check }) => check);
  }

  /** From now on the check fails on every tree with a file that contains this text. */
  failWhen(name: string, text: string): void {
    this.#poison.set(name, text);
  }

  /** True if the tree passes the check: if it ever ended with success by `finish` or `show`, else as its content says. */
  isGood(tree: string, files: Files, name: string): boolean {
    const poison = this.#poison.get(name);
    const isPoisoned =
      poison !== undefined && Object.values(files).some((content) => content.includes(poison));
    return this.#given.get(`${tree} ${name}`)?.has(true) ?? (!isPoisoned && contentPasses(files, name));
  }

  /** When the next check ends by itself; null if none will. */
  nextEndAt(): Instant | null {
    this.#endDue();
    const ends = this.#running(null, null).flatMap(({ endsAt }) => endsAt ?? []);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  #running(what: TestRunId | Sha | null, name: string | null): readonly Job[] {
    return [...this.#open].filter(({ check }) => isAbout(check, what, name));
  }

  #add(job: Job): void {
    const { commit, status } = job.check;
    this.#jobs.push(job);
    this.#byCommit.set(commit, [...(this.#byCommit.get(commit) ?? []), job]);
    if (status !== 'completed') this.#open.add(job);
  }

  #endDue(): void {
    const now = this.clock.now();
    for (const job of this.#running(null, null))
      if (job.endsAt !== null && job.endsAt <= now) this.#end(job, this.#verdict(job), job.endsAt);
  }

  #end(job: Job, conclusion: Conclusion, at: Instant): void {
    this.#open.delete(job);
    const summary = conclusion === 'success' ? null : `${job.check.name} ended with ${conclusion}`;
    job.check = { ...job.check, status: 'completed', conclusion, completedAt: at, summary };
  }

  #verdict({ check: { name, commit, runId }, content }: Job): Conclusion {
    if (content === null) return 'unknown';
    const { tree, files } = content;
    const said = runId === null ? null : this.options.says?.({ name, commit, tree, files, runId });
    if (said != null) return said;
    if (contentCrashes(files)) return 'infrastructure';
    return this.isGood(tree, files, name) ? 'success' : 'failure';
  }

  #setConclusion(name: string, content: Content | null, conclusion: Conclusion): void {
    const passes = conclusion === 'success';
    if (content === null || (!passes && conclusion !== 'failure')) return;
    const key = `${content.tree} ${name}`;
    this.#given.set(key, (this.#given.get(key) ?? new Set()).add(passes));
  }
}

const isAbout = (check: FakeCheck, what: TestRunId | Sha | null, name: string | null): boolean =>
  (what === null || check.runId === what || check.commit === what) && (name === null || check.name === name);
