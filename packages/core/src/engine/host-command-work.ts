import { MergeQueueError } from '../errors.js';
import { mayExplain } from '../host-commands/explanations.js';
import { type JudgedPullRequest, type Judgement, judgeCommand } from '../host-commands/judge.js';
import { permissionOf } from '../host-commands/rights.js';
import type { Actor } from '../model/actor.js';
import {
  COMMAND_LIMITS_SPAN_MS,
  COMMAND_TRIED_MS,
  COMMANDS_KEPT_MS,
  type HostCommand,
  type HostCommandResult,
  inputIdOf,
  type Permission,
} from '../model/host-command.js';
import type { Sha } from '../model/ids.js';
import type { PullRequest } from '../model/pull-request.js';
import type { Queue } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import type { Submission } from '../model/submission.js';
import { HostError } from '../ports/code-host.js';
import type { CommandHost } from '../ports/command-host.js';
import type { HostCommandStore } from '../ports/host-command-store.js';
import type { Logger } from '../ports/logger.js';
import { escapeText } from '../presence/escape.js';
import type { QueueAddress } from './queue-directory.js';

const RETRY_MS = 10_000;
const SHOWABLE_NAME = /^[A-Za-z0-9._[\]-]{1,100}$/;

/** A pull request, the queue that it belongs to, and its live submission there. */
export interface CommandedPullRequest {
  readonly pull: PullRequest;
  readonly queue: Queue | null;
  readonly live: Submission | null;
}

/** The same as the requests of `MergeQueue`. */
export interface CommandedRequest {
  readonly repo: RepoRef;
  readonly targetBranch: string;
  readonly pr: number;
  readonly actor: Actor;
  readonly idempotency: { readonly id: string; readonly digest: string };
}

export interface CommandedMerge extends CommandedRequest {
  readonly sha?: Sha;
  readonly priority?: number;
  readonly noBatch?: boolean;
  readonly forceEnqueued?: boolean;
}

/**
 * The operations of the library that commands map to. They throw as those of `MergeQueue` do, and QUEUE_NOT_FOUND if the
 * queue was deleted, also if one was created for its branch since: its rules for commands may differ.
 */
export interface CommandOperations {
  /** Null if the pull request does not exist. `toSubmit`: the queue of its base; else the one in which it is live, if any. */
  find(repo: RepoRef, pr: number, toSubmit: boolean): Promise<CommandedPullRequest | null>;
  submit(request: CommandedMerge, queue: QueueAddress): Promise<unknown>;
  cancel(request: CommandedRequest, queue: QueueAddress): Promise<unknown>;
  restartTests(request: CommandedRequest, queue: QueueAddress): Promise<unknown>;
  /** Why the pull request waits, or how it ended, in sentences. */
  why(request: Pick<CommandedRequest, 'repo' | 'targetBranch' | 'pr'>): Promise<string>;
}

export interface HostCommandWork {
  readonly commands: HostCommandStore;
  readonly host: CommandHost;
  readonly logger: Logger;
  readonly operations: CommandOperations;
}

/**
 * Does the next step of a command: carries it out, answers the person, or removes it. False if another process did. Throws
 * if a step failed; it is done again then, and the queue acts on the command once all the same.
 */
export const workOn = async (command: HostCommand, work: HostCommandWork): Promise<boolean> => {
  switch (command.state) {
    case 'waiting':
      return settle(command, work);
    case 'answering':
      return react(command, work);
    case 'done':
      return cleanUp(command, work);
  }
};

/** A result, and the rights of the person, by which it is explained or not. */
interface Settled {
  readonly result: HostCommandResult;
  readonly permission: Permission;
}

