import type { Commanded, Commit, HostAccount, HostRequest, Instant, Permission, RepoRef } from '@mq/core';
import { inputIdOf, isAtLeast, theQueue } from '@mq/core';

/** What a person asked for at the host, as the world knows it. */
export interface GivenCommand {
  readonly key: string;
  readonly pr: number;
  readonly person: HostAccount;
  readonly role: Permission;
  /** Null for what is not a command: text without one, an edited comment, the label of another purpose. */
  readonly request: HostRequest | null;
  readonly writtenAt: Instant;
}

const commandOf = { merge: 'submit', cancel: 'cancel', restart: 'restart_tests', why: null } as const;

/** Checks that each command of a person that the queue applies was given, once, with the right to it. */
export class HostCommandOracle {
  readonly #given = new Map<string, GivenCommand>();
  /** The commands that were applied, in what the store still has. */
  readonly #applied = new Set<string>();

  constructor(private readonly repo: RepoRef) {}

  gave(command: GivenCommand): void {
    this.#given.set(inputIdOf({ repo: this.repo, key: command.key }), command);
  }

  /** The store has lost commits: what was applied may be applied once more. */
  forget(): void {
    this.#applied.clear();
  }

  /** Faults of a commit to a queue that was created at this time, and the commands of people in it. */
  committed(
    commit: Commit,
    createdAt: Instant,
  ): { readonly faults: readonly string[]; readonly count: number } {
    const rows = commit.writes.history.filter(
      (row): row is Commanded => row.type === 'commanded' && row.actor.kind === 'host',
    );
    return { faults: rows.flatMap((row) => this.#faultsOf(row, createdAt)), count: rows.length };
  }

  #faultsOf(row: Commanded, createdAt: Instant): readonly string[] {
    const command = this.#given.get(row.inputId);
    const what = `${row.command} of #${row.pr} by ${row.actor.name}`;
    if (command === undefined) return [`${what} was never given.`];
    const { request, person, role } = command;
    const isRepeated = this.#applied.has(row.inputId);
    this.#applied.add(row.inputId);
    const requested = request === null || request.kind === 'malformed' ? null : request;
    return [
      ...(isRepeated ? [`${what} was applied twice.`] : []),
      ...(requested === null || commandOf[requested.kind] !== row.command
        ? [`${what} was not asked for.`]
        : []),
      ...(command.pr !== row.pr ? [`${what} was given at #${command.pr}.`] : []),
      ...(row.actor.id !== person.id || person.id === theQueue.id
        ? [`${what} was given by ${person.name}.`]
        : []),
      ...(isAllowed(requested, role, person.isBot) ? [] : [`${what} is not allowed with ${role}.`]),
      ...(command.writtenAt < createdAt ? [`${what} is older than the queue.`] : []),
    ];
  }
}

const isAllowed = (request: HostRequest | null, role: Permission, isBot: boolean): boolean => {
  if (isBot) return false;
  if (request?.kind === 'cancel') return true;
  if (request?.kind !== 'merge') return isAtLeast(role, 'write');
  if (request.force) return role === 'admin';
  const isRaised = request.priority !== null && request.priority < 100;
  return isAtLeast(role, isRaised ? 'maintain' : 'write');
};
