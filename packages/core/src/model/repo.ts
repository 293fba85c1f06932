/** A repository at a code host, as the wire names it. `owner` may contain slashes. */
export interface RepoRef {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

/** One text per repository; the parts cannot contain a line feed, so it is unambiguous. */
export const repoKey = (repo: RepoRef): string => `${repo.host}\n${repo.owner}\n${repo.name}`;

const partShape = /^[A-Za-z0-9._~+-]+$/;

const isPart = (text: string): boolean => partShape.test(text) && text !== '.' && text !== '..';

export const REPO_NAME_FAULT =
  'must consist of ASCII letters, digits and . _ - ~ +, and must not be "." or ".."';
export const REPO_OWNER_FAULT = `${REPO_NAME_FAULT}; "/" separates groups`;

/** The characters that code hosts allow: nothing that could be read as a path, an escape or another name. */
export const isRepoName = (text: string): boolean => isPart(text);
export const isRepoOwner = (text: string): boolean => text.split('/').every(isPart);

export const isSameRepo = (one: RepoRef, other: RepoRef): boolean => repoKey(one) === repoKey(other);
