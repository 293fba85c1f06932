import type { HostAccount, OpenDraftRequest, TestRunId } from '@mq/core';
import { type Mirror, runOfCandidateBranch } from '@mq/host-git';
import type { GiteaApi } from './api.js';
import { type OpenedPull, openedPullsShape } from './discussion-shapes.js';
import { PAGE_SIZE } from './pulls.js';

/** What makes a pull request a draft at the host. */
const DRAFT_PREFIX = 'WIP: ';
const BRANCHES = 'refs/heads/';
/** Max pages of open pull requests of the queue's account that are searched for drafts. */
const PAGES_LIMIT = 4;
/** Max attempts to open a draft: the host knows a pushed branch a moment later. */
const OPEN_TRIES = 5;
const OPEN_PAUSE_MS = 200;

export interface DraftParts {
  readonly api: GiteaApi;
  /** `/repos/{owner}/{name}` */
  readonly path: string;
  readonly mirror: Mirror;
  readonly ownAccount: () => Promise<HostAccount>;
}

/** Whether it shows a branch on which the queue tests. Only the queue writes those. */
export const isOfCandidate = (pull: OpenedPull): boolean => runOf(pull) !== null;

const runOf = ({ head, base }: OpenedPull): TestRunId | null =>
  head.repo_id === base.repo_id ? runOfCandidateBranch(`${BRANCHES}${head.label}`) : null;

/**
 * Opens a draft for a candidate that is kept. Idempotent. Does nothing if the host refuses it, or never learns of the branch
 * because it was killed when that was pushed.
 */
export const openDraft = async (parts: DraftParts, request: OpenDraftRequest): Promise<void> => {
  const { api, path, mirror } = parts;
  const branch = await keptBranch(mirror, request);
  if (branch === null) return;
  const body = {
    ...{ head: branch, base: request.branch },
    ...{ title: `${DRAFT_PREFIX}${request.title}`, body: request.body },
  };
  // 409: it is open. 422, 423: the host takes none.
  const options = { method: 'POST', body, statuses: [404, 409, 422, 423] } as const;
  for (let tries = 1; tries <= OPEN_TRIES; tries += 1) {
    const { status } = await api.call(`${path}/pulls`, options);
    if (status !== 404) break;
    await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS * tries));
  }
  // The candidate may have been dropped before the host had opened the draft.
  if ((await keptBranch(mirror, request)) === null) await closeDrafts(parts, request.runId);
};

const keptBranch = async (mirror: Mirror, { runId, commit }: OpenDraftRequest): Promise<string | null> => {
  const found = [...(await mirror.branchesOf(runId))].find(([, sha]) => sha === commit);
  return found === undefined ? null : found[0].slice(BRANCHES.length);
};

/** Closes the drafts of a test run. The host does so too when it notices that their branch is gone. Idempotent. */
export const closeDrafts = async (parts: DraftParts, runId: TestRunId): Promise<void> => {
  const { api, path } = parts;
  const { id, name } = await parts.ownAccount();
  for (let page = 1; page <= PAGES_LIMIT; page += 1) {
    const query = `state=open&sort=recentupdate&poster=${encodeURIComponent(name)}&limit=${PAGE_SIZE}&page=${page}`;
    const { items = [], count = 0 } = (await api.get(`${path}/pulls?${query}`, openedPullsShape)) ?? {};
    const drafts = items.filter((pull) => pull.user?.id === id && runOf(pull) === runId);
    for (const { number } of drafts) {
      const options = { method: 'PATCH', body: { state: 'closed' }, statuses: [404, 412] } as const;
      await api.call(`${path}/pulls/${number}`, options);
    }
    if (drafts.length > 0 || count < PAGE_SIZE) return;
  }
};
