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
      '`mq pr` works on the repository that is the remote of this checkout, and takes no --repo.',
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
      'Run this on the machine that has the bare git repository. For another code host, use its own tool.',
    );
  // A folder whose path names no repository is shown without a name.
  await repo().catch(() => null);
  const { pullRequestsOf } = await import('@mq/host-git');
  return pullRequestsOf(here.remoteFolder);
};

/** Runs the action. A refusal of the host is thrown with its message. */
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