const settle = async (command: HostCommand, work: HostCommandWork): Promise<boolean> => {
  const { commands } = work;
  const settled = await resultOf(command, work).catch((error: unknown) => postpone(command, work, error));
  const { result } = settled;
  if (result.kind === 'ignored') return finish({ ...command, result }, work);
  const isExplained = await isToExplain({ ...command, result }, settled, work);
  const next: HostCommand = {
    ...command,
    ...{ state: 'answering', result, isExplained, dueAt: await commands.now() },
    version: command.version + 1,
  };
  if (!(await commands.replace(next))) return false;
  // Stored first: an explanation may be lost, and is never written twice.
  if (isExplained) await explain(next, work);
  await react(next, work);
  return true;
};

const isToExplain = async (
  command: HostCommand,
  { permission }: Settled,
  { commands }: HostCommandWork,
): Promise<boolean> => {
  const { repo, pr, person } = command;
  const since = (await commands.now()) - COMMAND_LIMITS_SPAN_MS;
  const [toPerson, inRepository] = await Promise.all([
    commands.count({ repo, pr, personId: person.id, isExplained: true }),
    commands.count({ repo, since, isExplained: true }),
  ]);
  return mayExplain(command, permission, { toPerson, inRepository });
};

/**
 * Schedules the next try, unless the repository has been gone for long, since no answer can be written there. Throws
 * the error.
 */
const postpone = async (
  command: HostCommand,
  { commands }: HostCommandWork,
  error: unknown,
): Promise<never> => {
  const now = await commands.now();
  if (isGone(error) && now > command.seenAt + COMMAND_TRIED_MS) await commands.remove(command);
  else await commands.replace({ ...command, dueAt: now + RETRY_MS, version: command.version + 1 });
  throw error;
};

/** Whether the host refuses the repository for good. */
const isGone = (error: unknown): boolean => {
  const said = error instanceof MergeQueueError ? error.cause : error;
  return said instanceof HostError && said.retry === 'never' && said.reach === 'repository';
};

const resultOf = async (command: HostCommand, work: HostCommandWork): Promise<Settled> => {
  const { commands, operations, host } = work;
  const { repo, pr, person } = command;
  const [own, shown] = await Promise.all([host.ownAccount(repo), host.permissionOf(repo, person)]);
  // Only once the host answers again, so that the person can be answered.
  const isOld = (await commands.now()) > command.seenAt + COMMAND_TRIED_MS;
  if (isOld) return { result: givenUp, permission: person.isBot ? 'none' : shown };
  const found = await operations.find(repo, pr, command.request.kind === 'merge');
  if (found === null || found.queue === null)
    return { result: { kind: 'ignored', code: 'NO_QUEUE', sentence: null }, permission: 'none' };
  const { pull, queue, live } = found;
  const origin = await host.originOf({ repo, pr });
  const judged: JudgedPullRequest = {
    queue,
    ownAccountId: own.id,
    permission: shown,
    isAuthor: origin?.author?.id === person.id,
    isSubmitter: live?.submittedBy.kind === 'host' && live.submittedBy.id === person.id,
    isLive: live !== null,
    head: pull.head,
    isFromFork: pull.fork,
    pushedAt: origin?.pushedAt ?? null,
  };
  const effective = permissionOf(person, shown, queue.settings.allowedBotSubmitters);
  const permission = effective === 'bot_not_allowed' ? 'none' : effective;
  const judgement = judgeCommand(command, judged);
  const result =
    judgement.kind === 'end' ? judgement.result : await carryOut(command, judgement, queue, work);
  return { result, permission };
};

const givenUp: HostCommandResult = {
  kind: 'refused',
  code: 'HOST_UNREACHABLE',
  sentence: `The queue tried for ${COMMAND_TRIED_MS / 60_000} min and could not: the code host did not answer. Repeat the command.`,
};

/** Codes of errors that say nothing about the command, which is then retried. */
const passing: ReadonlySet<string> = new Set(['HOST_UNREACHABLE', 'STORE_UNREACHABLE', 'CLOSED']);

