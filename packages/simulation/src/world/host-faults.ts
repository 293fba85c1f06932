import {
  type BranchState,
  type BuildCandidateRequest,
  type CandidateOutcome,
  type Check,
  type CodeHost,
  HostError,
  type HostPullRequest,
  type Instant,
  isReadable,
} from '@mq/core';
import type { Random } from '@mq/random';
import type { FakeHost, FakeRepository } from '@mq/testkit';
import type { Truth } from '../oracle/truth.js';
import type { Weather } from '../weather.js';
import { STALE_MS } from './link.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

export interface HostFaultParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly weather: () => Weather;
  readonly random: Random;
  readonly host: FakeHost;
  readonly repository: FakeRepository;
  readonly truth: Truth;
}

interface ShownPulls {
  readonly at: Instant;
  readonly pulls: ReadonlyMap<number, HostPullRequest>;
}

/** How the host answers: with a stale state, incompletely, or with a time to retry at. */
export class HostFaults {
  /** The pull requests after each change, oldest first. */
  #shown: ShownPulls[] = [];
  #countedFrom: Instant = Number.NEGATIVE_INFINITY;
  #calls = 0;
  #buildsFrom: Instant = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: HostFaultParts) {
    if (parts.weather().lagRate > 0) parts.host.onEvent(() => this.#remember());
  }

  /** Wraps the host so that it answers in these ways. */
  of(host: Required<CodeHost>): Required<CodeHost> {
    const answering: Required<CodeHost> = {
      ...host,
      getBranch: async (repo, branch, options) => {
        const [present, at] = [await host.getBranch(repo, branch, options), this.#past()];
        return at === null ? present : this.#branchAt(branch, at, present);
      },
      getPullRequests: async (repo, numbers, options) => {
        const answers = await host.getPullRequests(repo, numbers, options);
        const [present, at] = [answers.filter(isReadable), this.#past()];
        return this.#inPart(numbers, at === null ? present : this.#pullsAt(numbers, at, present));
      },
      getChecks: async (repo, commits) => {
        const [present, at] = [await host.getChecks(repo, commits), this.#past()];
        if (at === null) return present;
        return new Map([...present].map(([commit, checks]) => [commit, checksAt(checks, at)]));
      },
      buildCandidate: async (request) =>
        this.#noted(this.#unbuilt(request) ?? (await host.buildCandidate(request))),
    };
    return this.#counting(answering);
  }

  /** The instant whose state the host shows; null for the current state. */
  #past(): Instant | null {
    const { timeline, trace, random, weather } = this.parts;
    const { lagRate } = weather();
    if (lagRate === 0 || !random.chance(lagRate)) return null;
    trace.tally('fault: host lags');
    return timeline.now - random.int(1, STALE_MS);
  }

  #branchAt(name: string, at: Instant, present: BranchState | null): BranchState | null {
    const move = this.parts.repository.moves.findLast((one) => one.branch === name && one.at <= at);
    if (move === undefined || present === null) return present;
    return move.to === null ? null : { ...present, head: move.to };
  }

  #pullsAt(
    numbers: readonly number[],
    at: Instant,
    present: readonly HostPullRequest[],
  ): readonly HostPullRequest[] {
    const shownThen = this.#shown.findLast((one) => one.at <= at);
    return shownThen === undefined ? present : numbers.flatMap((number) => shownThen.pulls.get(number) ?? []);
  }

