import type { HostCommand, HostCommandResult, HostRequest } from '../model/host-command.js';
import type { Instant, Sha } from '../model/ids.js';
import type { QueueSettings } from '../model/settings.js';
import { pinnedHead, type ShownHead } from './head-pin.js';
import { isTooLate } from './lateness.js';
import { type PersonRights, permissionOf, rightLacking } from './rights.js';

/** The queue that the pull request belongs to. */
export interface JudgedQueue {
  readonly branch: string;
  readonly createdAt: Instant;
  readonly settings: Pick<
    QueueSettings,
    'commandsEnabled' | 'labelCommandsEnabled' | 'enqueueingLabel' | 'allowedBotSubmitters'
  >;
}

export interface JudgedPullRequest extends ShownHead, PersonRights {
  /** Null if the pull request belongs to no queue. */
  readonly queue: JudgedQueue | null;
  /** The id of the queue's own account at the host. */
  readonly ownAccountId: string;
  readonly isLive: boolean;
}

/** Whether to carry out a command, or how it ends. */
export type Judgement =
  | {
      readonly kind: 'carry_out';
      readonly request: Exclude<HostRequest, { kind: 'malformed' }>;
      /** The head to be merged; null for requests other than a merge. */
      readonly head: Sha | null;
    }
  | ({ readonly kind: 'end' } & { readonly result: HostCommandResult });

/** Applies the rules in order: account, enabled commands, rights, syntax, age, head. The first violated rule decides. */
export const judgeCommand = (command: HostCommand, seen: JudgedPullRequest): Judgement => {
  const { request, person } = command;
  if (person.id === seen.ownAccountId) return ignored('OWN_ACCOUNT');
  if (seen.queue === null) return ignored('NO_QUEUE');
  const { settings } = seen.queue;
  const unheard = unheardBecause(command, seen, settings);
  if (unheard !== null) return ignored(unheard);
  const permission = permissionOf(person, seen.permission, settings.allowedBotSubmitters);
  if (permission === 'bot_not_allowed') return ignored('BOT_NOT_ALLOWED');
  const lacking = rightLacking(request, { ...seen, permission });
  if (lacking !== null) return refused('LACKS_RIGHT', lacking);
  if (request.kind === 'malformed')
    return refused('MALFORMED', `The command is not valid: ${request.fault}.`);
  if (isTooLate(command, seen.queue.createdAt))
    return refused(
      'TOO_LATE',
      `The command came too late: the queue saw it only now. ${again(command, 'Repeat it')}.`,
    );
  return request.kind === 'merge'
    ? pinned(request, command, seen)
    : { kind: 'carry_out', request, head: null };
};

const unheardBecause = (
  { source, request }: HostCommand,
  { isLive }: JudgedPullRequest,
  settings: JudgedQueue['settings'],
) => {
  if (source.kind === 'comment') return settings.commandsEnabled ? null : 'COMMANDS_OFF';
  if (!settings.labelCommandsEnabled) return 'COMMANDS_OFF';
  if (source.label !== settings.enqueueingLabel) return 'OTHER_LABEL';
  return request.kind === 'cancel' && !isLive ? 'NOTHING_TO_CANCEL' : null;
};

const pinned = (
  request: Extract<HostRequest, { kind: 'merge' }>,
  command: HostCommand,
  seen: JudgedPullRequest,
): Judgement => {
  const found = pinnedHead(request, command, seen);
  const { head } = seen;
  switch (found.kind) {
    case 'pinned':
      return { kind: 'carry_out', request, head: found.head };
    case 'uncertain':
      return refused(
        'HEAD_UNCERTAIN',
        `The pull request was pushed since, or the queue cannot tell: its head is ${head} now. ${again(command, 'Repeat the command, or name the commit')}.`,
      );
    case 'differs':
      return refused(
        'HEAD_DIFFERS',
        `The head of the pull request is ${head}, not ${found.named}. Repeat the command with the commit that you mean.`,
      );
  }
};

const again = ({ source }: HostCommand, forComments: string): string =>
  source.kind === 'comment' ? forComments : 'Remove the label and add it again';

const refused = (code: string, sentence: string): Judgement => ({
  kind: 'end',
  result: { kind: 'refused', code, sentence },
});

const ignored = (code: string): Judgement => ({
  kind: 'end',
  result: { kind: 'ignored', code, sentence: null },
});
