import {
  COMMENTS_PER_READ,
  type CommandHost,
  type HostAccount,
  type Instant,
  type Permission,
  type PresenceHost,
  type PullRequestComment,
  type Reaction,
} from '@mq/core';
import type { z } from 'zod';
import type { GiteaApi } from './api.js';
import {
  commentPageShape,
  foundAccountsShape,
  originShape,
  permissionShape,
  pushedShape,
  timelineShape,
} from './discussion-shapes.js';
import { LabelEvents } from './label-events.js';
import { type DiscussionParts, isId } from './presence.js';
import { PAGE_SIZE } from './pulls.js';

/** Pages of comments that one read takes. */
const COMMENT_PAGES_LIMIT = 20;

/** What people ask for at pull requests, by the API. */
export const giteaCommands = (
  { api, pathOf }: Omit<DiscussionParts, 'token'>,
  { ownAccount, createComment }: Pick<PresenceHost, 'ownAccount' | 'createComment'>,
): CommandHost => {
  const labels = new LabelEvents(api, Date.now, ownAccount);
  return {
    ownAccount,
    createComment,
    commentsSince: async (repo, since) => commentsSince(api, await pathOf(repo), fromEpoch(since)),
    labelEventsSince: async (repo, since) => labels.since(repo, await pathOf(repo), fromEpoch(since)),
    permissionOf: async (repo, account) => permissionOf(api, await pathOf(repo), account),
    originOf: async ({ repo, pr }) => {
      const path = await pathOf(repo);
      const found = await api.get(`${path}/pulls/${pr}`, originShape);
      if (found === null) return null;
      const author = found.user == null || Number(found.user.id) < 1 ? null : found.user;
      return { author, pushedAt: await pushedAt(api, `${path}/issues/${pr}/timeline`, found) };
    },
    react: async ({ repo }, commentId, reaction) => {
      if (!isId(commentId)) return;
      const path = `${await pathOf(repo)}/issues/comments/${commentId}/reactions`;
      // 403: the host lacks this reaction, or the person blocks the account. Then there is none.
      const statuses = [403, 404];
      await api.call(path, { method: 'POST', body: { content: reactionNames[reaction] }, statuses });
    },
  };
};

const reactionNames: Readonly<Record<Reaction, string>> = { accepted: '+1', refused: '-1' };

/** The host takes no time before 1970. */
const fromEpoch = (since: Instant): Instant => Math.max(since, 0);

/**
 * The host lists comments by their creation, and the port by their last change. Comments after the last page were
 * created, and so changed, no earlier than the last comment on it. So the read is complete up to that moment.
 */
const commentsSince = async (
  api: GiteaApi,
  path: string,
  since: Instant,
): Promise<readonly PullRequestComment[]> => {
  const all: PullRequestComment[] = [];
  const start = encodeURIComponent(new Date(since).toISOString());
  let until = Number.POSITIVE_INFINITY;
  const complete = () => all.filter(({ comment }) => changedAt(comment) <= until);
  for (let page = 1; page <= COMMENT_PAGES_LIMIT; page += 1) {
    const query = `since=${start}&limit=${PAGE_SIZE}&page=${page}`;
    const { value } = await api.ask(`${path}/issues/comments?${query}`, commentPageShape, {});
    const { items = [], count = 0 } = value ?? {};
    // Comments of issues have no pull request.
    all.push(...items.flatMap(({ pr, comment }) => (pr === null ? [] : [{ pr, comment }])));
    const isLast = count < PAGE_SIZE;
    until = isLast ? Number.POSITIVE_INFINITY : (items.at(-1)?.comment.createdAt ?? since);
    if (isLast || complete().length >= COMMENTS_PER_READ) break;
  }
  return complete()
    .filter(({ comment }) => changedAt(comment) >= since)
    .sort(
      (one, other) =>
        changedAt(one.comment) - changedAt(other.comment) ||
        Number(one.comment.id) - Number(other.comment.id),
    )
    .slice(0, COMMENTS_PER_READ);
};

const changedAt = ({ editedAt, createdAt }: PullRequestComment['comment']): Instant => editedAt ?? createdAt;

const roles: Readonly<Record<string, Permission>> = {
  ...{ read: 'read', write: 'write', admin: 'admin', owner: 'admin' },
};

/**
 * The host knows accounts by their names, which others may have taken since: only an answer about the same id counts,
 * and a renamed account is searched by its id.
 */
const permissionOf = async (api: GiteaApi, path: string, account: HostAccount): Promise<Permission> => {
  if (!isId(account.id)) return 'none';
  const role = await roleOf(api, path, account);
  if (role !== null) return role;
  const found = await api.get(`/users/search?uid=${account.id}&limit=1`, foundAccountsShape);
  const now = found?.data.find(({ id }) => id === account.id);
  return now === undefined ? 'none' : ((await roleOf(api, path, now)) ?? 'none');
};

/** Null if the name is not that of the account. */
const roleOf = async (api: GiteaApi, path: string, { id, name }: HostAccount): Promise<Permission | null> => {
  const place = `${path}/collaborators/${encodeURIComponent(name)}`;
  const { status, value } = await api.ask(`${place}/permission`, permissionShape, { statuses: [403, 404] });
  // An account that does not administer the repository gets no answer about others, however often it asks.
  if (status === 403) return 'none';
  if (value === null || value.user.id !== id) return null;
  const role = roles[value.permission] ?? 'none';
  if (role !== 'read') return role;
  // On a public repository every account may read. Of those with a role, those of teams cannot be distinguished.
  return (await api.call(place, { statuses: [404, 422] })).status === 204 ? 'read' : 'none';
};

/**
 * When the head was pushed, from the timeline; the time of the pull request if the timeline has no push. Null if the
 * last push of the timeline is another one: the host notes pushes a moment later.
 */
const pushedAt = async (
  api: GiteaApi,
  timeline: string,
  { head, created_at: openedAt }: z.output<typeof originShape>,
): Promise<Instant | null> => {
  const { value } = await api.ask(timeline, timelineShape, { statuses: [404, 500] });
  if (value === null) return null;
  const last = value.filter(({ type }) => type === 'pull_push').at(-1);
  if (last === undefined) return openedAt;
  return commitsIn(last.body).includes(head.sha) ? last.created_at : null;
};

const commitsIn = (body: string): readonly string[] => {
  try {
    return pushedShape.parse(JSON.parse(body)).commit_ids;
  } catch {
    return [];
  }
};
