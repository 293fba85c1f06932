import {
  COMMENT_CHARS_LIMIT,
  COMMENTS_PER_READ,
  type HostAccount,
  type HostComment,
  HostError,
  type HostStatus,
  type PresenceHost,
  type PullRef,
  type RepoRef,
  type Sha,
  STATUS_CHARS_LIMIT,
} from '@mq/core';
import { z } from 'zod';
import type { GiteaApi } from './api.js';
import { accountShape, commentShape, commentsShape, labelsShape } from './discussion-shapes.js';
import { PAGE_SIZE } from './pulls.js';
import { type GiteaStatus, statusesShape } from './shapes.js';

/** Max pages of statuses of one commit, newest first, that are searched for the queue's status. */
const STATUS_PAGES_LIMIT = 10;
const LABEL_COLOR = '#4a6fa5';

export interface DiscussionParts {
  readonly api: GiteaApi;
  readonly token: () => string | Promise<string>;
  /** `/repos/{owner}/{name}` of a repository that is served; throws for others. */
  readonly pathOf: (repo: RepoRef) => Promise<string>;
}

/** What the queue shows at pull requests, by the API. */
export const giteaPresence = ({ api, token, pathOf }: DiscussionParts): PresenceHost => {
  let cached: { readonly token: string; readonly account: HostAccount } | null = null;

  /** Read once per token, because a replaced token may belong to another account. */
  const ownAccount = async (): Promise<HostAccount> => {
    const used = await token();
    if (cached?.token === used) return cached.account;
    const account = await api.get('/user', accountShape);
    if (account === null) throw new HostError('The host does not name the account of the token.', 'later');
    cached = { token: used, account };
    return account;
  };

  const getComment = async ({ repo, pr }: PullRef, id: string): Promise<HostComment | null> => {
    if (!isId(id)) return null;
    const path = `${await pathOf(repo)}/issues/comments/${id}`;
    const { value } = await api.ask(path, commentShape, { statuses: [404] });
    return value?.pr === pr ? value.comment : null;
  };

  /** Null if it does not exist, or another account wrote it: an account that may write may change those too. */
  const ownComment = async (ref: PullRef, id: string): Promise<HostComment | null> => {
    const found = await getComment(ref, id);
    return found?.author.id === (await ownAccount()).id ? found : null;
  };

  /** Reads something of a pull request, or adds the body to it. */
  const askOf = async <Shape extends z.ZodType>(
    { repo, pr }: PullRef,
    what: 'comments' | 'labels',
    shape: Shape,
    body?: object,
  ): Promise<NonNullable<z.output<Shape>>> => {
    const path = await pathOf(repo);
    const options = body === undefined ? { statuses } : ({ method: 'POST', body, statuses } as const);
    const { status, value } = await api.ask(`${path}/issues/${pr}/${what}`, shape, options);
    return value ?? fail(await faultOf(api, path, pr, status));
  };
  const labelsOf = (ref: PullRef) => askOf(ref, 'labels', labelsShape);
  const addLabels = (ref: PullRef, labels: readonly string[]) =>
    askOf(ref, 'labels', labelsShape, { labels });

  return {
    ownAccount,
    installationOf: ({ host, owner }) => `${host}/${owner.toLowerCase()}`,
    listComments: async (ref, cursor) => {
      // The host answers all of them at once, oldest first.
      const all = await askOf(ref, 'comments', commentsShape);
      const after = cursor === undefined || !isId(cursor) ? 0 : Number(cursor);
      const left = all.map(({ comment }) => comment).filter(({ id }) => Number(id) > after);
      const comments = left.slice(0, COMMENTS_PER_READ);
      return { comments, next: left.length > comments.length ? (comments.at(-1)?.id ?? null) : null };
    },
    getComment,
    createComment: async (ref, body) => {
      refuseLonger('comment', body, COMMENT_CHARS_LIMIT);
      return (await askOf(ref, 'comments', commentShape, { body })).comment;
    },
    editComment: async (ref, id, body) => {
      refuseLonger('comment', body, COMMENT_CHARS_LIMIT);
      const found = await ownComment(ref, id);
      if (found === null || found.body === body) return found;
      const path = `${await pathOf(ref.repo)}/issues/comments/${id}`;
      const options = { method: 'PATCH', body: { body }, statuses: [404] } as const;
      return (await api.ask(path, commentShape, options)).value?.comment ?? null;
    },
    removeComment: async (ref, id) => {
      if ((await ownComment(ref, id)) === null) return;
      const path = `${await pathOf(ref.repo)}/issues/comments/${id}`;
      await api.call(path, { method: 'DELETE', statuses: [404] });
    },
    getStatus: async (repo, commit, name) => {
      const path = await pathOf(repo);
      for (let page = 1; page <= STATUS_PAGES_LIMIT; page += 1) {
        const query = `sort=recentupdate&limit=${PAGE_SIZE}&page=${page}`;
        const some = (await api.get(`${path}/commits/${commit}/statuses?${query}`, statusesShape)) ?? [];
        const of = some.filter(({ context }) => context === name);
        // Statuses of the same second are ordered by their ids.
        const [last] = of.sort((one, other) => other.id - one.id);
        if (last !== undefined) return statusOf(last);
        if (some.length < PAGE_SIZE) break;
      }
      return null;
    },
    setStatus: async (repo, commit, { name, state, description, url }) => {
      refuseLonger('description', description, STATUS_CHARS_LIMIT);
      const path = await pathOf(repo);
      const body = { context: name, state: stateNames[state], description, target_url: url ?? '' };
      const { status } = await api.call(`${path}/statuses/${commit}`, { method: 'POST', body, statuses });
      if (status >= 300) throw await commitFault(api, path, commit, status);
    },
    getLabels: async (ref) => (await labelsOf(ref)).map(({ name }) => name),
    changeLabels: async (ref, { add, remove }) => {
      const shown = await labelsOf(ref);
      const missing = add.filter((label) => shown.every(({ name }) => name !== label));
      const path = await pathOf(ref.repo);
      if (missing.length > 0) {
        // Names that the repository lacks are left out of the answer.
        const added = await addLabels(ref, missing);
        const unknown = missing.filter((label) => added.every(({ name }) => name !== label));
        for (const name of unknown)
          await api.call(`${path}/labels`, { method: 'POST', body: { name, color: LABEL_COLOR } });
        if (unknown.length > 0) await addLabels(ref, unknown);
      }
      for (const { id } of shown.filter(({ name }) => remove.includes(name)))
        await api.call(`${path}/issues/${ref.pr}/labels/${id}`, { method: 'DELETE', statuses: [404, 422] });
    },
  };
};

