import type { Check, Sha, TestRunId } from '@mq/core';
import { aCheck } from '@mq/testkit';
import type { Content } from '../verdicts.js';

export interface Job {
  readonly runId: TestRunId;
  readonly commit: Sha;
  readonly names: readonly string[];
  readonly durationMs: number;
  readonly content: Content;
}

interface Test extends Job {
  readonly ordinal: number;
  state: 'queued' | 'running' | 'ended' | 'cancelled';
  startedAt: number;
  willPass: boolean;
  checks: readonly Check[];
}

export interface CiEvents {
  /** Called when a test starts; returns its verdict. */
  readonly begins: (job: Job) => boolean;
  /** Called when a test has released its runner, with the time it took, at its end or cancellation. */
  readonly stops: (tookMs: number) => void;
  /** Schedules a callback after those already due then; it returns whether the checks show something new. */
  readonly at: (time: number, then: () => boolean) => void;
}

/** A CI with a fixed number of runners, in virtual time. Tests wait for a runner in order of their request. */
export class Ci {
  readonly #runners: number;
  readonly #events: CiEvents;
  readonly #byCommit = new Map<Sha, Test[]>();
  #queued: Test[] = [];
  #busy = 0;
  #started = 0;

  constructor(runners: number, events: CiEvents) {
    this.#runners = runners;
    this.#events = events;
  }

  start(job: Job, now: number): void {
    this.#started += 1;
    const initial = { state: 'queued', startedAt: now, willPass: false } as const;
    const test: Test = { ...job, ...initial, ordinal: this.#started, checks: [] };
    test.checks = checksOf(test, { status: 'queued', conclusion: null, completedAt: null });
    this.#byCommit.set(job.commit, [...(this.#byCommit.get(job.commit) ?? []), test]);
    this.#queued.push(test);
    this.#fill(now);
  }

  cancel(runId: TestRunId, commit: Sha, now: number): void {
    for (const test of this.#byCommit.get(commit) ?? [])
      if (test.runId === runId) {
        if (test.state === 'running') this.#stop(test, now);
        if (test.state !== 'ended') test.state = 'cancelled';
      }
    // Other tests may be cancelled at the same instant, so a waiting test must not start in between.
    this.#events.at(now, () => {
      this.#fill(now);
      return false;
    });
  }

  /** The checks of a commit. Cancelled tests leave none. */
  checksOf(commit: Sha): readonly Check[] {
    const shown = this.#byCommit.get(commit)?.filter(({ state }) => state !== 'cancelled') ?? [];
    return shown.flatMap(({ checks }) => checks);
  }

  forget(isNeeded: (commit: Sha) => boolean): void {
    for (const [commit, tests] of this.#byCommit)
      if (!isNeeded(commit) && tests.every(({ state }) => state === 'ended' || state === 'cancelled'))
        this.#byCommit.delete(commit);
  }

  #fill(now: number): void {
    while (this.#busy < this.#runners) {
      const test = this.#queued.shift();
      if (test === undefined) return;
      if (test.state === 'queued') this.#begin(test, now);
    }
  }

  #begin(test: Test, now: number): void {
    this.#busy += 1;
    test.state = 'running';
    test.startedAt = now;
    test.willPass = this.#events.begins(test);
    test.checks = checksOf(test, { status: 'running', conclusion: null, completedAt: null });
    const endsAt = now + test.durationMs;
    this.#events.at(endsAt, () => {
      if (test.state !== 'running') return false;
      this.#stop(test, endsAt);
      test.state = 'ended';
      const conclusion = test.willPass ? 'success' : 'failure';
      test.checks = checksOf(test, { status: 'completed', conclusion, completedAt: endsAt });
      this.#fill(endsAt);
      return true;
    });
  }

  #stop({ startedAt }: Test, now: number): void {
    this.#busy -= 1;
    this.#events.stops(now - startedAt);
  }
}

type Shown = Pick<Check, 'status' | 'conclusion' | 'completedAt'>;

const checksOf = ({ names, ordinal, runId, startedAt }: Test, shown: Shown): readonly Check[] =>
  names.map((name) => aCheck({ id: `${name}-${ordinal}`, runId, name, startedAt, ...shown }));
