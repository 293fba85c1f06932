import { commandIn } from '../host-commands/grammar.js';
import {
  COMMAND_FRESH_MS,
  COMMAND_LIMITS_SPAN_MS,
  COMMAND_TRIED_MS,
  COMMANDS_PER_PERSON,
  type HostCommand,
  type HostRequest,
} from '../model/host-command.js';
import type { Instant } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import type { QueueSettings } from '../model/settings.js';
import { oneLine } from '../model/text.js';
import { truncate } from '../model/truncate.js';
import type { Clock } from '../ports/clock.js';
import type { CommandHost, LabelEvent, PullRequestComment } from '../ports/command-host.js';
import type { CommandProgress, HostCommandStore } from '../ports/host-command-store.js';
import type { Logger } from '../ports/logger.js';
import { COMMENTS_PER_READ } from '../ports/presence-host.js';
import type { Store } from '../ports/store.js';
import { Countdown } from './countdown.js';
import { type CommandOperations, workOn } from './host-command-work.js';
import { everyQueue, repositoriesOf } from './pages.js';
import { withTimeouts } from './timeout.js';

/** How often a host is asked for comments and labels that no event announced. */
export const COMMANDS_POLL_MS = 30_000;
/** A host may show a comment this much later than it was written. */
const SHOWN_LATE_MS = 120_000;
/** How long one process works on the commands of a repository, at most, before another may. Longer than a call's timeout. */
const TURN_MS = 300_000;
/** Max commands that are carried out in one turn. */
const COMMANDS_PER_TURN = 50;
/** Max pages of comments that are read in one poll. */
const PAGES_PER_POLL = 10;
const REST_AFTER_FAILURE_MS = 10_000;
const NAME_LIMIT_CHARS = 250;

export interface HostCommandsParts {
  readonly store: Store;
  readonly commands: HostCommandStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly prefixes: readonly string[];
  readonly pollMs: number;
  /** Null if the host takes no commands. */
  readonly hostOf: (repo: RepoRef) => CommandHost | null;
  readonly operations: CommandOperations;
  /** Called when there is work, such as a stored command, so that the loop does it at once. */
  readonly wake: () => void;
}

/**
 * Takes commands that people give at code hosts. Comments and labels come by events and by polls; each command is stored
 * before it is carried out, and one replica at a time works on those of a repository.
 */
export class HostCommands {
  readonly #untilNext: Countdown;
  /** Keyed by host, so that one that hangs does not delay the others. */
  readonly #running = new Map<string, Promise<number>>();
  /** Hosts for which a pass requested the next turn while one was running. It starts right after that one. */
  readonly #wanted = new Set<string>();
  /** Keys of repositories whose label events are read in the next turn, however recent the last poll is. */
  readonly #relabelled = new Set<string>();

  constructor(private readonly parts: HostCommandsParts) {
    this.#untilNext = new Countdown(parts.clock);
  }

