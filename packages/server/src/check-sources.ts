import { type CheckSource, type RepoRef, repoKey } from '@mq/core';
import type { GitHostOptions } from '@mq/host-git';
import type { ServerConfig } from './config.js';

/** The checks that the git host runs, keyed by `owner/name`. */
export const commandsOf = (
  repositories: ServerConfig['repositories'],
): NonNullable<GitHostOptions['checks']> =>
  Object.fromEntries(
    Object.entries(repositories).map(([key, { checks }]) => [
      key,
      checks.flatMap(({ name, command, timeoutSeconds }) =>
        command === undefined
          ? []
          : [{ name, command, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) }],
      ),
    ]),
  );

/** The checks outside the configured commands: external checks, and those of the repository's git config. */
export const checkSourcesOf = ({
  repositories,
}: Pick<ServerConfig, 'repositories'>): ((repo: RepoRef) => readonly CheckSource[]) => {
  const sources = new Map(
    Object.entries(repositories).map(([key, { checks }]) => [
      key,
      checks.flatMap(({ name, source, reporters = [], startTimeoutSeconds }): CheckSource[] => {
        if (source === 'command') return [];
        if (source === 'host') return [{ name, source }];
        const startTimeoutMs = startTimeoutSeconds === undefined ? null : startTimeoutSeconds * 1000;
        return [{ name, source, reporters, startTimeoutMs }];
      }),
    ]),
  );
  const inAnyCase = new Map([...sources].map(([path, own]) => [keyInAnyCase(path), own]));
  return ({ owner, name, ignoresCase }) => {
    const path = `${owner}/${name}`;
    return (ignoresCase === true ? inAnyCase.get(keyInAnyCase(path)) : sources.get(path)) ?? [];
  };
};

/** Equal for two paths `owner/name` that are one repository at a host that ignores letter case. */
export const keyInAnyCase = (path: string): string =>
  repoKey({ host: '', owner: '', name: path, ignoresCase: true });
