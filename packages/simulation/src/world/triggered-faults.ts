import type { Commit, Conclusion, Instant, TestRun, TestRunId } from '@mq/core';
import { hashOf, Random } from '@mq/random';
import { type CiQuestion, contentCrashes, type FakeRepository, type NewPullRequest } from '@mq/testkit';
import type { Truth } from '../oracle/truth.js';
import type { TriggeredFault, Weather } from '../weather.js';
import type { Outages } from './outages.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

export interface TriggeredFaultParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly weather: () => Weather;
  readonly repository: FakeRepository;
  readonly truth: Pick<Truth, 'did'>;
  readonly outages: Outages;
  /** Whether the checks of a test run have ended or are no longer needed. */
  readonly hasEnded: (runId: TestRunId) => boolean;
  /** Called when a check was started or ended outside the queue. */
  readonly checksChanged: () => void;
}

/** A message without digits: the queue treats messages that differ only in numbers as the same, and then holds the whole host. */
const waitingWords = (pr: number): string =>
  `The review "${[...String(pr)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}" is not in yet.`;

/** Null: the rerun hangs until the faults end. */
const rerunEnds = ['failure', 'failure', 'success', 'success', 'cancelled', 'infrastructure', null] as const;
const faultCodes = ['PULL_REQUEST_UNREADABLE', 'MERGE_NOT_COMPUTABLE'] as const;
const BEFORE_DEADLINE_MS = 2_000;

/** Faults on certain occasions: when a test run has passed, reaches its deadline, or is about to land. */
export class TriggeredFaults {
  /** Conclusions of reruns, by test run and name of the check. */
  readonly #again = new Map<string, Conclusion | 'hangs'>();
  /** Test runs at whose deadline the host will fail, with that deadline. */
  readonly #foreseen = new Map<TestRunId, Instant>();
  readonly #damaged = new Set<number>();

  constructor(private readonly parts: TriggeredFaultParts) {}

  /** Properties of a new pull request. */
  pullRequest(number: number): NewPullRequest {
    const { repository, trace } = this.parts;
    if (this.#strikes('endlessWait', `pull request ${number}`)) {
      trace.tally('triggered fault: a landing postponed');
      repository.landingWaits.set(number, waitingWords(number));
    }
    if (!this.#strikes('killedBySignal', `pull request ${number}`)) return {};
    trace.tally('triggered fault: tests that crash');
    return { crashes: true };
  }

  /** A conclusion forced by a triggered fault; null for none. */
  says({ runId, name, files }: CiQuestion): Conclusion | null {
    const again = this.#again.get(`${runId} ${name}`);
    if (again !== undefined && again !== 'hangs') return again;
    if (contentCrashes(files)) return 'infrastructure';
    if (!this.#strikes('skippedChecks', `${runId} ${name}`)) return null;
    this.parts.trace.tally('triggered fault: a check skipped');
    return 'skipped';
  }

  /**
   * A duration forced by a triggered fault; null for none. If the host will answer "never" at the deadline, the check is still running
   * then: it ends soon after, or never.
   */
  durationMs(runId: TestRunId, name: string): number | null {
    if (this.#again.get(`${runId} ${name}`) === 'hangs') return Number.POSITIVE_INFINITY;
    const deadlineAt = this.#foreseen.get(runId);
    if (deadlineAt === undefined) return null;
    const random = this.#random('neverAtDeadline', `${runId} ${name} how long it runs`);
    if (random.chance(0.5)) return Number.POSITIVE_INFINITY;
    return Math.max(0, deadlineAt - this.parts.timeline.now) + random.int(0, 30_000);
  }

  committed({ writes }: Commit): void {
    const passed = writes.history.flatMap((row) =>
      row.type === 'run' && row.change === 'ended' && row.outcome === 'passed' && row.purpose !== 'compose'
        ? [row.runId]
        : [],
    );
    for (const runId of passed) this.#rerun(runId);
    for (const run of writes.runs) this.#foresee(run);
    for (const row of writes.history) if (row.type === 'moved' && row.to === 'testing') this.#damage(row.pr);
  }

  /** The host soon starts to fail on a pull request. */
  #damage(pr: number): void {
    const { timeline, trace, weather, repository, truth } = this.parts;
    if (this.#damaged.has(pr) || !this.#strikes('pullRequestFaults', `pull request ${pr}`)) return;
    this.#damaged.add(pr);
    const random = this.#random('pullRequestFaults', `${pr} how`);
    const below = random.chance(0.25) ? random.int(1, repository.pulls.size) : 'target';
    const code = below === 'target' ? random.pick(faultCodes) : 'MERGE_NOT_COMPUTABLE';
    const isShown = below === 'target' && random.chance(0.7);
    timeline.after(random.int(0, 2 * weather().ciMs[1]), () => {
      if (weather().triggered.pullRequestFaults === 0 || below === pr) return;
      trace.tally('triggered fault: the host fails on a pull request');
      trace.say('world', `the host fails on #${pr} with ${below}: ${code}`);
      truth.did(pr, below === 'target' ? 'faulty' : 'faulty on another');
      repository.faults.set(pr, { code, message: 'It is damaged.', with: below, isShown });
    });
    if (random.chance(0.5))
      timeline.after(random.int(0, 120_000) + 2 * weather().ciMs[1], () => repository.faults.set(pr, null));
  }

  /** A person soon reruns one of its checks. */
  #rerun(runId: TestRunId): void {
    const { timeline, trace, weather, repository, checksChanged } = this.parts;
    if (!this.#strikes('rerunAfterPass', runId)) return;
    const random = this.#random('rerunAfterPass', `${runId} how`);
    const name = random.pick(weather().checks);
    const ends = random.pick(rerunEnds);
    timeline.after(random.int(0, 2 * weather().hostMs[1]), () => {
      if (weather().triggered.rerunAfterPass === 0) return;
      this.#again.set(`${runId} ${name}`, ends ?? 'hangs');
      if (repository.ci.rerun(runId, name) === 0) return;
      trace.tally(`triggered fault: a check rerun (${ends ?? 'hangs'})`);
      trace.say('person', `runs ${name} of ${runId} again`);
      checksChanged();
    });
  }

  /** From just before the deadline the host answers "never", for a while. */
  #foresee({ id, deadlineAt, state, closedAt }: TestRun): void {
    const { timeline, trace, outages } = this.parts;
    if (deadlineAt === null || closedAt !== null || state === 'ended' || this.#foreseen.has(id)) return;
    if (!this.#strikes('neverAtDeadline', id)) return;
    this.#foreseen.set(id, deadlineAt);
    const ms = this.#random('neverAtDeadline', `${id} how long`).int(5_000, 120_000);
    timeline.at(deadlineAt - BEFORE_DEADLINE_MS, () => {
      if (this.parts.weather().triggered.neverAtDeadline === 0 || this.parts.hasEnded(id)) return;
      trace.tally('triggered fault: "never" at a deadline');
      outages.forbid(ms);
    });
  }

  #strikes(name: TriggeredFault, about: string): boolean {
    const rate = this.parts.weather().triggered[name];
    return rate > 0 && this.#random(name, about).chance(rate);
  }

  #random(name: TriggeredFault, about: string): Random {
    return new Random(hashOf(`${this.parts.weather().seed} ${name} ${about}`));
  }
}
