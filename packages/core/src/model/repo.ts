/** A repository at a code host. `owner` may contain slashes. */
export interface RepoRef {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

/** A unique key per repository: the parts cannot contain a line feed. */
export const repoKey = (repo: RepoRef): string => `${repo.host}\n${repo.owner}\n${repo.name}`;

export const REPO_NAME_FAULT =
  'must not contain "/" or be "." or "..", in no other spelling either (%2e, full-width)';
export const REPO_OWNER_FAULT =
  'must have no part between its "/" that is empty, "." or "..", in no other spelling either (%2e, full-width)';

/** Rejects paths and escaped paths, since some hosts use the name in file paths or URLs. */
export const isRepoName = (text: string): boolean => isPlain(text) && !plainSpelling(text).includes('/');
export const isRepoOwner = (text: string): boolean => isPlain(text);

const isPlain = (text: string): boolean =>
  plainSpelling(text)
    .split(/[/\\]/)
    .every((part) => part !== '' && part !== '.' && part !== '..');

/** Resolves escapes, and look-alikes of dots and slashes. */
const plainSpelling = (text: string): string => {
  let plain = text;
  for (let round = 0; round < ESCAPE_ROUNDS && plain.includes('%'); round += 1)
    plain = plain.replace(/%(2e|2f|5c|25)/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  return plain.normalize('NFKC').replace(/[\u2044\u2215\u29f8]/g, '/');
};
/** Escapes may be nested this deep. */
const ESCAPE_ROUNDS = 5;

export const isSameRepo = (one: RepoRef, other: RepoRef): boolean => repoKey(one) === repoKey(other);
