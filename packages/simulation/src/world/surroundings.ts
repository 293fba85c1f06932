import type {
  CodeHost,
  Commit,
  Effect,
  HostCommandStore,
  HostEvent,
  LandRequest,
  RepoRef,
  Store,
  TestRunId,
} from '@mq/core';
import { hashOf, Random } from '@mq/random';
import { type MemoryStore, memoryHostCommandStore } from '@mq/store-memory';
import { type CiQuestion, contentPasses, type FakeHost, type FakeRepository, fakeHost } from '@mq/testkit';
import { HostCommandOracle } from '../oracle/host-commands.js';
import { Oracle } from '../oracle/oracle.js';
import { Truth } from '../oracle/truth.js';
import type { Weather } from '../weather.js';
import { HostFaults } from './host-faults.js';
import { staleMsOf } from './link.js';
import { Outages } from './outages.js';
import { Presence } from './presence.js';
import { ReplicatedStore } from './replicated-store.js';
import { short } from './short-id.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';
import { traceCommit } from './trace-commit.js';
import { TriggeredFaults } from './triggered-faults.js';
import { withCallRate } from './with-call-rate.js';

export const repo: RepoRef = { host: 'fake.example', owner: 'acme', name: 'widgets' };
export const branch = 'main';
export const otherBranch = 'other';

/** The duration of a hung check: longer than any seed. */
const NEVER_MS = 48 * 3_600_000;
/** Maximum lags of the store's replica. */
const lagsMs = [2_000, 8_000, 8_000, 60_000] as const;

export interface SurroundingsParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly weather: () => Weather;
  /** Called for each commit, after the oracle. */
  readonly committed: (commit: Commit) => void;
}

/** What all processes share: one store, one code host with its CI, and the oracle that checks both. */
export class Surroundings {
  readonly outages: Outages;
  readonly triggered: TriggeredFaults;
  readonly presence: Presence;
  readonly #hostFaults: HostFaults;
  readonly #landings: Random;
  readonly #replicated: ReplicatedStore;
  readonly host: FakeHost;
  readonly repository: FakeRepository;
  readonly oracle: Oracle;
  readonly truth: Truth;
  readonly commandOracle = new HostCommandOracle(repo);
  /** Null if no commands of people are taken. */
  readonly commandStore: HostCommandStore | null;
  /** The offset of the store's clock from the world's. */
  storeSkewMs = 0;
  readonly #listeners = new Set<(event: HostEvent) => void>();

