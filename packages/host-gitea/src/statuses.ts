import type { Check, Conclusion, Sha } from '@mq/core';
import type { GiteaApi } from './api.js';
import { PAGE_SIZE } from './pulls.js';
import { type GiteaStatus, statusesShape } from './shapes.js';

/** The source of all checks from commit statuses, because the host does not say which CI set one. */
export const STATUS_SOURCE = 'gitea';
const SUMMARY_LIMIT_CHARS = 300;
/** Max pages of statuses of one commit. Older ones are ignored, so that one commit does not stop the reads of others. */
export const STATUS_PAGES_LIMIT = 40;
/** Added to times of the host, which are whole seconds, to get the latest possible instant. */
const WITHIN_SECOND_MS = 999;

const conclusionOf: Readonly<Record<string, Conclusion>> = {
  success: 'success',
  failure: 'failure',
  error: 'infrastructure',
  warning: 'failure',
  skipped: 'skipped',
};

/** How Gitea Actions names the statuses of workflows that test the commit itself, also for a pull request. */
const ACTIONS_CONTEXT = / \((?:push|pull_request)\)$/;

/**
 * Whether a check of a host with drafts may have run on the merge of a draft with its target: the host does not say
 * for which commit a CI has set a status.
 */
const mayBeOnMerge = ({ name }: Check): boolean => !ACTIONS_CONTEXT.test(name);

/** Reads the newest statuses of a commit. Newest first, because statuses that are set meanwhile then hide none. */
export const readStatuses = async (
  api: Pick<GiteaApi, 'get'>,
  path: string,
  commit: Sha,
): Promise<readonly GiteaStatus[]> => {
  const found = new Map<number, GiteaStatus>();
  for (let page = 1; page <= STATUS_PAGES_LIMIT; page += 1) {
    const query = `sort=highestindex&limit=${PAGE_SIZE}&page=${page}`;
    const some = (await api.get(`${path}/commits/${commit}/statuses?${query}`, statusesShape)) ?? [];
    for (const status of some) found.set(status.id, status);
    if (some.length < PAGE_SIZE) break;
  }
  return [...found.values()];
};

/** The checks of a host where candidates have drafts. */
export const withDrafts = (checks: readonly Check[]): readonly Check[] =>
  checks.map((check) => (mayBeOnMerge(check) ? { ...check, isOnMerge: true } : check));

/**
 * Converts commit statuses into checks. A status is an event: per context, `pending` starts a check and the next other state
 * ends it. An end without a start is a whole check. A check has the id of its first status, so that its id does not change
 * when it ends.
 */
export const checksOf = (statuses: readonly GiteaStatus[]): readonly Check[] => {
  const checks: Check[] = [];
  const open = new Map<string, Check>();
  for (const status of [...statuses].sort((one, other) => one.id - other.id)) {
    const at = status.created_at + WITHIN_SECOND_MS;
    const begun = open.get(status.context);
    const conclusion = status.status === 'pending' ? null : (conclusionOf[status.status] ?? 'unknown');
    const shown = {
      url: status.target_url === '' ? (begun?.url ?? null) : status.target_url,
      summary: summaryOf(status, conclusion),
    };
    if (conclusion === null) {
      if (begun === undefined) open.set(status.context, { ...begin(status, at), ...shown });
      continue;
    }
    open.delete(status.context);
    checks.push({
      ...(begun ?? begin(status, at)),
      ...shown,
      status: 'completed',
      conclusion,
      completedAt: at,
    });
  }
  return [...checks, ...open.values()];
};

const begin = (status: GiteaStatus, at: number): Check => ({
  ...{ id: String(status.id), runId: null, name: status.context, source: STATUS_SOURCE, digest: null },
  ...{ status: 'running', conclusion: null, startedAt: at, completedAt: null, url: null, summary: null },
});

const summaryOf = ({ description }: GiteaStatus, conclusion: Conclusion | null): string | null => {
  const line = description.replace(/\s+/g, ' ').trim().slice(0, SUMMARY_LIMIT_CHARS);
  return line === '' ? conclusion : line;
};
