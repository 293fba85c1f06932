import { type Credits, creditsOf, type PullAuthor, type Sha } from '@mq/core';
import { authorOf, type CommitObject, messageOf } from './commit-objects.js';
import { readCommits } from './objects.js';
import { ownShas } from './rebase.js';
import type { GitRepository } from './repositories.js';

/** Max own commits, merges included, the oldest, from which a squash takes authors and trailers. */
export const CREDITED_COMMITS_LIMIT = 1_000;
/** Max own commits, the newest, among which the oldest are searched. */
const LISTED_COMMITS_LIMIT = 100_000;
const COMMITS_PER_READ = 50;

export const creditsOfBranch = async (
  repo: GitRepository,
  onto: Sha,
  head: Sha,
  pull: PullAuthor,
): Promise<Credits> => {
  const listed = await ownShas(repo, onto, head, '--min-parents=0', LISTED_COMMITS_LIMIT);
  const shas = listed.length === 0 ? [head] : listed.slice(0, CREDITED_COMMITS_LIMIT);
  const own = [];
  for (let at = 0; at < shas.length; at += COMMITS_PER_READ) {
    const some = shas.slice(at, at + COMMITS_PER_READ);
    const commits = await readCommits(repo, some);
    for (const sha of some) {
      const commit = commits.get(sha);
      if (commit !== undefined) own.push(commit);
    }
  }
  // A branch may consist of merge commits alone.
  const credited = own.filter(isNoMerge);
  const authors = new Set(credited.length > 0 ? credited : own.slice(-1));
  return creditsOf(
    own.map((commit) => ({
      author: authors.has(commit) ? authorOf(commit) : null,
      message: messageOf(commit),
    })),
    pull,
  );
};

const isNoMerge = ({ parents }: CommitObject): boolean => parents.length < 2;