  constructor(private readonly parts: SurroundingsParts) {
    const { weather, timeline } = parts;
    const clock = { now: () => timeline.now };
    const storeNow = () => timeline.now + this.storeSkewMs;
    this.#replicated = new ReplicatedStore(clock, storeNow, weather().outages.storeLoses > 0);
    this.commandStore = weather().hasCommanders ? memoryHostCommandStore({ clock: { now: storeNow } }) : null;
    this.outages = new Outages({ ...parts, forbade: () => this.truth.refusals.add('forbidden') });
    this.host = fakeHost({
      clock,
      ci: {
        mode: 'automatic',
        durationMs: ({ runId, name }) => this.#ciMs(runId, name),
        says: (question) => this.#ciSays(question),
      },
    });
    const checks = weather().checks;
    const files = { 'README.md': 'begin\n', ...(weather().isRed ? { 'broken.txt': '!broken\n' } : {}) };
    this.repository = this.host.createRepository({ ref: repo, branch, checks, files });
    this.repository.createBranch(otherBranch, branch);
    if (!weather().isRed && weather().headRate > 0.5)
      this.repository.reportTipChecks(branch, Object.fromEntries(checks.map((name) => [name, 'success'])));
    this.truth = new Truth(this.repository, branch);
    this.truth.times.staleMs = staleMsOf(weather());
    this.#landings = new Random(weather().seed).fork('slow landings');
    const random = new Random(weather().seed).fork('moods');
    this.#hostFaults = new HostFaults({
      ...parts,
      host: this.host,
      repository: this.repository,
      truth: this.truth,
      random,
    });
    this.triggered = new TriggeredFaults({
      ...parts,
      repository: this.repository,
      truth: this.truth,
      outages: this.outages,
      hasEnded: (runId) => this.oracle.hasEnded(runId),
      checksChanged: () => this.#hint({ repo, what: 'checks' }),
    });
    this.oracle = new Oracle(this.truth, weather());
    const { repository } = this;
    this.presence = new Presence({ ...parts, storeNow, repository, oracle: () => this.oracle });
    this.host.onEvent((event) => this.#hint(event));
  }

  get memory(): MemoryStore {
    return this.#replicated.memory;
  }

  /** Random faults per tick: the host refuses landings or lands another commit, the store's clock is set, outages begin. */
  strike(random: Random): void {
    const { weather, timeline, trace } = this.parts;
    const { hostRefuses, hostRewrites, storeJump } = weather().rates;
    if (random.chance(hostRefuses)) {
      const kind = random.pick(['wait', 'policy', 'pull_request', 'setting'] as const);
      const pr = random.chance(0.5) ? random.int(1, this.repository.pulls.size) : null;
      trace.tally(`fault: host refuses (${kind})`);
      this.truth.refusals.add(kind);
      this.repository.landingRefusal = { class: kind, pr, message: `Refused: ${kind}.` };
      timeline.after(random.int(5_000, 40_000), () => {
        this.repository.landingRefusal = null;
      });
    }
    if (random.chance(hostRewrites / 2)) {
      trace.tally('fault: host rewrites');
      this.repository.rewritesLandings = true;
      timeline.after(random.int(5_000, 40_000), () => {
        this.repository.rewritesLandings = false;
      });
    }
    if (random.chance(storeJump / 5)) {
      trace.tally('fault: store clock jump');
      this.truth.times.isStoreClockSet = true;
      this.storeSkewMs += random.pick([3_600_000, 3_600_000, 600_000, -60_000]);
    }
    this.outages.strike(random);
    if (random.chance(weather().outages.storeLoses)) this.failOver(random);
  }

  /** The store of a process, with every commit reported to the oracle. */
  store(): Store {
    const { oracle, parts } = this;
    const [{ timeline, trace }, replicated] = [parts, this.#replicated];
    return this.outages.ofStore({
      createQueue: async (queue, wakeAt, answer) => {
        const outcome = await replicated.createQueue(queue, wakeAt, answer);
        trace.say('store', `queue ${queue.id} ${outcome}`);
        if (outcome === 'created') oracle.created(queue, answer);
        return outcome;
      },
      queues: (query) => this.memory.queues(query),
      queueVersions: (query) => this.memory.queueVersions(query),
      load: async (...args) => {
        const delta = await this.memory.load(...args);
        if (delta !== null && delta.recalled.commits.length > 0) trace.tally('commit found again');
        return delta;
      },
      commit: async (commit) => {
        const outcome = await replicated.commit(commit);
        if (outcome.kind !== 'committed') trace.tally(`commit: ${outcome.kind}`);
        if (commit.incarnation !== null && commit.incarnation !== replicated.incarnation)
          trace.tally('commit of another incarnation');
        if (outcome.kind === 'lost')
          for (const { effect } of commit.settled)
            if (outcome.effects.includes(effect.id)) this.#lost(effect);
        oracle.committed(commit, outcome, timeline.now);
        if (outcome.kind === 'committed') this.#commanded(commit);
        traceCommit(trace, commit, outcome.kind);
        if (outcome.kind !== 'committed') return outcome;
        this.triggered.committed(commit);
        parts.committed(commit);
        return outcome;
      },
      push: (...args) => replicated.push(...args),
      lease: (ask) => replicated.lease(ask),
      renew: (...args) => replicated.renew(...args),
      settle: async (lease, facts) => {
        const isHeld = await replicated.settle(lease, facts);
        if (!isHeld) this.#lost(lease.effect);
        return isHeld;
      },
      postpone: (...args) => replicated.postpone(...args),
      due: (ask) => replicated.due(ask),
      nextDueAt: () => this.memory.nextDueAt(),
      now: () => this.memory.now(),
      answers: (ids) => this.memory.answers(ids),
      submissions: (query) => this.memory.submissions(query),
      run: (...args) => this.memory.run(...args),
      verdicts: (...args) => this.memory.verdicts(...args),
      shedTargets: (...args) => this.memory.shedTargets(...args),
      heldTargetBytes: (repo) => this.memory.heldTargetBytes(repo),
      history: (query) => this.memory.history(query),
      receipts: (query) => this.memory.receipts(query),
      onWake: (listener) => replicated.onWake(listener),
      close: () => Promise.resolve(),
    });
  }

  /** The host of a process, with every landing reported to the oracle. It also hints when a check ends. */
  codeHost(): Required<CodeHost> {
    const { host, oracle, parts } = this;
    const checksEnded = () => this.#hint({ repo, what: 'checks' });
    const watched: Required<CodeHost> = {
      ...host,
      presence: this.presence.host(host.presence),
      onEvent: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      buildCandidate: async (request) => {
        const outcome = await host.buildCandidate(request);
        parts.trace.say('host', `builds ${short(request.runId)}: ${outcome.kind}`);
        if (oracle.isOver(request.runId)) this.#stray(request.runId);
        return outcome;
      },
      startChecks: async (request) => {
        await host.startChecks(request);
        parts.trace.say('host', `starts ${request.names.join(', ')} of ${short(request.runId)}`);
        for (const name of request.names)
          parts.timeline.after(this.#ciMs(request.runId, name) + 1, checksEnded);
        if (oracle.hasEnded(request.runId) || oracle.isUnbuilt(request.runId)) this.#stray(request.runId);
      },
      land: (request) => this.#land(request),
      dropCandidate: async (request) => {
        const isThere = this.repository.candidates.has(request.runId);
        if (isThere && oracle.isLost(request.runId)) parts.trace.tally('candidates of lost runs');
        await host.dropCandidate(request);
      },
    };
    return withCallRate(this.outages.ofHost(this.#hostFaults.of(watched)), parts.timeline, (faults) =>
      oracle.report('no polling without a pause', faults),
    );
  }

  /** The store loses its last commits, even confirmed ones. The oracle forgets them too, but not what happened at the host. */
  failOver(random: Random): void {
    const { timeline, trace } = this.parts;
    const until = timeline.now - random.int(100, random.pick(lagsMs));
    this.#replicated.failOver(until).then(
      (writes) => {
        const lost = this.oracle.wentBack(writes);
        this.commandOracle.forget();
        trace.tally('fault: store loses commits');
        trace.say('world', `the store loses ${lost} commits`);
        if (lost > 0) trace.tally('confirmed commits lost');
      },
      (error: unknown) => this.oracle.report('simulation error', [String(error)]),
    );
  }

  #commanded(commit: Commit): void {
    const queue = this.oracle.books.find(({ id }) => id === commit.queueId)?.mirror.queue;
    const { faults, count } = this.commandOracle.committed(commit, queue?.createdAt ?? 0);
    this.oracle.report('commands of people', faults);
    for (let n = 0; n < count; n += 1) this.parts.trace.tally('command: applied');
  }

  #hint(event: HostEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  async #land(request: LandRequest) {
    const { repository, parts, oracle } = this;
    const pulls = new Map(repository.pulls);
    const count = repository.moves.length;
    const outcome = await this.host.land(request);
    const move = repository.moves[count];
    if (move !== undefined && oracle.isLost(request.runId)) parts.trace.tally('landed by a lost run');
    const isOver = outcome.kind === 'landed' || outcome.kind === 'partly_landed';
    const pr = outcome.kind === 'refused' ? outcome.pr : null;
    if (!isOver && !(outcome.kind === 'refused' && outcome.class !== 'wait'))
      for (const member of request.members)
        if (pr === null || pr === member.pr) this.truth.askedToWait(member.pr, parts.timeline.now);
    const numbers = request.members.map(({ pr }) => `#${pr}`).join(' ');
    parts.trace.say('host', `lands ${short(request.runId)} (${numbers}): ${outcome.kind}`);
    parts.trace.tally(
      `landing: ${outcome.kind}${move === undefined && outcome.kind === 'landed' ? ' again' : ''}`,
    );
    oracle.landed({ request, outcome, move, pulls, isRewritten: repository.rewritesLandings });
    await this.#answerSlowly();
    return outcome;
  }

  /** Delays the answer of a landing after the branch has moved and its pull requests show as merged. */
  async #answerSlowly(): Promise<void> {
    const { timeline, trace, weather } = this.parts;
    const ms = this.#landings.int(...weather().landingMs);
    if (ms === 0) return;
    trace.tally('landing: answered slowly');
    await new Promise<void>((resolve) => timeline.after(ms, resolve));
  }

  #stray(runId: TestRunId): void {
    this.oracle.strays.add(runId);
    this.parts.trace.tally('late result of a dead attempt');
  }

  #lost(effect: Effect): void {
    this.parts.trace.tally('lease lost');
    if (effect.type === 'land') this.parts.trace.tally('lease lost while landing');
  }

  #draw(runId: TestRunId, name: string, about: string): Random {
    return new Random(hashOf(`${this.parts.weather().seed} ${runId} ${name} ${about}`));
  }

  #ciMs(runId: TestRunId, name: string): number {
    const { ciMs, rates } = this.parts.weather();
    const triggeredMs = this.triggered.durationMs(runId, name);
    if (triggeredMs !== null) return Math.min(triggeredMs, NEVER_MS);
    const random = this.#draw(runId, name, 'duration');
    if (!random.chance(rates.ciSlow)) return random.int(...ciMs);
    return random.chance(0.3) ? NEVER_MS : random.int(50_000, 400_000);
  }

  /** A conclusion that replaces the one of the content. The queue retries each that is not a verdict. */
  #ciSays(question: CiQuestion) {
    const triggered = this.triggered.says(question);
    if (triggered !== null) return triggered;
    const { runId, name, files } = question;
    const { rates } = this.parts.weather();
    const random = this.#draw(runId, name, 'verdict');
    if (random.chance(rates.ciInfrastructure)) return 'infrastructure';
    if (random.chance(rates.ciCancelled)) return 'cancelled';
    if (random.chance(rates.ciOdd))
      return random.pick(['neutral', 'skipped', 'stale', 'action_required', 'unknown', 'timed_out'] as const);
    if (!random.chance(rates.ciFlaky)) return null;
    return contentPasses(files, name) ? 'failure' : 'success';
  }
}
