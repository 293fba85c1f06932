import {
  EXPLANATIONS_PER_PERSON,
  EXPLANATIONS_PER_REPOSITORY,
  type HostCommand,
  type Permission,
} from '../model/host-command.js';

/** What was explained already. */
export interface Explained {
  /** To this person at this pull request, as long as its commands are kept. */
  readonly toPerson: number;
  /** In this repository in the last hour. */
  readonly inRepository: number;
}

/**
 * Whether a command gets its explanation as a comment. An answer to `why` is what was asked for, so only the limit of the
 * repository counts; refusals are explained once to a person with a role.
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
