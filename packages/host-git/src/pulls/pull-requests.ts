import { pathToFileURL } from 'node:url';
import { HostError, type HostPullRequest, isReadable, type PullRequestAnswer } from '@mq/core';
import { type GitRepository, openRepository } from '../repositories.js';
import { PullReader } from './read.js';
import {
  editPull,
  knownPull,
  type NewPullRequest,
  openPull,
  type PullRequestEdit,
  PullRequestError,
} from './write.js';

/** People see the mergeability by merge, because only a queue has a method. */
const SHOWN_METHOD = 'merge_commit';

/** The pull requests of one repository as people edit them. The command `mq-pr` is a thin wrapper. */
export interface PullRequests {
  open(wanted: NewPullRequest): Promise<HostPullRequest>;
  edit(number: number, edit: PullRequestEdit): Promise<HostPullRequest>;
  show(number: number): Promise<HostPullRequest>;
  /** Ordered by number. One that git cannot read is listed with its fault. */
  list(): Promise<readonly PullRequestAnswer[]>;
}

/** Throws a PullRequestError if the path is not a bare repository, and for any other mistake of the user. */
export const pullRequestsOf = async (path: string): Promise<PullRequests> => {
  const repo = await openRepository(path);
  if (repo === null)
    throw new PullRequestError(
      'REPOSITORY_UNKNOWN',
      `${path} is not a bare git repository: create one with git init --bare, or give another path.`,
    );
  const reader = new PullReader(repo, (number) => pullUrl(repo, number));
  const show = async (number: number) => {
    const shown = await reader.answer(await knownPull(reader, number), SHOWN_METHOD);
    if (isReadable(shown)) return shown;
    throw new HostError(`#${number} cannot be read: ${shown.fault.message}`, 'later');
  };
  return {
    show,
    open: async (wanted) => show(await openPull(repo, reader, wanted)),
    edit: async (number, edit) => {
      await editPull(repo, reader, number, edit);
      return show(number);
    },
    list: async () => reader.answers(await reader.all(), SHOWN_METHOD),
  };
};

/** A pull request of a bare repository has no page, so the link is the path of the repository. */
export const pullUrl = (repo: GitRepository, number: number): string =>
  `${pathToFileURL(repo.path).href}#refs/mq/pulls/${number}`;
