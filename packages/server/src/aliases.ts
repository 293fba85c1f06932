import type { RepoAlias, RepoScope } from '@mq/core';
import { keyInAnyCase } from './check-sources.js';
import type { ConfigFile } from './config-file.js';

/** The name of the server's git host in requests. */
export const HOST_NAME = 'local';

/** The names of all code hosts in requests. */
export const hostNamesOf = ({ hosts }: Pick<ConfigFile, 'hosts'>): string[] => [
  HOST_NAME,
  ...hosts.map(({ name }) => name),
];

/** The aliases of the configuration, repositories first. */
export const aliasesOf = ({
  repositories,
  aliases,
  hosts,
}: Pick<ConfigFile, 'repositories' | 'aliases' | 'hosts'>): RepoAlias[] => [
  ...Object.entries(repositories).flatMap(([key, repository]) =>
    repository.aliases.map((alias) => ({
      alias: repositoryOf(alias),
      of: repositoryOf(`${HOST_NAME}/${key}`),
    })),
  ),
  ...hosts.flatMap((host) =>
    Object.entries(host.aliases).map(([alias, of]) => {
      const scope = alias.split('/').length > 2 ? repositoryOf : ownerOf;
      return { alias: scope(alias), of: scope(`${host.name}/${of}`) };
    }),
  ),
  ...Object.entries(aliases).map(([alias, of]) => ({ alias: ownerOf(alias), of: ownerOf(of) })),
];

/** Why the checks of a repository are ambiguous at a host that ignores letter case; null if they are not. */
export const letterCaseFault = ({
  repositories,
  hosts,
}: Pick<ConfigFile, 'repositories' | 'hosts'>): string | null => {
  const [ignoring] = hosts;
  if (ignoring === undefined) return null;
  const paths = new Map<string, string>();
  for (const path of Object.keys(repositories)) {
    const other = paths.get(keyInAnyCase(path));
    if (other !== undefined) return `${other} and ${path} are one repository at the host ${ignoring.name}.`;
    paths.set(keyInAnyCase(path), path);
  }
  return null;
};

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