  /** Stores the command in a comment, if it has one. Resolves once it is durable. */
  async takeComments(repo: RepoRef, comments: readonly PullRequestComment[]): Promise<void> {
    const { prefixes } = this.parts;
    await this.#add(
      comments.flatMap(({ pr, comment }) => {
        if (comment.editedAt !== null) return [];
        const request = commandIn(comment.body, prefixes);
        if (request === null) return [];
        const source = { kind: 'comment', id: comment.id } as const;
        return [{ repo, pr, source, person: comment.author, request, writtenAt: comment.createdAt }];
      }),
    );
  }

  /** Stores a label event as a command, if a queue of the repository submits by this label. */
  async takeLabels(repo: RepoRef, events: readonly LabelEvent[]): Promise<void> {
    const listening = (await this.#settingsOf(repo)).filter((one) => one.labelCommandsEnabled);
    const labels = new Set(listening.map(({ enqueueingLabel }) => enqueueingLabel));
    await this.#add(
      events.flatMap(({ id, pr, label, change, actor, at }) => {
        if (!labels.has(label)) return [];
        const source = { kind: 'label', id, label } as const;
        const request = change === 'added' ? submitting : ({ kind: 'cancel' } as const);
        return [{ repo, pr, source, person: actor, request, writtenAt: at }];
      }),
    );
  }

  /** Reads the label events of a repository in the next pass, if a queue there submits by a label. */
  async noticeLabels(repo: RepoRef): Promise<void> {
    const { hostOf, wake } = this.parts;
    if (hostOf(repo) === null) return;
    if (!(await this.#settingsOf(repo)).some((one) => one.labelCommandsEnabled)) return;
    this.#relabelled.add(repoKey(repo));
    this.nudge();
    wake();
  }

  /** Makes the next pass work on commands, however recent the last one was. */
  nudge(): void {
    this.#untilNext.end();
  }

  /** Asks the hosts and carries out what is due. Resolves with the number of commands that were worked on. */
  async run(): Promise<number> {
    const { logger, pollMs } = this.parts;
    if (!this.#untilNext.isOver) return 0;
    this.#untilNext.start(pollMs);
    try {
      const started = [...(await this.#repositories())].flatMap(([host, repos]) => {
        if (!this.#running.has(host)) return [this.#start(host, repos)];
        this.#wanted.add(host);
        return [];
      });
      return (await Promise.all(started)).reduce((sum, count) => sum + count, 0);
    } catch (error) {
      this.#restart();
      logger.warn({ error }, 'commands from pull requests could not be handled; retrying');
      return 0;
    }
  }

  /** Resolves when everything that was started has ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  #start(name: string, repos: readonly RepoRef[]): Promise<number> {
    const running = this.#turns(repos).finally(() => {
      this.#running.delete(name);
      if (!this.#wanted.delete(name)) return;
      this.nudge();
      this.parts.wake();
    });
    this.#running.set(name, running);
    return running;
  }

  /** The repositories with queues that listen, or with commands that are due, by host. */
  async #repositories(): Promise<ReadonlyMap<string, readonly RepoRef[]>> {
    const { store, commands } = this.parts;
    const isListening = ({ settings }: Queue): boolean =>
      settings.commandsEnabled || settings.labelCommandsEnabled;
    const repos = new Map(await repositoriesOf(store, {}, isListening));
    for (const { repo } of await commands.due({ at: await commands.now(), limit: COMMANDS_PER_TURN }))
      if (!repos.has(repoKey(repo))) repos.set(repoKey(repo), repo);
    const byHost = new Map<string, RepoRef[]>();
    for (const repo of repos.values()) byHost.set(repo.host, [...(byHost.get(repo.host) ?? []), repo]);
    return byHost;
  }

  async #turns(repos: readonly RepoRef[]): Promise<number> {
    const { hostOf, clock } = this.parts;
    let count = 0;
    for (const repo of repos) {
      const host = hostOf(repo);
      if (host === null) await this.#removeUntaken(repo);
      else count += await this.#turn(repo, withTimeouts(clock, host));
    }
    return count;
  }

  /** Removes commands that wait although their host takes none any more; with another configuration it may again. */
  async #removeUntaken(repo: RepoRef): Promise<void> {
    const { commands } = this.parts;
    const now = await commands.now();
    for (const command of await commands.due({ repo, at: now, limit: COMMANDS_PER_TURN }))
      if (now > command.seenAt + COMMAND_TRIED_MS) await commands.remove(command);
  }

  #restart(): void {
    this.#untilNext.start(Math.min(this.#untilNext.leftMs, REST_AFTER_FAILURE_MS));
  }

  /** Works on one repository, if no other process does. Its failure never affects others. */
  async #turn(repo: RepoRef, host: CommandHost): Promise<number> {
    const { commands, logger } = this.parts;
    const turn = await this.#take(repo);
    const isRelabelled = this.#relabelled.has(repoKey(repo));
    if (turn === null) {
      if (isRelabelled) this.#restart();
      return 0;
    }
    this.#relabelled.delete(repoKey(repo));
    let progress = turn;
    try {
      progress = await this.#poll(turn, host, isRelabelled);
    } catch (error) {
      if (isRelabelled) this.#relabelled.add(repoKey(repo));
      this.#restart();
      logger.warn({ error, repo }, 'the comments of a repository could not be read; retrying');
    }
    let count = 0;
    try {
      count = await this.#carryOut(repo, host, turn.leasedUntil);
    } finally {
      await commands.saveProgress({ ...progress, leasedUntil: 0, version: turn.version + 1 });
    }
    return count;
  }

  /** Null if another process has the turn. */
  async #take(repo: RepoRef): Promise<CommandProgress | null> {
    const { commands } = this.parts;
    const now = await commands.now();
    const stored = await commands.progress(repo);
    if (stored !== null && stored.leasedUntil > now) return null;
    const since = now - COMMAND_FRESH_MS;
    const first = { commentsSince: since, labelsSince: since, polledAt: 0, version: 0 };
    // The name may mean another repository than before.
    const turn = { ...(stored ?? first), repo, leasedUntil: now + TURN_MS };
    const taken = { ...turn, version: turn.version + 1 };
    return (await commands.saveProgress(taken)) ? taken : null;
  }

  /** Reads comments and labels if a poll is due, and only labels if they are known to have changed. */
  async #poll(turn: CommandProgress, host: CommandHost, isRelabelled: boolean): Promise<CommandProgress> {
    const { commands, pollMs } = this.parts;
    const { repo } = turn;
    const now = await commands.now();
    const isDue = now >= turn.polledAt + pollMs;
    if (!isDue && !isRelabelled) return turn;
    const settings = await this.#settingsOf(repo);
    let { commentsSince, labelsSince } = turn;
    if (isDue && settings.some(({ commandsEnabled }) => commandsEnabled))
      commentsSince = await readSince(commentsSince, async (since) => {
        const found = await host.commentsSince(repo, since);
        await this.takeComments(repo, found);
        return found.map(({ comment }) => comment.editedAt ?? comment.createdAt);
      });
    if (settings.some(({ labelCommandsEnabled }) => labelCommandsEnabled))
      labelsSince = await readSince(labelsSince, async (since) => {
        const found = await host.labelEventsSince(repo, since);
        await this.takeLabels(repo, found);
        return found.map(({ at }) => at);
      });
    return { ...turn, commentsSince, labelsSince, polledAt: isDue ? now : turn.polledAt };
  }

  async #carryOut(repo: RepoRef, host: CommandHost, until: Instant): Promise<number> {
    const { commands, logger, operations } = this.parts;
    const due = await commands.due({ repo, at: await commands.now(), limit: COMMANDS_PER_TURN });
    let count = 0;
    for (const command of due) {
      // The turn may have lasted long; then it is another process's.
      if ((await commands.now()) >= until - TURN_MS / 2) break;
      try {
        if (isReplaced(command.repo, repo)) await commands.remove(command);
        else if (await workOn({ ...command, repo }, { commands, host, logger, operations })) count += 1;
      } catch (error) {
        this.#restart();
        logger.warn({ error, repo, pr: command.pr }, 'a command could not be carried out; retrying');
      }
    }
    if (due.length === COMMANDS_PER_TURN) this.nudge();
    return count;
  }

  /** The settings of each queue of the repository. */
  async #settingsOf(repo: RepoRef): Promise<readonly QueueSettings[]> {
    const found: QueueSettings[] = [];
    for await (const { settings } of everyQueue(this.parts.store, { repo })) found.push(settings);
    return found;
  }

  /**
   * Stores commands of one repository that are not known, up to the limit of each person. Stores none if the
   * repository has no queue or the host takes no commands, since none would be carried out.
   */
  async #add(found: readonly FoundCommand[]): Promise<void> {
    const { commands, store, wake, hostOf } = this.parts;
    const [first] = found;
    if (first === undefined || hostOf(first.repo) === null) return;
    const repo = (await repositoriesOf(store, { repo: first.repo })).get(repoKey(first.repo));
    if (repo === undefined) return;
    const now = await commands.now();
    for (const one of found) {
      const { source, person } = one;
      const key = `${source.kind} ${source.id}`;
      if ((await commands.find({ repo, key })) !== null) continue;
      const read = { repo, personId: person.id, since: now - COMMAND_LIMITS_SPAN_MS };
      if ((await commands.count(read)) >= COMMANDS_PER_PERSON) continue;
      await commands.add([
        {
          ...{ repo, key, pr: one.pr, source, request: one.request, seenAt: now, dueAt: now },
          person: { ...person, name: truncate(oneLine(person.name), NAME_LIMIT_CHARS) },
          // A host whose clock is ahead has not written in the future.
          writtenAt: Math.min(one.writtenAt, now),
          ...{ state: 'waiting', result: null, isExplained: false, version: 1 },
        },
      ]);
    }
    this.nudge();
    wake();
  }
}

/** Whether a command was given in another repository of the same name. */
const isReplaced = (given: RepoRef, now: RepoRef): boolean =>
  given.id !== undefined && now.id !== undefined && given.id !== now.id;

type FoundCommand = Pick<HostCommand, 'repo' | 'pr' | 'source' | 'person' | 'request' | 'writtenAt'>;

const submitting: HostRequest = { kind: 'merge', head: null, priority: null, noBatch: false, force: false };

/**
 * Reads page by page until one is not full, and returns where the next poll starts: a little before the last item, since
 * hosts may show what was written late. `read` returns when each item of its page changed. All times are the host's.
 */
const readSince = async (
  since: Instant,
  read: (since: Instant) => Promise<readonly Instant[]>,
): Promise<Instant> => {
  let [from, last] = [since, since];
  for (let pages = 0; pages < PAGES_PER_POLL; pages += 1) {
    const changes = await read(from);
    last = Math.max(last, ...changes);
    if (changes.length < COMMENTS_PER_READ) return Math.max(since, last - SHOWN_LATE_MS);
    // More items than a page in one instant: those beyond are not read.
    from = last > from ? last : from + 1;
  }
  return from;
};
