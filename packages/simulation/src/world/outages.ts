import { type CodeHost, HostError, MergeQueueError, type Store } from '@mq/core';
import type { Random } from '@mq/random';
import type { Weather } from '../weather.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

/** Calls that a full store refuses; it still answers reads. */
const writing: ReadonlySet<string> = new Set([
  'createQueue',
  'commit',
  'push',
  'lease',
  'renew',
  'settle',
  'postpone',
  'due',
]);

/** Calls that change something for a test run; all others are reads or cleanup. */
const doing: ReadonlySet<string> = new Set(['buildCandidate', 'startChecks', 'land']);

type StoreOutage = 'down' | 'full' | null;
type HostOutage = 'down' | 'forbidden' | null;

export interface OutageParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly weather: () => Weather;
  /** Called when the host forbids a call of `doing`. */
  readonly forbade: () => void;
}

/** Periods in which the store or the host refuses calls of all processes. */
export class Outages {
  #store: StoreOutage = null;
  #host: HostOutage = null;

  constructor(private readonly parts: OutageParts) {}

  strike(random: Random): void {
    const { storeDown, storeFull, hostDown, hostForbidden } = this.parts.weather().outages;
    if (random.chance(storeDown)) this.#begin(random, 'store down', () => this.#set('down', this.#host));
    if (random.chance(storeFull)) this.#begin(random, 'store full', () => this.#set('full', this.#host));
    if (random.chance(hostDown)) this.#begin(random, 'host down', () => this.#set(this.#store, 'down'));
    if (random.chance(hostForbidden))
      this.#begin(random, 'host forbids', () => this.#set(this.#store, 'forbidden'));
  }

  #set(store: StoreOutage, host: HostOutage): void {
    [this.#store, this.#host] = [store, host];
  }

  #begin(random: Random, name: string, begin: () => void): void {
    const { timeline, trace } = this.parts;
    trace.tally(`fault: ${name}`);
    trace.say('world', name);
    begin();
    timeline.after(random.int(1_000, 60_000), () => this.end());
  }

  /** For this time the host answers every call with "never". */
  forbid(ms: number): void {
    this.parts.trace.say('world', 'host forbids');
    this.#set(this.#store, 'forbidden');
    this.parts.timeline.after(ms, () => this.end());
  }

  /** Ends all outages. */
  end(): void {
    this.#set(null, null);
  }

  /** Wraps the store so that it refuses calls during outages. */
  ofStore(store: Store): Store {
    return refusing(store, (method) => {
      const isRefused = this.#store === 'down' || (this.#store === 'full' && writing.has(method));
      if (!isRefused) return null;
      this.parts.trace.tally(`refused by a store that is ${this.#store}`);
      return new MergeQueueError('STORE_UNREACHABLE', `The database is ${this.#store}.`);
    });
  }

  /** Wraps the host so that it refuses calls during outages. */
  ofHost(host: Required<CodeHost>): Required<CodeHost> {
    return refusing(host, (method) => {
      if (this.#host === null) return null;
      this.parts.trace.tally(`refused by a host that is ${this.#host}`);
      if (this.#host === 'forbidden' && doing.has(method)) this.parts.forbade();
      return new HostError(`the host is ${this.#host}`, this.#host === 'down' ? 'later' : 'never');
    });
  }
}

/** Wraps a port so that calls for which `problemOf` returns an error reject. Listeners stay registered. */
const refusing = <Side extends object>(side: Side, problemOf: (method: string) => Error | null): Side =>
  new Proxy(side, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method === 'object' && method !== null) return refusing(method, problemOf);
      if (typeof method !== 'function' || String(name).startsWith('on') || name === 'installationOf')
        return method;
      return async (...args: readonly unknown[]) => {
        const problem = problemOf(String(name));
        if (problem !== null) throw problem;
        return Reflect.apply(method, target, args);
      };
    },
  });