const carryOut = async (
  command: HostCommand,
  { request, head }: Extract<Judgement, { kind: 'carry_out' }>,
  queue: Queue,
  { operations }: HostCommandWork,
): Promise<HostCommandResult> => {
  const { repo, branch } = queue;
  const ref = { repo, targetBranch: branch, pr: command.pr, ...askedBy(command) };
  let sentence: string | null = null;
  try {
    switch (request.kind) {
      case 'merge':
        await operations.submit(
          {
            ...ref,
            ...(head === null ? {} : { sha: head }),
            ...(request.priority === null ? {} : { priority: request.priority }),
            ...(request.noBatch ? { noBatch: true } : {}),
            ...(request.force ? { forceEnqueued: true } : {}),
          },
          queue,
        );
        break;
      case 'cancel':
        await operations.cancel(ref, queue);
        break;
      case 'restart':
        await operations.restartTests(ref, queue);
        break;
      case 'why':
        sentence = await operations.why({ repo, targetBranch: branch, pr: command.pr });
    }
  } catch (error) {
    if (!(error instanceof MergeQueueError) || passing.has(error.code)) throw error;
    return { kind: 'refused', code: error.code, sentence: escapeText(error.message) };
  }
  return { kind: 'carried_out', code: 'DONE', sentence: sentence === null ? null : escapeText(sentence) };
};

/** The person is the actor; the id makes the queue act once, however often the command is carried out. */
const askedBy = (command: HostCommand): Pick<CommandedRequest, 'actor' | 'idempotency'> => {
  const { id, name } = command.person;
  const actor: Actor = { kind: 'host', id, name, person: name };
  return { actor, idempotency: { id: inputIdOf(command), digest: command.request.kind } };
};

const explain = async (command: HostCommand, { host, logger }: HostCommandWork): Promise<void> => {
  const { repo, pr } = command;
  try {
    await host.createComment({ repo, pr }, explanationOf(command));
  } catch (error) {
    logger.warn({ error, repo, pr }, 'the explanation of a command could not be written; it is left out');
  }
};

/** Text from people is neutralized in it: the sentence of the queue, and the name of the person. */
export const explanationOf = ({ person, request, result }: HostCommand): string => {
  const name = SHOWABLE_NAME.test(person.name) ? person.name : 'A person';
  const sentence = result?.sentence ?? '';
  if (result?.kind === 'carried_out') return `${name} asked: ${sentence}`;
  return `The command ${request.kind === 'malformed' ? '' : `\`${request.kind}\` `}of ${name} was not carried out. ${sentence}`;
};

/** Shows at the comment how its command ended. */
const react = async (command: HostCommand, work: HostCommandWork): Promise<boolean> => {
  const { commands, host, logger } = work;
  const { repo, pr, source, result } = command;
  try {
    if (source.kind === 'comment')
      await host.react({ repo, pr }, source.id, result?.kind === 'carried_out' ? 'accepted' : 'refused');
  } catch (error) {
    if ((await commands.now()) <= command.seenAt + COMMAND_TRIED_MS) return postpone(command, work, error);
    logger.warn({ error, repo, pr }, 'the reaction to a command could not be shown; it is left out');
  }
  return finish(command, work);
};

const finish = async (command: HostCommand, { commands }: HostCommandWork): Promise<boolean> => {
  const dueAt = (await commands.now()) + COMMANDS_KEPT_MS;
  return commands.replace({ ...command, state: 'done', dueAt, version: command.version + 1 });
};

/**
 * Removes the command once its pull request can no longer be submitted. Until then its comment is recognized, however
 * often it arrives.
 */
const cleanUp = async (command: HostCommand, work: HostCommandWork): Promise<boolean> => {
  const { commands, operations } = work;
  const found = await operations
    .find(command.repo, command.pr, true)
    .catch((error: unknown) => postpone(command, work, error));
  if (found?.pull.state !== 'open') return commands.remove(command);
  return finish(command, work);
};
