import { join } from 'node:path';
import type { RepoRef } from '@mq/core';
import { type RepositoryFolders, repositoryPath } from '../repositories.js';

/** Where the log of a check is kept; null where these cannot be a repository and a check. The file may be gone. */
export const checkLogFile = (folders: RepositoryFolders, repo: RepoRef, id: string): string | null => {
  const path = repositoryPath(folders, repo);
  return path === null || !/^[a-z0-9-]{1,100}$/.test(id) ? null : join(path, 'mq', 'logs', `${id}.log`);
};
