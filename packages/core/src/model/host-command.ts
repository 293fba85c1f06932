import type { Instant } from './ids.js';
import { type RepoRef, repoKey } from './repo.js';
import { sha256 } from './sha256.js';

/** What an account may do in a repository, weakest first. `none`: no role; on a public repository it can still comment. */
export const permissions = ['none', 'read', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof permissions)[number];

export const isAtLeast = (permission: Permission, needed: Permission): boolean =>
  permissions.indexOf(permission) >= permissions.indexOf(needed);

/** What a person asks for at a pull request. `malformed`: it has the prefix and is not a command; `fault` says why. */
export type HostRequest =
  | {
      readonly kind: 'merge';
      /** The head that the person names, at least `NAMED_HEAD_MINIMUM_CHARS` hexadecimal digits of it; null for none. */
      readonly head: string | null;
      /** Null if the person names none. */
      readonly priority: number | null;
      readonly noBatch: boolean;
      readonly force: boolean;
    }
  | { readonly kind: 'cancel' | 'restart' | 'why' }
  | { readonly kind: 'malformed'; readonly fault: string };

export const NAMED_HEAD_MINIMUM_CHARS = 7;

/** How a command ended. `ignored` ones get no answer. */
export interface HostCommandResult {
  readonly kind: 'carried_out' | 'refused' | 'ignored';
  /** A stable word: an error code, or one of `hostCommandCodes`. */
  readonly code: string;
  /** What the person reads; null for none. */
  readonly sentence: string | null;
}

export const hostCommandCodes = [
  'DONE',
  'OWN_ACCOUNT',
  'BOT_NOT_ALLOWED',
  'NO_QUEUE',
  'COMMANDS_OFF',
  'OTHER_LABEL',
  'NOTHING_TO_CANCEL',
  'LACKS_RIGHT',
  'MALFORMED',
  'TOO_LATE',
  'HEAD_UNCERTAIN',
  'HEAD_DIFFERS',
  'HOST_UNREACHABLE',
] as const;

/** A command that a person gave at a code host, by a comment or a label. */
export interface HostCommand {
  readonly repo: RepoRef;
  /** `comment <id>` or `label <id>`: unique in the repository. The same event always has the same key. */
  readonly key: string;
  readonly pr: number;
  readonly source: HostCommandSource;
  readonly person: { readonly id: string; readonly name: string; readonly isBot: boolean };
  readonly request: HostRequest;
  /** By the clock of the host. */
  readonly writtenAt: Instant;
  /** When it was stored, by the clock of the store. */
  readonly seenAt: Instant;
  /** `waiting` to be carried out; `answering` until the person has the answer; then `done`. */
  readonly state: 'waiting' | 'answering' | 'done';
  /** Null while it waits. */
  readonly result: HostCommandResult | null;
  /** True once its explanation was about to be written: it is never written a second time. */
  readonly isExplained: boolean;
  /** When it is next worked on: carried out, answered, or, once done, checked for whether it can be removed. */
  readonly dueAt: Instant;
  /** Starts at 1 and increases by 1 with every change. */
  readonly version: number;
}

export type HostCommandSource =
  | { readonly kind: 'comment'; readonly id: string }
  | { readonly kind: 'label'; readonly id: string; readonly label: string };

/** The id under which the queue knows it: a repeated one gets the first answer. */
export const inputIdOf = ({ repo, key }: Pick<HostCommand, 'repo' | 'key'>): string =>
  `host-command/${sha256(JSON.stringify([...repoKey(repo).split('\n'), key]))}`;

/** An older command is refused when it is first seen. */
export const COMMAND_FRESH_MS = 15 * 60_000;
/** A command of a pull request from a fork that is first seen later has to name the head. */
export const FORK_COMMAND_FRESH_MS = 60_000;
/** A command that cannot be carried out, because the host is out of reach, is given up after this. */
export const COMMAND_TRIED_MS = 60 * 60_000;
/**
 * The least time for which a finished command is kept. After it the command stays until its pull request is closed or
 * merged.
 */
export const COMMANDS_KEPT_MS = 30 * 24 * 3_600_000;
/** Max commands of one person that are read in `COMMAND_LIMITS_SPAN_MS`. */
export const COMMANDS_PER_PERSON = 30;
/** Max explanations that are written in one repository in `COMMAND_LIMITS_SPAN_MS`. */
export const EXPLANATIONS_PER_REPOSITORY = 10;
/** Max explanations of refusals that one person gets at one pull request, as long as its commands are kept. */
export const EXPLANATIONS_PER_PERSON = 1;
export const COMMAND_LIMITS_SPAN_MS = 3_600_000;
