import type { Pace } from '../decide/draft/context.js';
import type { Clock } from '../ports/clock.js';
import type { CodeHost } from '../ports/code-host.js';
import type { Logger } from '../ports/logger.js';
import type { Store } from '../ports/store.js';
import { shownValue } from './fault-words.js';
import type { RepoAlias } from './names.js';

/** What an embedder supplies. Nothing is started by it, and nothing is read or written before the first call. */
export interface MergeQueueOptions {
  readonly store: Store;
  /** The code hosts by the name that `repo.host` bears. */
  readonly hosts: Readonly<Record<string, CodeHost>>;
  /** Other names of hosts, owners and repositories. Queues are kept under the name that an alias stands for. */
  readonly aliases?: readonly RepoAlias[];
  /** The system's clock where left out. */
  readonly clock?: Clock;
  /** `console` or a pino logger: new states at `info`, alarms and faults of host and store at `warn` and `error`. None logs nothing. */
  readonly logger?: Logger;
  /** How often the host is asked, and how failures of the machinery are retried. */
  readonly pace?: Partial<Pace>;
  /** Draws a UUID; the system's randomness where left out. Two processes on one store must not draw the same. */
  readonly uuid?: () => string;
}

export const systemClock = {
  now: () => Date.now(),
  wait: (until, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, until - Date.now()));
      signal.addEventListener('abort', end);
    }),
} satisfies Clock;

const storeMethods: Readonly<Record<keyof Omit<Store, 'onWake'>, true>> = {
  ...{ createQueue: true, queues: true, load: true, commit: true, push: true, lease: true, renew: true },
  ...{
    settle: true,
    postpone: true,
    due: true,
    nextDueAt: true,
    now: true,
    answers: true,
    submissions: true,
  },
  ...{ run: true, verdicts: true, history: true, receipts: true, close: true },
};

type OptionalOfHost = 'startChecks' | 'cancelChecks' | 'hooksNotRun' | 'onEvent';

const hostMethods: Readonly<Record<keyof Omit<CodeHost, OptionalOfHost>, true>> = {
  ...{ hasRepository: true, getBranch: true, contains: true, getPullRequests: true, findPullRequest: true },
  ...{ buildCandidate: true, getChecks: true, land: true, dropCandidate: true, listCandidates: true },
};

const loggerMethods: Readonly<Record<keyof Logger, true>> = {
  debug: true,
  info: true,
  warn: true,
  error: true,
};

const optionNames: Readonly<Record<keyof MergeQueueOptions, true>> = {
  store: true,
  hosts: true,
  aliases: true,
  clock: true,
  logger: true,
  pace: true,
  uuid: true,
};

/** What was given, where it can be used. Throws a TypeError that names what is not as it has to be. */
export const checkedOptions = (given: MergeQueueOptions): MergeQueueOptions => {
  const options = objectOf('options', given);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown !== undefined)
    throw new TypeError(`createMergeQueue: there is no option ${shownValue(unknown)}.`);
  refuseWithout('store', options.store, storeMethods);
  const hosts = Object.entries(objectOf('hosts', options.hosts));
  for (const [name, host] of hosts) refuseWithout(`hosts.${name}`, host, hostMethods);
  if (options.logger !== undefined) refuseWithout('logger', options.logger, loggerMethods);
  return options;
};

const refuseWithout = (name: string, given: object, methods: Readonly<Record<string, true>>): void => {
  const found = objectOf(name, given);
  const missing = Object.keys(methods).find((method) => typeof Reflect.get(found, method) !== 'function');
  if (missing !== undefined) throw new TypeError(`createMergeQueue: ${name} has no method ${missing}.`);
};

/** JavaScript may give anything, whatever the types say. */
const objectOf = <Given extends object>(name: string, given: Given): Given => {
  if (typeof given === 'object' && given !== null) return given;
  const kind = given === undefined ? 'is required' : `must be an object, not ${shownKind(given)}`;
  throw new TypeError(`createMergeQueue: ${name} ${kind}.`);
};

const shownKind = (given: unknown): string => (given === null ? 'null' : `a ${typeof given}`);
