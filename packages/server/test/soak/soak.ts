import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Receipt } from '@mq/core';
import { Random } from '@mq/random';
import { type Ask, askAny, Requests, TOKEN } from './client.js';
import { type SoakDatabase, startDatabase } from './database.js';
import { receiptsOf, runToQuiet, runToRest, type Standing, standingsOf } from './ending.js';
import { FaultCounts, makeTrouble } from './faults.js';
import { judge, type Violation } from './judge.js';
import { Ledger } from './ledger.js';
import { Memory, type MemoryOf } from './memory.js';
import type { SoakOptions } from './options.js';
import { Person } from './people.js';
import type { Progress } from './progress.js';
import { Replica } from './replica.js';
import { git, makeRepository, type Soaked } from './repository.js';

const PEOPLE = 3;
const LOOK_EVERY_MS = 1_000;
const SAMPLE_EVERY_MS = 5_000;
/** The share of the minutes, or of the kills, at which the database is restarted. */
const RESTART_AT = 0.5;

/** Everything that a soak has found out. */
export interface Found {
  readonly ledger: Ledger;
  readonly faults: FaultCounts;
  readonly requests: Requests;
  readonly receipts: readonly Receipt[];
  readonly standings: ReadonlyMap<number, Standing>;
  /** Commits on the branch, by `git log`. */
  readonly commits: number;
  readonly longestPauseMs: number;
  readonly loadMs: number;
  readonly quietMs: number;
  readonly memory: readonly MemoryOf[];
  readonly violations: readonly Violation[];
  /** The folder with everything that was left behind; null if it was removed. */
  readonly folder: string | null;
}

/** One soak from the first start to the last look; afterwards nothing runs any more. */
export const soak = async (options: SoakOptions, progress: Progress): Promise<Found> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-soak-'));
  const database = await startDatabase();
  const violations: Violation[] = [];
  let replicas: readonly Replica[] = [];
  const goOn = endOnSignals(() => replicas, folder);
  try {
    await writeFile(join(folder, 'mq.config.json'), JSON.stringify(CONFIGURATION));
    const soaked = await makeRepository(folder);
    replicas = replicasOf(options, { MQ_DATA: folder, DATABASE_URL: database.url }, violations);
    for (const replica of replicas) replica.run();
    const found = await new Soak({ options, progress, folder, database, soaked, replicas, violations }).run();
    if (found.violations.length > 0) await keep(folder, found);
    else await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    return found;
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
    await database.stop();
    goOn();
  }
};

/** An interrupt ends all processes. Returns a function that removes the handler. */
const endOnSignals = (replicas: () => readonly Replica[], folder: string): (() => void) => {
  const end = (): never => {
    for (const replica of replicas()) replica.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit(130);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, end);
  return () => signals.forEach((signal) => void process.off(signal, end));
};

/** Looks often, so that a soak of minutes sees what takes hours otherwise. */
const CONFIGURATION = {
  ci: { concurrency: 4 },
  pace: { pollBranchMs: 2_000, pollPullRequestsMs: 2_000, pollChecksMs: 1_000, retryDelayMs: 500 },
};

const replicasOf = (
  { replicas }: SoakOptions,
  env: { readonly MQ_DATA: string; readonly DATABASE_URL: string },
  violations: Violation[],
): readonly Replica[] => {
  const fault = (name: string, how: string) =>
    void violations.push({ checker: 'served', sentence: `${name}: ${how}` });
  const events = { ended: fault, refused: () => undefined, gaveUp: fault };
  const all = { ...env, PORT: '0', MQ_TOKEN: TOKEN, MQ_LOG_LEVEL: 'warn' };
  return Array.from({ length: replicas }, (_, at) => new Replica(`replica ${at + 1}`, all, events));
};

/** The data that shows why a promise was broken. */
const keep = async (folder: string, { violations, receipts, standings, ledger }: Found): Promise<void> => {
  const all = { violations, standings: [...standings.values()], pulls: ledger.all, receipts };
  await writeFile(join(folder, 'soak.json'), JSON.stringify(all, null, 1));
};

interface Parts {
  readonly options: SoakOptions;
  readonly progress: Progress;
  readonly folder: string;
  readonly database: SoakDatabase;
  readonly soaked: Soaked;
  readonly replicas: readonly Replica[];
  readonly violations: Violation[];
}

class Soak {
  readonly #ledger = new Ledger();
  readonly #faults = new FaultCounts();
  readonly #requests = new Requests();
  readonly #memory = new Memory();
  readonly #startedAt = Date.now();
  readonly #ended = new AbortController();
  #commits = 1;
  #landedAt = Date.now();
  #longestPauseMs = 0;

  constructor(private readonly parts: Parts) {}

