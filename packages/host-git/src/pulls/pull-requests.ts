import { pathToFileURL } from 'node:url';
import { HostError, type HostPullRequest, isReadable, type PullRequestAnswer } from '@mq/core';
import { type GitRepository, openRepository } from '../repositories.js';
import { PullReader, type StoredPull } from './read.js';
import {
  editPull,
  knownPull,
  type NewPullRequest,
  openPull,
  type PullRequestEdit,
  PullRequestError,
} from './write.js';

/** Only a queue has a method of its own; people see what a merge comes to. */
const SHOWN_METHOD = 'merge_commit';

/** What people do to the pull requests of one repository; the command `mq-pr` is this and nothing more. */
export interface PullRequests {
  open(wanted: NewPullRequest): Promise<HostPullRequest>;
  edit(number: number, edit: PullRequestEdit): Promise<HostPullRequest>;
  show(number: number): Promise<HostPullRequest>;
  /** In order of their numbers; one that git cannot read says so, and keeps no other from being listed. */
  list(): Promise<readonly PullRequestAnswer[]>;
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
  const answer = (pull: StoredPull) => reader.answer(pull, SHOWN_METHOD);
  const show = async (number: number) => {
    const shown = await answer(await knownPull(reader, number));
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
    list: async () => {
      const shown: PullRequestAnswer[] = [];
      for (const pull of await reader.all()) shown.push(await answer(pull));
      return shown;
    },
  };
};

/** The file that holds it is the only place that a pull request of a bare repository has. */
export const pullUrl = (repo: GitRepository, number: number): string =>
  `${pathToFileURL(repo.path).href}#refs/mq/pulls/${number}`;
