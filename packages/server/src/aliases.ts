import type { RepoAlias, RepoScope } from '@mq/core';
import type { ConfigFile } from './config-file.js';

/** The name of the server's git host in requests. */
export const HOST_NAME = 'local';

/** The aliases of the configuration, repositories first. */
export const aliasesOf = ({
  repositories,
  aliases,
}: Pick<ConfigFile, 'repositories' | 'aliases'>): RepoAlias[] => [
  ...Object.entries(repositories).flatMap(([key, repository]) =>
    repository.aliases.map((alias) => ({
      alias: repositoryOf(alias),
      of: repositoryOf(`${HOST_NAME}/${key}`),
    })),
  ),
  ...Object.entries(aliases).map(([alias, of]) => ({ alias: ownerOf(alias), of: ownerOf(of) })),
];

/** Parses `host/owner/name`; the owner may contain slashes. */
const repositoryOf = (text: string): RepoScope => {
  const [host = '', ...rest] = text.split('/');
  return { host, owner: rest.slice(0, -1).join('/'), name: rest.at(-1) ?? '' };
};

/** Parses `host` or `host/owner`; the owner may contain slashes. */
const ownerOf = (text: string): RepoScope => {
  const [host = '', ...owner] = text.split('/');
  return owner.length === 0 ? { host } : { host, owner: owner.join('/') };
};
