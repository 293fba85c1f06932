import { type MergeQueue, type Page, type Queue, type RepoRef, repoKey } from '@mq/core';

/** Requests a read of the checks of every repository with a queue. Checks that ended while no server was running sent no event. */
export const hintAtChecks = async (mq: Pick<MergeQueue, 'listQueues' | 'notice'>): Promise<void> => {
  const repos = new Map<string, RepoRef>();
  let cursor: string | null = null;
  do {
    const page: Page<Queue> = await mq.listQueues(cursor === null ? {} : { cursor });
    for (const { repo } of page.items) repos.set(repoKey(repo), repo);
    cursor = page.next;
  } while (cursor !== null);
  for (const repo of repos.values()) await mq.notice({ repo, what: 'checks' });
};
