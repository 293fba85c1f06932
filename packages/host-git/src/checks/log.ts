import { join } from 'node:path';
import type { RepoRef } from '@mq/core';
import { type RepositoryFolders, repositoryPath } from '../repositories.js';

/** The path of a check's log; null if the arguments cannot be a repository and a check. The file may not exist. */
export const checkLogFile = (folders: RepositoryFolders, repo: RepoRef, id: string): string | null => {
  const path = repositoryPath(folders, repo);
  return path === null || !/^[a-z0-9-]{1,100}$/.test(id) ? null : join(path, 'mq', 'logs', `${id}.log`);
};
