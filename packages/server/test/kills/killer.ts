import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '@mq/random';
import type { HttpProxy, ProxyRequest, RunningGitea } from '@mq/test-gitea';
import type { Replica } from '../soak/replica.js';

const PAUSE_MS = { low: 500, high: 5_000 };
const DOWN_MS = { low: 0, high: 3_000 };
/** How long a strike in a landing may come after the request that it waits for. */
const STRIKE_MS = 150;
/** If no landing comes in time, the kill happens without one. */
const LANDING_LIMIT_MS = 40_000;

/** What is killed: the host, every server of the queue, or all at once. */
const victims = { gitea: 1, mq: 1, both: 1 } as const;
type Victim = keyof typeof victims;

/**
 * When. `mark`: when the queue asks the host to mark a pull request that it has pushed, and the host never receives
 * the request. `in mark`, `in push`: a moment after such a request or a push has begun.
 */
const moments = { 'any time': 3, mark: 3, 'in mark': 2, 'in push': 3 } as const;
type Moment = keyof typeof moments;

export interface Killed {
  readonly gitea: RunningGitea;
  readonly replicas: readonly Replica[];
  /** What lies between the two. */
  readonly way: HttpProxy;
}

export interface Killer {
  /** What was killed, for people: the seconds since the start, the victim and the moment. */
  readonly log: readonly string[];
  /** Resolves when all kills were made, and the host runs again. */
  readonly done: Promise<void>;
  /** Adds a line to the log. */
  note(line: string): void;
}

/** Kills by SIGKILL, this number of times, at moments determined by the seed. Killed processes are started again. */
export const startKiller = ({ gitea, replicas, way }: Killed, random: Random, kills: number): Killer => {
  const begunAt = Date.now();
  const log: string[] = [];
  const note = (line: string): void => {
    log.push(`${((Date.now() - begunAt) / 1000).toFixed(1)} s: ${line}`);
  };

  const killHost = async (downMs: number): Promise<void> => {
    await gitea.stop('SIGKILL');
    await wait(downMs);
    await gitea.restart();
  };

  /** Both die in the same turn of the event loop. Resolves when the host runs again. */
  const strike = (victim: Victim, moment: Moment | 'no landing came', downMs: number): Promise<void> => {
    note(`${victim}, ${moment}`);
    const restarted = victim === 'mq' ? Promise.resolve() : killHost(downMs);
    if (victim !== 'gitea') for (const replica of replicas) replica.kill();
    return restarted;
  };

  /** Resolves to false if no such request came in time. */
  const inLanding = async (moment: Exclude<Moment, 'any time'>, delayMs: number, fire: () => void) => {
    let fired: (isIt: boolean) => void = () => undefined;
    const came = new Promise<boolean>((resolve) => {
      fired = resolve;
    });
    const timer = setTimeout(() => fired(false), LANDING_LIMIT_MS);
    way.instead = (request) => {
      if (!(moment === 'in push' ? isPush : isMark)(request)) return null;
      way.instead = () => null;
      if (moment === 'mark') fire();
      else setTimeout(fire, delayMs);
      setTimeout(() => fired(true), delayMs);
      return moment === 'mark' ? { status: 502 } : null;
    };
    const hasCome = await came;
    clearTimeout(timer);
    way.instead = () => null;
    return hasCome;
  };

  const once = async (): Promise<void> => {
    await wait(random.int(PAUSE_MS.low, PAUSE_MS.high));
    const [victim, moment] = [random.weighted(victims), random.weighted(moments)];
    const [downMs, delayMs] = [random.int(DOWN_MS.low, DOWN_MS.high), random.int(0, STRIKE_MS)];
    if (moment === 'any time') return strike(victim, moment, downMs);
    let restarted = Promise.resolve();
    const fire = (): void => {
      restarted = strike(victim, moment, downMs);
    };
    if (await inLanding(moment, delayMs, fire)) return restarted;
    return strike(victim, 'no landing came', downMs);
  };

  const loop = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill += 1) await once();
  };
  return { log, done: loop(), note };
};

const isMark = ({ method, path }: ProxyRequest): boolean =>
  method === 'POST' && /\/pulls\/\d+\/merge$/.test(path);
const isPush = ({ method, path }: ProxyRequest): boolean =>
  method === 'POST' && path.endsWith('/git-receive-pack');
