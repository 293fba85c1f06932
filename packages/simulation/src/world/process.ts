import {
  type Clock,
  type CodeHost,
  createMergeQueue,
  type HostCommandStore,
  type HostEvent,
  type Logger,
  type MergeQueue,
  openRunsOf,
  type PresenceStore,
  type RepoRef,
  type Store,
  silentLogger,
  sweepCandidates,
} from '@mq/core';
import type { Random } from '@mq/random';
import type { Weather } from '../weather.js';
import { Link, remoteCommandStore, remoteHost, remotePresenceStore, remoteStore } from './link.js';
import { crashing, type PlannedCrashes } from './planned-crashes.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

export interface ProcessParts {
  readonly name: string;
  readonly repo: RepoRef;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly random: Random;
  readonly weather: () => Weather;
  readonly store: Store;
  /** Null if no commands of people are taken. */
  readonly commands: HostCommandStore | null;
  readonly host: Required<CodeHost>;
  /** Null in worlds where nothing is shown at pull requests. */
  readonly presence: PresenceStore | null;
  readonly crashes: PlannedCrashes;
  /** Crashes this process; another one starts later. */
  readonly die: (process: Process) => void;
}

/** A process that waits at least this long is idle. */
const IDLE_MS = 900;
const COMMANDS_POLL_MS = 5_000;
const never = new Promise<never>(() => undefined);
/** Delay before a failed start is retried. */
const AGAIN_MS = 2_000;

/**
 * One process that runs the engine. Everything that it awaits resolves through `resume`, so that it can be paused or crashed
 * at any await: the result then arrives late, or never.
 */
export class Process {
  readonly name: string;
  readonly mq: MergeQueue;
  #isDead = false;
  #isPaused = false;
  readonly #backlog: (() => void)[] = [];
  #skewMs: number;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(private readonly parts: ProcessParts) {
    this.name = parts.name;
    const { random, store, commands, host, timeline, trace, weather } = parts;
    this.#skewMs = random.chance(weather().rates.clockSkew * 3) ? random.int(-30_000, 30_000) : 0;
    if (this.#skewMs !== 0) trace.tally('fault: clock skew');
    const link = new Link({ caller: this, timeline, trace, random: random.fork('link'), weather });
    const far = {
      store: remoteStore(link, store, (listener) =>
        this.#subscribe<void>(store.onWake?.bind(store), listener),
      ),
      host: remoteHost(link, host, (listener) =>
        this.#subscribe<HostEvent>(host.onEvent.bind(host), listener),
      ),
    };
    const die = (): Promise<never> => {
      parts.die(this);
      return never;
    };
    const near = {
      store: crashing(far.store, parts.crashes, die),
      host: crashing(far.host, parts.crashes, die),
    };
    const clock = this.#clock();
    this.mq = createMergeQueue({
      store: near.store,
      hosts: { [parts.repo.host]: near.host },
      clock,
      logger: loggerOf(parts),
      pace: weather().pace,
      ...(commands === null
        ? {}
        : { commands: { store: remoteCommandStore(link, commands), pollMs: COMMANDS_POLL_MS } }),
      uuid: () => random.uuid(),
      ...(parts.presence === null ? {} : { presence: { store: remotePresenceStore(link, parts.presence) } }),
    });
    if (weather().sweeps) this.#startSwept({ ...near, clock });
    else this.mq.start();
  }

  /** As the server does: first drops candidates that no open test run has, and retries until that succeeds. */
  #startSwept(parts: { readonly store: Store; readonly host: CodeHost; readonly clock: Clock }): void {
    sweepCandidates({ ...parts, isOpen: openRunsOf(parts.store) }, [this.parts.repo]).then(
      () => void this.mq.start(),
      () => this.parts.timeline.after(AGAIN_MS, () => this.resume(() => this.#startSwept(parts))),
    );
  }

  get isUp(): boolean {
    return !this.#isDead;
  }

  /** Runs a continuation of this process: now, after its pause, or never after a crash. */
  resume(come: () => void): void {
    if (this.#isDead) return;
    if (this.#isPaused) this.#backlog.push(come);
    else come();
  }

  /** Pauses the process, as when it is stopped or its machine swaps; then it continues. */
  pause(ms: number): void {
    if (this.#isDead || this.#isPaused) return;
    this.#isPaused = true;
    this.parts.trace.say(this.name, `stands still for ${ms} ms`);
    this.parts.timeline.after(ms, () => {
      this.#isPaused = false;
      for (const come of this.#backlog.splice(0)) this.parts.timeline.after(0, () => this.resume(come));
    });
  }

  /** Sets its clock forwards or back. */
  jump(ms: number): void {
    this.#skewMs += ms;
    this.parts.trace.say(this.name, `has its clock set by ${ms} ms`);
  }

  /** Crashes the process. Only calls that it has already sent still take effect. */
  crash(): void {
    this.#isDead = true;
    this.#backlog.length = 0;
    for (const end of this.#unsubscribe.splice(0)) end();
    this.parts.trace.say(this.name, 'crashes');
  }

  #clock(): Clock {
    const { timeline, random, weather } = this.parts;
    return {
      now: () => timeline.now + this.#skewMs,
      wait: (until, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve();
          const wanted = Math.max(0, until - timeline.now - this.#skewMs);
          const ms = wanted < IDLE_MS ? wanted : Math.round(wanted * weather().drowsiness);
          const isSlow = random.chance(weather().rates.slowTimers);
          const late = isSlow ? random.int(0, 10_000) : 0;
          const end = () => {
            signal.removeEventListener('abort', end);
            resolve();
          };
          timeline.after(ms + late, () => this.resume(end));
          signal.addEventListener('abort', end);
        }),
    };
  }

  /** Subscribes to hints, some of which are lost, repeated or late. */
  #subscribe<Hint>(
    source: ((listener: (hint: Hint) => void) => () => void) | undefined,
    listener: (hint: Hint) => void,
  ): () => void {
    const { timeline, random, trace, weather } = this.parts;
    const end = source?.((hint) => {
      const { rates } = weather();
      if (random.chance(rates.lostHint * 3)) return trace.tally('fault: hint lost');
      const times = random.chance(rates.doubledHint) ? 2 : 1;
      if (times === 2) trace.tally('fault: hint doubled');
      for (let time = 0; time < times; time += 1)
        timeline.after(random.int(0, time === 0 ? 20 : 20_000), () => this.resume(() => listener(hint)));
    });
    if (end !== undefined) this.#unsubscribe.push(end);
    return end ?? (() => undefined);
  }
}

const loggerOf = ({ trace, name }: ProcessParts): Logger => ({
  ...silentLogger,
  warn: (facts, sentence) => trace.say(name, `${sentence} ${messageOf(facts)}`),
  error: (facts, sentence) => trace.say(name, `${sentence} ${messageOf(facts)}`),
});

const messageOf = (facts: object): string =>
  'error' in facts && facts.error instanceof Error ? `(${facts.error.message})` : '';
