import type { MergeQueue, RepoRef } from '@mq/core';
import { mayUseRepository, type Principal } from './auth.js';

/**
 * Rejects with UNKNOWN_HOST if one of them is at a host that is not configured and has no queue left. Hosts that the
 * caller may not use are left to other checks, since this answer names the code hosts.
 */
export const requireKnownHosts = async (
  mq: Pick<MergeQueue, 'canonicalRepo' | 'listQueues'>,
  principal: Pick<Principal, 'repositories'>,
  repositories: readonly RepoRef[],
): Promise<void> => {
  const own = repositories.filter((repo) => mayUseRepository(mq, principal, repo));
  const byHost = new Map(own.map((repo) => [mq.canonicalRepo(repo).host, repo]));
  for (const repo of byHost.values()) await mq.listQueues({ repo, take: 1 });
};
