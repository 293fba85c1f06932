import {
  type CommandProgress,
  HOST_COMMANDS_PER_CALL,
  type HostCommand,
  type HostCommandCount,
  type HostCommandRef,
  type HostCommandStore,
  MergeQueueError,
  repoKey,
} from '@mq/core';
import { frozen } from './frozen.js';

export interface MemoryHostCommandStoreOptions {
  /** Defaults to the system clock. */
  readonly clock?: { now(): number };
}

const keyOf = ({ repo, key }: HostCommandRef): string => `${repoKey(repo)}\n${key}`;

/** Keeps commands of people in this process: nothing outlives it. */
export const memoryHostCommandStore = (options: MemoryHostCommandStoreOptions = {}): HostCommandStore => {
  const { clock = { now: () => Date.now() } } = options;
  const commands = new Map<string, HostCommand>();
  const progress = new Map<string, CommandProgress>();
  let isClosed = false;
  const refuseWhenClosed = (): void => {
    if (isClosed) throw new MergeQueueError('CLOSED', 'The store is closed.');
  };
  return {
    now: async () => {
      refuseWhenClosed();
      return clock.now();
    },
    add: async (added) => {
      refuseWhenClosed();
      if (added.length > HOST_COMMANDS_PER_CALL)
        throw new RangeError(`At most ${HOST_COMMANDS_PER_CALL} commands are added in one call.`);
      for (const one of added) if (!commands.has(keyOf(one))) commands.set(keyOf(one), frozen(one));
    },
    replace: async (command) => {
      refuseWhenClosed();
      if (commands.get(keyOf(command))?.version !== command.version - 1) return false;
      commands.set(keyOf(command), frozen(command));
      return true;
    },
    remove: async (command) => {
      refuseWhenClosed();
      return commands.get(keyOf(command))?.version === command.version && commands.delete(keyOf(command));
    },
    find: async (ref) => {
      refuseWhenClosed();
      return commands.get(keyOf(ref)) ?? null;
    },
    due: async ({ repo, at, limit }) => {
      refuseWhenClosed();
      const asked = repo === undefined ? null : repoKey(repo);
      return [...commands.values()]
        .filter((one) => one.dueAt <= at && (asked === null || repoKey(one.repo) === asked))
        .sort((one, other) => one.dueAt - other.dueAt || compare(one.key, other.key))
        .slice(0, limit);
    },
    count: async (where) => {
      refuseWhenClosed();
      return [...commands.values()].filter((one) => isCounted(one, where)).length;
    },
    progress: async (repo) => {
      refuseWhenClosed();
      return progress.get(repoKey(repo)) ?? null;
    },
    saveProgress: async (saved) => {
      refuseWhenClosed();
      if ((progress.get(repoKey(saved.repo))?.version ?? 0) !== saved.version - 1) return false;
      progress.set(repoKey(saved.repo), frozen(saved));
      return true;
    },
    close: async () => {
      isClosed = true;
    },
  };
};

const isCounted = (
  command: HostCommand,
  { repo, personId, pr, since, isExplained }: HostCommandCount,
): boolean =>
  repoKey(command.repo) === repoKey(repo) &&
  (personId === undefined || command.person.id === personId) &&
  (pr === undefined || command.pr === pr) &&
  (since === undefined || command.seenAt >= since) &&
  (isExplained === undefined || command.isExplained === isExplained);

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