  async run(): Promise<Found> {
    const { database, soaked, violations, progress } = this.parts;
    const ask = this.#asker(0);
    await ask('createQueue', { concurrency: 4 });
    await Promise.all([this.#people(), this.#trouble(), this.#watch()]);
    const quietFrom = Date.now();
    const say = (what: string) => progress.tell(`${this.#line()} · ${what}`);
    say('running to quiet');
    const stuck = await runToQuiet(ask, this.#ledger);
    const left = await runToRest(soaked.bare, database);
    const quietMs = Date.now() - quietFrom;
    say('looking at every commit');
    const prs = this.#ledger.all.map(({ number }) => number);
    const [receipts, standings] = [await receiptsOf(ask), await standingsOf(ask, prs)];
    const evidence = { ...soaked, ledger: this.#ledger, receipts, standings };
    const memory = this.parts.replicas.map(({ name }) => this.#memory.of(name));
    for (const sentence of stuck) violations.push({ checker: 'ends', sentence });
    for (const sentence of left) violations.push({ checker: 'rest', sentence });
    for (const sentence of this.#requests.unexpected) violations.push({ checker: 'served', sentence });
    for (const { replica, first, last, isFlat } of memory)
      if (isFlat === false)
        violations.push({
          checker: 'memory',
          sentence: `${replica}: from ${first?.toFixed()} to ${last?.toFixed()} MB`,
        });
    violations.push(...(await judge(evidence)));
    await this.#look();
    progress.end();
    return {
      ledger: this.#ledger,
      faults: this.#faults,
      requests: this.#requests,
      receipts,
      standings,
      commits: this.#commits,
      longestPauseMs: this.#longestPauseMs,
      loadMs: quietFrom - this.#startedAt,
      quietMs,
      memory,
      violations,
      folder: violations.length === 0 ? null : this.parts.folder,
    };
  }

  #asker(at: number): Ask {
    return askAny(this.parts.replicas, this.#requests, new Random(this.parts.options.seed + 1_000 + at));
  }

  /** How much of it is over, from 0 to 1. */
  #over(): number {
    const { until } = this.parts.options;
    return until.kind === 'kills'
      ? this.#faults.kills / until.kills
      : (Date.now() - this.#startedAt) / (until.minutes * 60_000);
  }

  /** An error does not end the soak without a check of its state: it is a violation of its own. */
  async #people(): Promise<void> {
    const { options, folder, soaked, violations } = this.parts;
    const people = Array.from(
      { length: PEOPLE },
      (_, at) =>
        new Person({
          name: `p${at + 1}`,
          ask: this.#asker(at + 1),
          soaked,
          ledger: this.#ledger,
          random: new Random(options.seed + at),
          folder: join(folder, `clone-${at + 1}`),
          load: options.load,
          signal: this.#ended.signal,
        }),
    );
    const fails = (error: unknown) =>
      void violations.push({
        checker: 'served',
        sentence: error instanceof Error ? error.message : String(error),
      });
    await Promise.all(people.map((person) => person.work().catch(fails)));
  }

  #trouble(): Promise<void> {
    const { options, replicas, database } = this.parts;
    return makeTrouble({
      replicas,
      database,
      random: new Random(options.seed + 2_000),
      killEverySeconds: options.killEverySeconds,
      counts: this.#faults,
      restartsAfter: () => this.#over() >= RESTART_AT,
      signal: this.#ended.signal,
    });
  }

  /** Shows the progress, samples memory, and ends the soak when its time is over. */
  async #watch(): Promise<void> {
    let sampledAt = Date.now();
    while (this.#over() < 1) {
      await wait(LOOK_EVERY_MS);
      await this.#look();
      this.parts.progress.tell(this.#line());
      if (Date.now() - sampledAt < SAMPLE_EVERY_MS) continue;
      sampledAt = Date.now();
      await this.#memory.sample(this.parts.replicas);
    }
    this.#ended.abort();
  }

  /** Plain git says whether anything lands. */
  async #look(): Promise<void> {
    const commits = Number(await git(this.parts.soaked.bare, 'rev-list', '--count', 'main'));
    if (commits > this.#commits) this.#landedAt = Date.now();
    this.#commits = commits;
    this.#longestPauseMs = Math.max(this.#longestPauseMs, Date.now() - this.#landedAt);
  }

  #line(): string {
    const { kills, stops, cuts, restarts } = this.#faults;
    const minutes = ((Date.now() - this.#startedAt) / 60_000).toFixed(1);
    const share = Math.min(100, Math.floor(this.#over() * 100));
    return [
      `${minutes} min (${share} %)`,
      `${this.#ledger.pulls.size} opened`,
      `${this.#commits - 1} on main`,
      `${kills} kills, ${stops} stops, ${cuts} cuts, ${restarts} restarts`,
      `${this.parts.violations.length} violations`,
    ].join(' · ');
  }
}
