import type { Pace } from '../decide/draft/context.js';
import {
  COMMAND_PREFIX_FAULT,
  COMMAND_PREFIXES_LIMIT,
  defaultCommandPrefixes,
  isCommandPrefix,
} from '../host-commands/grammar.js';
import type { CheckSource } from '../model/external-check.js';
import type { Queue } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import type { CheckStore } from '../ports/check-store.js';
import type { Clock } from '../ports/clock.js';
import type { CodeHost } from '../ports/code-host.js';
import type { HostCommandStore } from '../ports/host-command-store.js';
import type { Logger } from '../ports/logger.js';
import type { PresenceStore } from '../ports/presence-store.js';
import type { Store } from '../ports/store.js';
import type { SummaryStore } from '../ports/summary-store.js';
import type { WriteLimits } from '../presence/budget.js';
import { shownValue } from './issue-message.js';
import type { RepoAlias } from './names.js';

/** What an embedder supplies. Nothing is read, written or started before the first call. */
export interface MergeQueueOptions {
  readonly store: Store;
  /** The code hosts, by the name in `repo.host`. */
  readonly hosts: Readonly<Record<string, CodeHost>>;
  /** Other names of hosts, owners and repositories. Queues are stored under the name that an alias stands for. */
  readonly aliases?: readonly RepoAlias[];
  /** Defaults to the system clock. */
  readonly clock?: Clock;
  /**
   * `console` or a pino logger. Logs state changes at `info`, alarms and failures of host and store at `warn` and
   * `error`. Defaults to no logging.
   */
  readonly logger?: Logger;
  /** Poll intervals of the host, and retries of infrastructure failures. */
  readonly pace?: Partial<Pace>;
  /** Creates a UUID; defaults to random ones. Must be unique across all processes of a store. */
  readonly uuid?: () => string;
  /**
   * How many bytes of impacted targets the queues of one repository hold, by default `TARGET_BYTES_LIMIT`. Beyond it, those of
   * pull requests outside the queues are removed, and then an upload is refused with TARGETS_FULL.
   */
  readonly targetBytesLimit?: number;
  /**
   * Keeps statistics longer than the history; shared by all replicas, and closed by the code that opened it. Without
   * it, statistics go back only as far as the history.
   */
  readonly summaries?: SummaryStore;
  /** Shows at pull requests what the queue does with them, if the code host can. Default: nothing is shown. */
  readonly presence?: PresenceOptions;
  /** Checks whose results are reported from outside. Default: the code hosts decide all checks. */
  readonly externalChecks?: ExternalChecksOptions;
  /** Takes commands from comments and labels, if the code host has them. Default: no commands are taken. */
  readonly commands?: CommandsOptions;
}

export interface CommandsOptions {
  /** Shared by all replicas, like `store`; closed by the code that opened it. */
  readonly store: HostCommandStore;
  /** What a command begins with, by default `defaultCommandPrefixes`: `/mq` and `/trunk`. */
  readonly prefixes?: readonly string[];
  /** How often a code host is asked for comments that no event announced, by default `COMMANDS_POLL_MS`. */
  readonly pollMs?: number;
}

export interface PresenceOptions {
  /** Shared by all replicas, like `store`; closed by the code that opened it. */
  readonly store: PresenceStore;
  /** The page of a pull request for people; null, or left out, for no link. Must not throw. */
  readonly linkOf?: (queue: Queue, pr: number) => string | null;
  /** How many writes one installation of a code host gets; `defaultWriteLimits` by default. */
  readonly limits?: WriteLimits;
}

export interface ExternalChecksOptions {
  /** Shared by all replicas, like `store`; closed by the code that opened it. */
  readonly store: CheckStore;
  /**
   * The checks of a repository, by its canonical name, each name once. They are required on every branch of it, besides those
   * that the rules of the branch name. Asked often; must not throw.
   */
  readonly sources: (repo: RepoRef) => readonly CheckSource[];
  /**
   * The key that signs report tokens: at least 32 unguessable characters, the same for all replicas. Random by default;
   * then a report token is valid only in the process that made it.
   */
  readonly tokenSecret?: string;
}

const TOKEN_SECRET_CHARS_MINIMUM = 32;

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
  ...{
    createQueue: true,
    queues: true,
    queueVersions: true,
    load: true,
    commit: true,
    push: true,
    lease: true,
  },
  ...{
    renew: true,
    settle: true,
    postpone: true,
    due: true,
    nextDueAt: true,
    now: true,
    answers: true,
    submissions: true,
  },
  ...{ run: true, verdicts: true, shedTargets: true, heldTargetBytes: true, history: true, receipts: true },
  ...{ close: true },
};

