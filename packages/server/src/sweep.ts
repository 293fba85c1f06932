import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Queue, RepoRef, RunId, Store } from '@mq/core';
import type { GitHost } from '@mq/host-git';

const OWNER_DEPTH_LIMIT = 10;
const REPOSITORIES_LIMIT = 10_000;
const QUEUES_PER_READ = 100;

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
 * Drops the trials whose runs no queue knows: what deleted queues, or a store that is gone, left behind. Those of known
 * runs are the engine's, which has wished for their end. How many were dropped. To be called before the engine starts.
 */
export const sweepTrials = async (
  host: GitHost,
  repos: readonly RepoRef[],
  isKnown: (repo: RepoRef, runId: RunId) => Promise<boolean>,
): Promise<number> => {
  let dropped = 0;
  for (const repo of repos) {
    if (!(await host.hasRepository(repo))) continue;
    const seen = new Set<RunId>();
    let found = await host.listTrials(repo);
    // A ref that cannot be dropped must not keep the server from starting: each is tried once.
    while (found.some((runId) => !seen.has(runId))) {
      for (const runId of found) {
        if (seen.has(runId)) continue;
        seen.add(runId);
        if (await isKnown(repo, runId)) continue;
        await host.dropTrial({ repo, runId });
        dropped += 1;
      }
      found = await host.listTrials(repo);
    }
  }
  return dropped;
};

/** Whether a run is one of a queue that is there. */
export const runsKnownTo =
  (store: Store) =>
  async (repo: RepoRef, runId: RunId): Promise<boolean> => {
    let cursor: string | null = null;
    do {
      const page: Page<Queue> = await store.queues({
        repo,
        limit: QUEUES_PER_READ,
        ...(cursor === null ? {} : { cursor }),
      });
      for (const { id } of page.items) if ((await store.run(id, runId)) !== null) return true;
      cursor = page.next;
    } while (cursor !== null);
    return false;
  };
