import { pathToFileURL } from 'node:url';
import type { HostPullRequest } from '@mq/core';
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

/** What people do to the pull requests of one repository; the command `mq-pr` is this and nothing more. */
export interface PullRequests {
  open(wanted: NewPullRequest): Promise<HostPullRequest>;
  edit(number: number, edit: PullRequestEdit): Promise<HostPullRequest>;
  show(number: number): Promise<HostPullRequest>;
  /** In order of their numbers. */
  list(): Promise<readonly HostPullRequest[]>;
}

/** Throws a PullRequestError where the path is no bare repository; everything else that a person gets wrong does too. */
export const pullRequestsOf = async (path: string): Promise<PullRequests> => {
  const repo = await openRepository(path);
  if (repo === null)
    throw new PullRequestError(
      'REPOSITORY_UNKNOWN',
      `${path} is no bare git repository: make one by git init --bare, or name another.`,
    );
  const reader = new PullReader(repo, (number) => pullUrl(repo, number));
  const show = async (number: number) => reader.show(await knownPull(reader, number));
  return {
    show,
    open: async (wanted) => show(await openPull(repo, reader, wanted)),
    edit: async (number, edit) => {
      await editPull(repo, reader, number, edit);
      return show(number);
    },
    list: async () => {
      const shown: HostPullRequest[] = [];
      for (const pull of await reader.all()) shown.push(await reader.show(pull));
      return shown;
    },
  };
};

/** The file that holds it is the only place that a pull request of a bare repository has. */
export const pullUrl = (repo: GitRepository, number: number): string =>
  `${pathToFileURL(repo.path).href}#refs/mq/pulls/${number}`;
