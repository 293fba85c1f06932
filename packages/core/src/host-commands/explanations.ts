import {
  EXPLANATIONS_PER_PERSON,
  EXPLANATIONS_PER_REPOSITORY,
  type HostCommand,
  type Permission,
} from '../model/host-command.js';

/** Numbers of explanations already given. */
export interface Explained {
  /** To this person at this pull request, over the retention of its commands. */
  readonly toPerson: number;
  /** In this repository in the last hour. */
  readonly inRepository: number;
}

/**
 * True if the result of a command is explained in a comment, which requires a role in the repository. An answer to `why` is
 * subject to the limit per repository only; refusals also to the limit per person.
 */
export const mayExplain = (
  { request, result }: Pick<HostCommand, 'request' | 'result'>,
  permission: Permission,
  { toPerson, inRepository }: Explained,
): boolean => {
  if (result === null || result.sentence === null || permission === 'none') return false;
  if (inRepository >= EXPLANATIONS_PER_REPOSITORY) return false;
  const isAnswer = request.kind === 'why' && result.kind === 'carried_out';
  return isAnswer || toPerson < EXPLANATIONS_PER_PERSON;
};
