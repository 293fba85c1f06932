import { COMMENT_CHARS_LIMIT, type CommandHost, HostError, type RepoRef } from '@mq/core';
import type { FakeRepository } from './fake-repository.js';

type Perform = <Answer>(method: keyof CommandHost, args: unknown, effect: () => Answer) => Promise<Answer>;

/** `CommandHost` on plain data. */
export const fakeCommands = (perform: Perform, of: (ref: RepoRef) => FakeRepository): CommandHost => ({
  ownAccount: (repo) => perform('ownAccount', { repo }, () => of(repo).discussion.account),
  createComment: (ref, body) =>
    perform('createComment', { ref, body }, () => {
      if (body.length > COMMENT_CHARS_LIMIT) throw new HostError('The comment is too long.', 'never');
      const { discussion } = of(ref.repo);
      discussion.of(ref.pr);
      return discussion.comment(ref.pr, body, discussion.account);
    }),
  commentsSince: (repo, since) =>
    perform('commentsSince', { repo, since }, () => {
      const { timeline, discussion } = of(repo);
      return timeline.commentsSince(discussion, since);
    }),
  labelEventsSince: (repo, since) =>
    perform('labelEventsSince', { repo, since }, () => of(repo).timeline.labelEventsSince(since)),
  permissionOf: (repo, account) =>
    perform('permissionOf', { repo, account }, () => of(repo).timeline.roleOf(account)),
  originOf: (ref) =>
    perform('originOf', { ref }, () => {
      const { timeline, pulls } = of(ref.repo);
      if (!pulls.has(ref.pr)) return null;
      const pushedAt = timeline.showsPushes ? (timeline.pushes.get(ref.pr) ?? null) : null;
      return { author: timeline.authors.get(ref.pr) ?? null, pushedAt };
    }),
  react: (ref, commentId, reaction) =>
    perform('react', { ref, commentId, reaction }, () => {
      const { discussion, timeline, pulls } = of(ref.repo);
      if (!pulls.has(ref.pr) || discussion.find(ref.pr, commentId) === null) return;
      timeline.react({ pr: ref.pr, commentId, reaction });
    }),
});
