import {
  COMMENT_CHARS_LIMIT,
  HostError,
  type PresenceHost,
  type PullRef,
  type RepoRef,
  STATUS_CHARS_LIMIT,
} from '@mq/core';
import type { FakeRepository } from './fake-repository.js';

type Perform = <Answer>(
  method: Exclude<keyof PresenceHost, 'installationOf'>,
  args: unknown,
  effect: () => Answer,
) => Promise<Answer>;

/** `PresenceHost` on plain data. All repositories of one owner are one installation. */
export const fakePresence = (perform: Perform, of: (ref: RepoRef) => FakeRepository): PresenceHost => ({
  installationOf: ({ host, owner }) => `${host}/${owner}`,
  ownAccount: (repo) => perform('ownAccount', { repo }, () => of(repo).discussion.account),
  listComments: (ref, cursor) =>
    perform('listComments', { ref, cursor }, () => of(ref.repo).discussion.page(ref.pr, cursor)),
  getComment: (ref, id) => perform('getComment', { ref, id }, () => of(ref.repo).discussion.find(ref.pr, id)),
  createComment: (ref, body) =>
    perform('createComment', { ref, body }, () => {
      refuseLonger('comment', body, COMMENT_CHARS_LIMIT);
      const { discussion } = of(ref.repo);
      discussion.of(ref.pr);
      return discussion.comment(ref.pr, body, discussion.account);
    }),
  editComment: (ref, id, body) =>
    perform('editComment', { ref, id, body }, () => {
      refuseLonger('comment', body, COMMENT_CHARS_LIMIT);
      return of(ref.repo).discussion.editOwn(ref.pr, id, body);
    }),
  removeComment: (ref, id) =>
    perform('removeComment', { ref, id }, () => of(ref.repo).discussion.removeOwn(ref.pr, id)),
  getStatus: (repo, commit, name) =>
    perform('getStatus', { repo, commit, name }, () => of(repo).discussion.statusOf(commit, name)),
  setStatus: (repo, commit, status) =>
    perform('setStatus', { repo, commit, status }, () => {
      refuseLonger('description', status.description, STATUS_CHARS_LIMIT);
      const { git, discussion } = of(repo);
      if (!git.has(commit)) throw new HostError(`There is no commit ${commit}.`, 'never');
      discussion.setStatus(commit, status);
    }),
  getLabels: (ref) => perform('getLabels', { ref }, () => labelsOf(of(ref.repo), ref)),
  changeLabels: (ref, { add, remove }) =>
    perform('changeLabels', { ref, add, remove }, () => {
      const repository = of(ref.repo);
      const kept = labelsOf(repository, ref).filter((label) => !remove.includes(label));
      repository.discussion.labelsChanged(ref.pr);
      repository.edit(ref.pr, { labels: [...new Set([...kept, ...add])] }, repository.discussion.account);
    }),
});

const labelsOf = (repository: FakeRepository, { pr }: PullRef): readonly string[] => {
  const pull = repository.pulls.get(pr);
  if (pull === undefined) throw new HostError(`There is no pull request #${pr}.`, 'never');
  return pull.labels;
};

const refuseLonger = (what: string, text: string, limit: number): void => {
  if (text.length > limit)
    throw new HostError(`A ${what} has at most ${limit} characters; this one has ${text.length}.`, 'never');
};
