import type { PullRequests } from '@mq/host-git';
import type { Asked } from '../../command.js';
import type { GlobalOptions } from '../../command-context.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';

export type Pull = Awaited<ReturnType<PullRequests['open']>>;

export type Unreadable = { readonly number: number; readonly fault: { readonly message: string } };
export const isReadable = (one: Pull | Unreadable): one is Pull => !('fault' in one);

export const pullSchema = {
  type: 'object',
  required: ['number', 'title', 'state', 'base', 'head', 'author', 'draft'],
  properties: { number: { type: 'integer' }, title: { type: 'string' }, state: { type: 'string' } },
} as const;

/** The pull requests of the bare repository that the remote of the checkout is. Its name is shown in the answer. */
export const pullsOfHere = async ({ checkout, repo, options }: Asked<unknown>): Promise<PullRequests> => {
  if ((options as GlobalOptions).repo !== undefined)
    throw new CliError(
      'REPOSITORY_WRONG',
      '`mq pr` works in the repository that the remote of this checkout is, and takes no --repo.',
      exitCodes.wrongUse,
      'Change to a checkout of the other repository.',
    );
  const here = await checkout();
  if (here?.remoteFolder == null)
    throw new CliError(
      'NO_BARE_REPOSITORY',
      here === null
        ? 'This folder is not a git checkout.'
        : 'The remote of this checkout is not a folder on this machine.',
      exitCodes.wrongUse,
      'Open pull requests of a bare git repository on the machine that has it, and those of another code host with its own tool.',
    );
  // A folder that has no name of a repository is shown without one.
  await repo().catch(() => null);
  const { pullRequestsOf } = await import('@mq/host-git');
  return pullRequestsOf(here.remoteFolder);
};

/** Carries it out, with the words of the host for what it refuses. */
export const refusedAs = async <Value>(act: () => Promise<Value>): Promise<Value> => {
  try {
    return await act();
  } catch (error) {
    const { PullRequestError } = await import('@mq/host-git');
    if (!(error instanceof PullRequestError)) throw error;
    throw new CliError(error.code, error.message, exitCodes.failed, null, { cause: error });
  }
};

export const pullText = ({ number, title, headBranch, base, state, draft, author }: Pull): string =>
  `#${number} ${title} (${headBranch ?? 'branch gone'} → ${base}, ${state}${draft ? ', draft' : ''}, by ${author})`;
