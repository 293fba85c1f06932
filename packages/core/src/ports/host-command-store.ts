import type { HostCommand } from '../model/host-command.js';
import type { Instant } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';

export type HostCommandRef = Pick<HostCommand, 'repo' | 'key'>;

/** Conditions are combined by "and". */
export interface HostCommandCount {
  readonly repo: RepoRef;
  readonly personId?: string;
  readonly pr?: number;
  /** Only those seen at this instant or later. */
  readonly since?: Instant;
  /** True: only those that were explained. */
  readonly isExplained?: boolean;
}

/** How far the commands of a repository have been read, and which process works on them. */
export interface CommandProgress {
  readonly repo: RepoRef;
  /** The next read starts here, by the clock of the host. */
  readonly commentsSince: Instant;
  readonly labelsSince: Instant;
  /** When the host was last asked. */
  readonly polledAt: Instant;
  /** Other processes leave the commands of this repository alone until then. */
  readonly leasedUntil: Instant;
  /** Starts at 1 and increases by 1 with every change. */
  readonly version: number;
}

/**
 * Stores commands that people gave at code hosts, for all replicas. Every method is atomic, safe for concurrent use, and
 * durable once it resolves. An exception means that the outcome is unknown.
 */
export interface HostCommandStore {
  /** The time of the store, the same for all processes. */
  now(): Promise<Instant>;
  /** Adds commands in one write, at most `HOST_COMMANDS_PER_CALL`. Those whose key exists in the repository are not changed. */
  add(commands: readonly HostCommand[]): Promise<void>;
  /** Replaces a command if the stored version is lower by exactly 1. Otherwise changes nothing and answers false. */
  replace(command: HostCommand): Promise<boolean>;
  /** Removes a command if the stored version is this one. Otherwise changes nothing and answers false. */
  remove(command: HostCommand): Promise<boolean>;
  /** Reads one command; null if there is none. */
  find(ref: HostCommandRef): Promise<HostCommand | null>;
  /** Lists commands that are due, of one repository or of all, by (`dueAt`, `key`). At most `limit`. */
  due(where: {
    readonly repo?: RepoRef;
    readonly at: Instant;
    readonly limit: number;
  }): Promise<readonly HostCommand[]>;
  /** Counts the commands that meet all conditions. */
  count(where: HostCommandCount): Promise<number>;
  /** Reads the progress of a repository; null if none was stored. */
  progress(repo: RepoRef): Promise<CommandProgress | null>;
  /**
   * Stores the progress of a repository if the stored version is lower by exactly 1; an absent one has version 0. Otherwise
   * changes nothing and answers false.
   */
  saveProgress(progress: CommandProgress): Promise<boolean>;
  /** Closes the store. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export const HOST_COMMANDS_PER_CALL = 1_000;