/** The host answers 500 for a pull request or a commit that does not exist. */
const statuses: readonly number[] = [404, 500];

export const isId = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

const fail = (error: HostError): never => {
  throw error;
};

/** Why the host answered a request about a pull request with this status. */
const faultOf = async (api: GiteaApi, path: string, pr: number, status: number): Promise<HostError> =>
  (await api.get(`${path}/pulls/${pr}`, z.unknown())) === null
    ? new HostError(`There is no pull request #${pr}.`, 'never')
    : new HostError(`The host answered a request about #${pr} with ${status}.`, 'later');

const commitFault = async (api: GiteaApi, path: string, commit: Sha, status: number): Promise<HostError> => {
  const query = 'stat=false&verification=false&files=false';
  return (await api.get(`${path}/git/commits/${commit}?${query}`, z.unknown())) === null
    ? new HostError(`There is no commit ${commit}.`, 'never')
    : new HostError(`The host answered a status of ${commit} with ${status}.`, 'later');
};

/** `warning` is shown as a failure, and does not satisfy a required status. */
const stateNames: Readonly<Record<HostStatus['state'], string>> = {
  ...{ pending: 'pending', success: 'success', failure: 'failure', neutral: 'warning' },
};

const statusOf = ({ context, status, description, target_url: url }: GiteaStatus): HostStatus => ({
  name: context,
  state: status === 'pending' || status === 'success' || status === 'failure' ? status : 'neutral',
  description,
  url: url === '' ? null : url,
});

const refuseLonger = (what: string, text: string, limit: number): void => {
  if (text.length > limit)
    throw new HostError(`A ${what} has at most ${limit} characters; this one has ${text.length}.`, 'never');
};