type OptionalOfHost =
  | ('identify' | 'ignoresCase' | 'startChecks' | 'cancelChecks' | 'hooksNotRun' | 'onEvent')
  | ('openDraft' | 'canForce' | 'presence' | 'commands');

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
  targetBytesLimit: true,
  summaries: true,
  presence: true,
  externalChecks: true,
  commands: true,
};

const presenceStoreMethods: Readonly<Record<keyof PresenceStore, true>> = {
  ...{ now: true, begin: true, advance: true, open: true, find: true, replace: true, budget: true },
  ...{ replaceBudget: true, prune: true, close: true },
};

const summaryStoreMethods: Readonly<Record<keyof SummaryStore, true>> = {
  ...{ put: true, read: true, lastHour: true, prune: true, close: true },
};

const commandStoreMethods: Readonly<Record<keyof HostCommandStore, true>> = {
  ...{ now: true, add: true, replace: true, remove: true, find: true, due: true, count: true },
  ...{ progress: true, saveProgress: true, close: true },
};

const checkStoreMethods: Readonly<Record<keyof CheckStore, true>> = {
  ...{ add: true, replace: true, find: true, ofRun: true, ofCommits: true, open: true, prune: true },
  close: true,
};

/** Validates the options. Throws a TypeError that names what is wrong. */
export const checkedOptions = (given: MergeQueueOptions): MergeQueueOptions => {
  const options = objectOf('options', given);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown !== undefined) throw new TypeError(`createMergeQueue: unknown option ${shownValue(unknown)}.`);
  refuseWithout('store', options.store, storeMethods);
  const hosts = Object.entries(objectOf('hosts', options.hosts));
  for (const [name, host] of hosts) refuseWithout(`hosts.${name}`, host, hostMethods);
  if (options.logger !== undefined) refuseWithout('logger', options.logger, loggerMethods);
  const { targetBytesLimit = 1 } = options;
  if (!Number.isSafeInteger(targetBytesLimit) || targetBytesLimit < 1)
    throw new TypeError('createMergeQueue: targetBytesLimit must be a whole number of at least 1.');
  if (options.presence !== undefined)
    refuseWithout('presence.store', options.presence.store, presenceStoreMethods);
  if (options.summaries !== undefined) refuseWithout('summaries', options.summaries, summaryStoreMethods);
  if (options.externalChecks !== undefined) checkExternal(options.externalChecks);
  if (options.commands !== undefined) checkCommands(options.commands);
  return options;
};

const checkExternal = (given: ExternalChecksOptions): void => {
  const { store, sources, tokenSecret } = objectOf('externalChecks', given);
  refuseWithout('externalChecks.store', store, checkStoreMethods);
  if (typeof sources !== 'function')
    throw new TypeError('createMergeQueue: externalChecks.sources must be a function.');
  if (tokenSecret !== undefined && tokenSecret.length < TOKEN_SECRET_CHARS_MINIMUM)
    throw new TypeError(
      `createMergeQueue: externalChecks.tokenSecret must have at least ${TOKEN_SECRET_CHARS_MINIMUM} characters.`,
    );
};

const checkCommands = (given: CommandsOptions): void => {
  const { store, prefixes = defaultCommandPrefixes, pollMs = 1 } = objectOf('commands', given);
  refuseWithout('commands.store', store, commandStoreMethods);
  if (!Array.isArray(prefixes) || prefixes.length === 0 || prefixes.length > COMMAND_PREFIXES_LIMIT)
    throw new TypeError(
      `createMergeQueue: commands.prefixes must be a list of 1 to ${COMMAND_PREFIXES_LIMIT} texts.`,
    );
  if (!prefixes.every((prefix) => typeof prefix === 'string' && isCommandPrefix(prefix)))
    throw new TypeError(`createMergeQueue: each of commands.prefixes ${COMMAND_PREFIX_FAULT}.`);
  if (!Number.isSafeInteger(pollMs) || pollMs < 1)
    throw new TypeError('createMergeQueue: commands.pollMs must be a whole number of at least 1.');
};

const refuseWithout = (name: string, given: object, methods: Readonly<Record<string, true>>): void => {
  const found = objectOf(name, given);
  const missing = Object.keys(methods).find((method) => typeof Reflect.get(found, method) !== 'function');
  if (missing !== undefined) throw new TypeError(`createMergeQueue: ${name} has no method ${missing}.`);
};

// Callers in JavaScript may pass anything.
const objectOf = <Given extends object>(name: string, given: Given): Given => {
  if (typeof given === 'object' && given !== null) return given;
  const kind = given === undefined ? 'is required' : `must be an object, not ${shownKind(given)}`;
  throw new TypeError(`createMergeQueue: ${name} ${kind}.`);
};

const shownKind = (given: unknown): string => (given === null ? 'null' : `a ${typeof given}`);
