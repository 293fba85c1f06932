import type { RepoRef } from '@mq/core';
import { type GitHost, gitHost, type RepositoryFolders } from '@mq/host-git';
import type { Logger } from 'pino';
import type { LogLinks } from './check-logs.js';
import { commandsOf } from './check-sources.js';
import type { ServerConfig } from './config.js';
import type { DataFolder } from './data-folder.js';

/** Time between SIGTERM and SIGKILL for check commands when the server stops. */
const CHECK_GRACE_MS = 3_000;

/** Where the repositories of the git host lie. */
export const foldersOf = (config: ServerConfig, folder: DataFolder): RepositoryFolders => ({
  root: folder.repositories,
  named: Object.fromEntries(
    Object.entries(config.repositories).flatMap(([key, { path }]) =>
      path === undefined ? [] : [[key, path]],
    ),
  ),
});

/** The repositories that lie outside the data folder. */
export const namedIn = ({ repositories }: ServerConfig): RepoRef[] =>
  Object.entries(repositories).flatMap(([key, { path }]) => {
    const at = key.lastIndexOf('/');
    return path === undefined ? [] : [{ host: 'local', owner: key.slice(0, at), name: key.slice(at + 1) }];
  });

/** The git host of the server, by its configuration. */
export const localHost = (
  { repositories, ci }: ServerConfig,
  folders: RepositoryFolders,
  links: LogLinks,
  url: () => string,
  logger: Logger,
): GitHost =>
  gitHost({
    repositories: folders,
    checks: commandsOf(repositories),
    candidateBranches: ci.candidateBranches ?? false,
    checkEnvironment: ci.environment,
    killGraceMs: CHECK_GRACE_MS,
    logUrl: ({ repo, id }) => `${url()}${links.path(repo, id)}`,
    ...(ci.concurrency === undefined ? {} : { concurrency: ci.concurrency }),
    ...(ci.afterLanding === undefined
      ? {}
      : {
          afterLanding: {
            command: ci.afterLanding,
            onFault: (fault) => logger.warn(fault, 'ci.afterLanding failed three times; no more retries'),
          },
        }),
    ...(ci.user === undefined ? {} : { user: ci.user }),
    ...(ci.wrapper === undefined ? {} : { wrapper: ci.wrapper }),
  });
