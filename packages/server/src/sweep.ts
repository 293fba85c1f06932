import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepoRef } from '@mq/core';
import type { GitHost } from '@mq/host-git';

const OWNER_DEPTH_LIMIT = 10;
export const REPOSITORIES_LIMIT = 10_000;

/** Every `<owner>/<name>.git` below the folder; an owner may be several folders deep. */
export const repositoriesBelow = async (root: string): Promise<readonly RepoRef[]> => {
  const found: RepoRef[] = [];
  const walk = async (owners: readonly string[]): Promise<void> => {
    for (const entry of await readdir(join(root, ...owners), { withFileTypes: true })) {
      if (found.length >= REPOSITORIES_LIMIT) return;
      if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
      if (owners.length > 0 && entry.name.endsWith('.git'))
        found.push({ host: 'local', owner: owners.join('/'), name: entry.name.slice(0, -'.git'.length) });
      else if (entry.isDirectory() && owners.length < OWNER_DEPTH_LIMIT) await walk([...owners, entry.name]);
    }
  };
  await walk([]);
  return found;
};

/**
 * Drops the trials that an earlier server left behind: its queues were in memory, so that no run of theirs is live. How
 * many were dropped. To be called before the engine starts.
 */
export const sweepTrials = async (host: GitHost, repos: readonly RepoRef[]): Promise<number> => {
  let dropped = 0;
  for (const repo of repos) {
    if (!(await host.hasRepository(repo))) continue;
    let runs = await host.listTrials(repo);
    while (runs.length > 0) {
      for (const runId of runs) await host.dropTrial({ repo, runId });
      dropped += runs.length;
      const left = await host.listTrials(repo);
      // A ref that cannot be dropped must not keep the server from starting.
      runs = left.some((runId) => runs.includes(runId)) ? [] : left;
    }
  }
  return dropped;
};
