import { type Commit, defaultSettings, type TestRun } from '@mq/core';
import { Random } from '@mq/random';
import type { Violation } from '../oracle/ledger.js';
import { healed, type Weather, weatherOf } from '../weather.js';
import { Commanders } from './commanders.js';
import { People } from './people.js';
import { type PlannedCrash, PlannedCrashes } from './planned-crashes.js';
import { Process } from './process.js';
import { repo, Surroundings } from './surroundings.js';
import { Timeline } from './timeline.js';
import { Trace } from './trace.js';

export interface Report {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly digest: string;
  readonly events: number;
  readonly virtualMs: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The trace; empty unless `Scene.trace`. */
  readonly lines: readonly string[];
}

/** Virtual time in which the queue must come to rest after all faults have ended. */
const REST_WITHIN_MS = 3 * 3_600_000;
/** Extra time per pull request whose landing is answered with "wait": it is retried for an hour before it fails. */
const REST_PER_WAIT_MS = 90 * 60_000;
const REST_CHECK_MS = 5_000;
/** Maximum number of events of a seed; more means an endless loop. */
const EVENTS_LIMIT = 120_000;
/** The same if a clock was set: a process may then wait for an extra hour while all others keep polling. */
const LONG_EVENTS_LIMIT = 400_000;
/** Extra events per pull request whose landing is answered with "wait", since polls go on for that hour. */
const EVENTS_PER_WAIT = 100_000;
const CRASH_TICK_MS = 5_000;
const HOUR_MS = 3_600_000;

export interface Scene {
  readonly trace?: boolean;
  /** Replaces the weather of the seed. */
  readonly weather?: Weather;
  /** Points at which processes crash. */
  readonly crashes?: readonly PlannedCrash[];
}

/** Runs one seed: first with faults, then without, until the queue is at rest. */
export const simulate = async (seed: number, scene: Scene = {}): Promise<Report> => {
  const world = new World(seed, scene);
  return world.live();
};

class World {
  readonly #timeline = new Timeline();
  readonly #trace: Trace;
  readonly #random: Random;
  readonly #demands: Random;
  readonly #processes: Process[] = [];
  readonly #surroundings: Surroundings;
  readonly #people: People;
  readonly #crashes: PlannedCrashes;
  #weather: Weather;
  #births = 0;
  #isClockSet = false;
  readonly #modes = new Map<string, string>();

