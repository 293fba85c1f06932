import type { MergeQueue, RepoRef } from '@mq/core';

/** Rejects with UNKNOWN_HOST if one of them is at a host that is not configured, and that no queue is left of. */
export const requireKnownHosts = async (
  mq: Pick<MergeQueue, 'canonicalRepo' | 'listQueues'>,
  repositories: readonly RepoRef[],
): Promise<void> => {
  const byHost = new Map(repositories.map((repo) => [mq.canonicalRepo(repo).host, repo]));
  for (const repo of byHost.values()) await mq.listQueues({ repo, take: 1 });
};