  #remember(): void {
    const { repository, timeline } = this.parts;
    const numbers = [...repository.pulls.keys()];
    const pulls = new Map(
      numbers.flatMap((number) => {
        const pull = repository.shown(number);
        return pull === null ? [] : [[number, pull] as const];
      }),
    );
    const oldest = this.#shown.findLastIndex(({ at }) => at <= timeline.now - STALE_MS);
    this.#shown = [...this.#shown.slice(Math.max(0, oldest)), { at: timeline.now, pulls }];
  }

  #inPart(numbers: readonly number[], shown: readonly HostPullRequest[]): readonly HostPullRequest[] {
    const { random, trace, truth, timeline, weather } = this.parts;
    const { partialRate } = weather();
    const isPartial = partialRate > 0 && random.chance(partialRate);
    const answered = isPartial ? shown.filter(() => random.chance(0.5)) : shown;
    if (answered.length < shown.length) trace.tally('fault: host answers in part');
    const included = new Set(answered.map(({ number }) => number));
    for (const number of numbers) if (!included.has(number)) truth.leftOut(number, timeline.now);
    return answered;
  }

  /** The refusal to build a candidate; null to build it. After a "wait" no candidate is built for a while. */
  #unbuilt({ parts }: BuildCandidateRequest): CandidateOutcome | null {
    const { random, timeline, trace, weather } = this.parts;
    const { unbuiltRate } = weather();
    if (unbuiltRate === 0) return null;
    if (timeline.now < this.#buildsFrom)
      return { kind: 'refused', class: 'wait', pr: null, message: 'Not built: wait.' };
    if (!random.chance(unbuiltRate)) return null;
    const reach = random.pick(['wait', 'wait', 'wait', 'wait', 'pull_request', 'policy'] as const);
    const pr = parts.length > 0 && random.chance(0.7) ? random.pick(parts).pr : null;
    trace.tally(`fault: host refuses to build (${reach})`);
    if (reach === 'wait') this.#buildsFrom = timeline.now + random.int(0, 20_000);
    return { kind: 'refused', class: reach, pr, message: `Not built: ${reach}.` };
  }

  #noted(outcome: CandidateOutcome): CandidateOutcome {
    if (outcome.kind !== 'refused') return outcome;
    const { truth } = this.parts;
    truth.refusals.add(outcome.class);
    if (outcome.class === 'pull_request' && outcome.pr !== null) truth.did(outcome.pr, 'refused');
    return outcome;
  }

  /** Limits the number of calls per period; a call beyond it fails with the time to retry at. */
  #counting(host: Required<CodeHost>): Required<CodeHost> {
    const counted =
      <Args extends readonly unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
      async (...args: Args): Promise<Answer> => {
        this.#count();
        return call(...args);
      };
    return {
      hasRepository: counted(host.hasRepository),
      identify: host.identify,
      ignoresCase: host.ignoresCase,
      hooksNotRun: counted(host.hooksNotRun),
      getBranch: counted(host.getBranch),
      contains: counted(host.contains),
      getPullRequests: counted(host.getPullRequests),
      findPullRequest: counted(host.findPullRequest),
      buildCandidate: counted(host.buildCandidate),
      startChecks: counted(host.startChecks),
      cancelChecks: counted(host.cancelChecks),
      getChecks: counted(host.getChecks),
      land: counted(host.land),
      dropCandidate: counted(host.dropCandidate),
      listCandidates: counted(host.listCandidates),
      openDraft: counted(host.openDraft),
      canForce: host.canForce,
      onEvent: host.onEvent,
      presence: host.presence,
      commands: host.commands,
    };
  }

  #count(): void {
    const { timeline, trace, weather } = this.parts;
    const { quota } = weather();
    if (quota === null) return;
    if (timeline.now >= this.#countedFrom + quota.everyMs) {
      this.#countedFrom = timeline.now;
      this.#calls = 0;
    }
    this.#calls += 1;
    if (this.#calls <= quota.calls) return;
    trace.tally('fault: host quota used up');
    throw new HostError(
      'the call quota of this period is used up',
      'later',
      this.#countedFrom + quota.everyMs,
    );
  }
}

/** The checks as they were at an instant: later ones are missing, and those that ended later are running. */
const checksAt = (checks: readonly Check[], at: Instant): readonly Check[] =>
  checks.flatMap((check) => {
    if (check.startedAt === null || check.startedAt > at) return [];
    if (check.completedAt === null || check.completedAt <= at) return [check];
    return [{ ...check, status: 'running' as const, conclusion: null, completedAt: null }];
  });
