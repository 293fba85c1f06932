import {
  type HostCommand,
  type HostRequest,
  isAtLeast,
  type Permission,
  permissions,
} from '../model/host-command.js';
import { priorityClasses } from '../model/priority.js';

/** A person's relation to the pull request and its repository when the command is carried out. */
export interface PersonRights {
  readonly permission: Permission;
  readonly isAuthor: boolean;
  /** True if the person submitted the live attempt. */
  readonly isSubmitter: boolean;
}

/** The weakest permission that allows the request. */
export const neededFor = (request: HostRequest): Permission => {
  switch (request.kind) {
    case 'merge':
      if (request.force) return 'admin';
      return request.priority !== null && request.priority < priorityClasses.medium ? 'maintain' : 'write';
    case 'restart':
    case 'cancel':
      return 'write';
    case 'why':
    case 'malformed':
      return 'read';
  }
};

/** The missing right, as a sentence for the person; null if the request is allowed. Authors and submitters may cancel. */
export const rightLacking = (request: HostRequest, standing: PersonRights): string | null => {
  if (request.kind === 'cancel' && (standing.isAuthor || standing.isSubmitter)) return null;
  const needed = neededFor(request);
  if (isAtLeast(standing.permission, needed)) return null;
  const others = request.kind === 'cancel' ? ', or be its author or the person that submitted it' : '';
  return `You need ${article(needed)} ${needed} role in this repository for it${others}.`;
};

const article = (permission: Permission): string => (permission === 'admin' ? 'an' : 'a');

/** The effective permission. A bot has none unless `allowedBots` names it; then it has at least `write`. */
export const permissionOf = (
  person: HostCommand['person'],
  permission: Permission,
  allowedBots: readonly string[],
): Permission | 'bot_not_allowed' => {
  if (!person.isBot) return permission;
  if (!allowedBots.includes(person.name)) return 'bot_not_allowed';
  return permissions[Math.max(permissions.indexOf(permission), permissions.indexOf('write'))] ?? 'write';
};