  constructor(
    readonly seed: number,
    { trace: keepsLines = false, weather: wanted, crashes = [] }: Scene,
  ) {
    this.#weather = wanted ?? weatherOf(seed);
    this.#crashes = new PlannedCrashes(crashes);
    this.#random = new Random(seed).fork('world');
    this.#demands = this.#random.fork('demands');
    this.#trace = new Trace(this.#timeline, keepsLines);
    const weather = () => this.#weather;
    const [timeline, trace] = [this.#timeline, this.#trace];
    this.#surroundings = new Surroundings({
      timeline,
      trace,
      weather,
      committed: (commit) => this.#committed(commit),
    });
    this.#people = new People({
      timeline,
      trace,
      weather,
      random: this.#random.fork('people'),
      surroundings: this.#surroundings,
      processes: () => this.#processes.filter((process) => process.isUp),
    });
  }

  async live(): Promise<Report> {
    const start = this.#timeline.now;
    this.#trace.say('world', JSON.stringify(this.#weather));
    try {
      await this.#storm();
      await this.#rest();
    } catch (error) {
      this.#fault(
        'simulation error',
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    }
    const { oracle } = this.#surroundings;
    for (const { checker, sentence } of oracle.violations)
      this.#trace.say('oracle', `${checker}: ${sentence}`);
    return {
      seed: this.seed,
      violations: oracle.violations,
      digest: this.#trace.digest(),
      events: this.#timeline.events,
      virtualMs: this.#timeline.now - start,
      counts: this.#trace.counts(),
      lines: this.#trace.lines(),
    };
  }

  get #isOver(): boolean {
    const { violations } = this.#surroundings.oracle;
    if (violations.length === 0 && this.#timeline.isStuck)
      this.#fault('no endless loops', 'Endless events at one instant.');
    const isClockSet = this.#isClockSet || this.#surroundings.truth.isStoreClockSet;
    const waits = this.#surroundings.repository.landingWaits.size;
    const base = isClockSet || waits > 0 ? LONG_EVENTS_LIMIT : EVENTS_LIMIT;
    const limit = base + EVENTS_PER_WAIT * waits;
    if (violations.length === 0 && this.#timeline.events > limit)
      this.#fault('no endless loops', `More than ${limit} events. ${this.#unrest().join(' ')}`);
    return violations.length > 0;
  }

  async #storm(): Promise<void> {
    const { chaosMs, replicas } = this.#weather;
    const until = this.#timeline.now + chaosMs;
    for (let count = 0; count < replicas; count += 1) this.#startProcess();
    this.#people.begin(until);
    if (this.#weather.hasCommanders) this.#commanders().begin(until);
    this.#strike(until);
    await this.#timeline.runUntil(until, () => this.#isOver);
  }

  #commanders(): Commanders {
    const { repository, commandOracle: oracle } = this.#surroundings;
    return new Commanders({
      ...{ timeline: this.#timeline, trace: this.#trace, repository, oracle },
      random: new Random(this.seed).fork('commanders of the queue'),
      label: this.#weather.settings.enqueueingLabel ?? defaultSettings.enqueueingLabel,
      processes: () => this.#processes.filter((process) => process.isUp),
    });
  }

  /** All faults end; the queue must come to rest by itself, in bounded time. */
  async #rest(): Promise<void> {
    const { oracle } = this.#surroundings;
    const unrest = () => this.#unrest();
    this.#weather = healed(this.#weather);
    this.#trace.say('world', 'heals');
    this.#people.makePeace();
    this.#surroundings.outages.end();
    const waits = this.#surroundings.repository.landingWaits.size;
    const deadline = this.#timeline.now + REST_WITHIN_MS + waits * REST_PER_WAIT_MS;
    while (!this.#isOver && this.#timeline.now < deadline) {
      await this.#timeline.runUntil(this.#timeline.now + REST_CHECK_MS, () => this.#isOver);
      if (unrest().length === 0) break;
    }
    if (this.#isOver) return;
    oracle.report('comes to rest', unrest());
    // Read only now, because a store that lost commits has a new memory.
    oracle.conclude(this.#surroundings.memory.dump());
  }

  #unrest(): readonly string[] {
    const { oracle, memory } = this.#surroundings;
    return [
      ...this.#people.unrest(),
      ...oracle.unrest(memory.dump()),
      ...this.#surroundings.presence.unrest(),
    ];
  }

  #startProcess(): void {
    this.#births += 1;
    this.#processes.push(
      new Process({
        name: `replica-${this.#births}`,
        repo,
        timeline: this.#timeline,
        trace: this.#trace,
        weather: () => this.#weather,
        random: this.#random.fork(`replica ${this.#births}`),
        store: this.#surroundings.store(),
        commands: this.#surroundings.commandStore,
        host: this.#surroundings.codeHost(),
        presence: this.#surroundings.presence.store(),
        crashes: this.#crashes,
        die: (process) => this.#crash(process, 'fault: crash at a point'),
      }),
    );
  }

  /** Schedules crashes, pauses and clock jumps at random moments. A crashed process is replaced after a while. */
  #strike(until: number): void {
    const { timeline, random, trace } = {
      timeline: this.#timeline,
      random: this.#random,
      trace: this.#trace,
    };
    const tick = () => {
      if (timeline.now >= until) return;
      const { crash, pause } = this.#weather.rates;
      for (const process of this.#processes.filter(({ isUp }) => isUp)) {
        if (random.chance(crash))
          timeline.after(random.int(0, CRASH_TICK_MS), () => {
            this.#crash(process, 'fault: crash');
          });
        else if (random.chance(pause / 2)) {
          trace.tally('fault: pause');
          const ms = random.pick([500, 5_000, 40_000, 130_000]) + random.int(0, 5_000);
          timeline.after(random.int(0, CRASH_TICK_MS), () => process.pause(ms));
        } else if (random.chance(this.#weather.rates.clockJump / 5)) {
          trace.tally('fault: clock jump');
          this.#isClockSet = true;
          process.jump(random.pick([-1, 1]) * HOUR_MS);
        }
      }
      this.#surroundings.strike(random);
      timeline.after(CRASH_TICK_MS, tick);
    };
    tick();
  }

  #crash(process: Process, name: string): void {
    if (!process.isUp) return;
    this.#trace.tally(name);
    process.crash();
    this.#timeline.after(this.#random.int(100, 20_000), () => this.#startProcess());
  }

  /** Schedules crashes, lost commits and interfering people during landings, where they are most dangerous. */
  #committed(commit: Commit): void {
    const isAlarmed = commit.writes.history.some(({ type }) => type === 'alarm');
    const { mode } = commit.writes.queue?.settings ?? {};
    const was = this.#modes.get(commit.queueId);
    if (mode !== undefined) this.#modes.set(commit.queueId, mode);
    if (mode !== undefined && was !== undefined && was !== mode) this.#trace.tally('a mode entered');
    if (isAlarmed && commit.writes.queue?.wanted === 'paused') this.#people.handleAlarm();
    const hasPassed = commit.writes.history.some(
      (row) => row.type === 'run' && row.change === 'ended' && row.outcome === 'passed',
    );
    const { demandRate, hostMs } = this.#weather;
    if (hasPassed && this.#demands.chance(demandRate)) this.#people.demandOther();
    const besides = commit.writes.runs.find(isBesideOthers);
    if (besides !== undefined && this.#demands.chance(demandRate))
      this.#people.uploadMore(
        besides.batch.map(({ pr }) => pr),
        hostMs[1],
      );
    const landing = commit.effects.find((effect) => effect.type === 'land');
    if (landing?.type !== 'land') return;
    const { rates, outages, meddleRate } = this.#weather;
    if (this.#random.chance(rates.crash)) {
      const process = this.#random.pick(this.#processes.filter(({ isUp }) => isUp));
      this.#timeline.after(this.#random.int(0, 2 * hostMs[1]), () =>
        this.#crash(process, 'fault: crash while landing'),
      );
    }
    if (this.#random.chance(3 * outages.storeLoses))
      this.#timeline.after(this.#random.int(0, 2 * hostMs[1]), () =>
        this.#surroundings.failOver(this.#random),
      );
    if (this.#random.chance(meddleRate))
      this.#people.meddle(
        landing.members.map(({ pr }) => pr),
        this.#random.int(0, 3 * hostMs[1]),
      );
  }

  #fault(checker: string, sentence: string): void {
    this.#surroundings.oracle.report(checker, [sentence]);
  }
}

/** True if others have landed in parallel to it, or are combined with it. */
const isBesideOthers = ({ beside, closedAt, purpose, state }: TestRun): boolean =>
  closedAt === null && (beside.length > 0 || (purpose.kind === 'compose' && state === 'building'));
