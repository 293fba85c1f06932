import type { Sha } from '@mq/core';
import type { LoggedCommit } from '@mq/testkit';
import { git } from './contributor.js';

/** Commits as `git log` with these arguments lists them. */
export const loggedFrom = async (
  bare: string,
  ...args: readonly string[]
): Promise<readonly LoggedCommit[]> => {
  const format = '--format=%H%x00%P%x00%T%x00%an <%ae>%x00%ct%x00%B%x1e';
  const entries = (await git(bare, 'log', format, ...args)).split('\x1e\n');
  return entries.filter(Boolean).map((entry) => {
    const [commit = '', parents = '', tree = '', author = '', seconds = '', message = ''] = entry.split('\0');
    return {
      ...{ commit: commit as Sha, parents: parents.split(' ').filter(Boolean) as Sha[], tree, author },
      ...{ title: message.split('\n')[0] ?? '', message, committedAt: Number(seconds) * 1000 },
    };
  });
};
