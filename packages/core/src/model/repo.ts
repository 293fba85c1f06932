/** A repository at a code host, as the wire names it. `owner` may contain slashes. */
export interface RepoRef {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

/** One text per repository; the parts cannot contain a line feed, so it is unambiguous. */
export const repoKey = (repo: RepoRef): string => `${repo.host}\n${repo.owner}\n${repo.name}`;

export const isSameRepo = (one: RepoRef, other: RepoRef): boolean => repoKey(one) === repoKey(other);
