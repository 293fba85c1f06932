import type { CheckSource, RepoRef } from '@mq/core';
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
  const inAnyCase = new Map([...sources].map(([key, own]) => [key.toLowerCase(), own]));
  return ({ owner, name, ignoresCase }) => {
    const key = `${owner}/${name}`;
    return sources.get(key) ?? (ignoresCase === true ? inAnyCase.get(key.toLowerCase()) : undefined) ?? [];
  };
};
