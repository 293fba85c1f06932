import { NO_NAME_CHARACTERS } from './text.js';

/** A repository at a code host. `owner` may contain slashes. */
export interface RepoRef {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  /**
   * The host's id of the repository, in the repository of a queue; absent if the host has none. A host refuses a call with
   * it if the name means another repository. Not a part of the identity of queues, which are found by name.
   */
  readonly id?: string;
  /** Set if the host finds the repository in any letter case. Names that differ in nothing else are one repository then. */
  readonly ignoresCase?: true;
}

/** Host, owner and name alone, as answers show the repository. */
export const shownRepo = ({ host, owner, name }: RepoRef): RepoRef => ({ host, owner, name });

/** A unique key per repository: the parts cannot contain a line feed. */
export const repoKey = ({ host, owner, name, ignoresCase }: RepoRef): string => {
  const path = `${owner}\n${name}`;
  return `${host}\n${ignoresCase === true ? inLowerCase(path) : path}`;
};

// Only ASCII letters: hosts disagree about others, and two repositories must never get one key.
const inLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A unique key per branch of a repository, so for each queue too: a branch contains no line feed either. */
export const branchKey = (repo: RepoRef, branch: string): string => `${repoKey(repo)}\n${branch}`;

const PLAIN = 'no backslash, no escape such as %2F and no look-alike of a slash';
export const REPO_NAME_FAULT = `must hold no "/", ${PLAIN}, and must not be "." or "..", in no other spelling either`;
export const REPO_OWNER_FAULT = `must hold ${PLAIN}, and no part between its "/" that is empty, "." or "..", in no other spelling either`;

// A host that undoes escapes or replaces look-alikes would read another name.
const ESCAPE = '[%\\ufe6a\\uff05][\\da-fA-F\\uff10-\\uff19\\uff21-\\uff26\\uff41-\\uff46]{2}';
const DOTS = '(?:[.\\u2024\\ufe52\\uff0e]{1,2}|[\\u2025\\ufe30])';
const BACKSLASHES = '\\\\\\ufe68\\uff3c';
const SLASHES = '\\u2044\\u2215\\u29f8\\uff0f';
/** Characters that hold a slash between others, such as U+2100, a/c. */
const FRACTIONS =
  '\\u00bc-\\u00be\\u2100\\u2101\\u2105\\u2106\\u2150-\\u215f\\u2189\\u33a7\\u33a8\\u33ae\\u33af\\u33c6\\u33de\\u33df';

const noOtherSpelling = `(?!.*(?:[${BACKSLASHES}${SLASHES}${FRACTIONS}]|${ESCAPE}))`;
const noEmptyPart = `${noOtherSpelling}(?!(?:.*/)?${DOTS}?(?:/|$))`;
const noSlash = '(?!.*/)';

/** Rejects paths and escaped paths, since some hosts use the name in file paths or URLs. */
export const REPO_NAME_PATTERN = `^${noEmptyPart}${noSlash}[^${NO_NAME_CHARACTERS}]+$`;
export const REPO_OWNER_PATTERN = `^${noEmptyPart}[^${NO_NAME_CHARACTERS}]+$`;
/** An owner, a slash and a name, with this maximum length each. */
export const repoPathPattern = (maximumChars: number): string =>
  `^${noEmptyPart}(?=.{1,${maximumChars}}/[^/]{1,${maximumChars}}$)[^${NO_NAME_CHARACTERS}]+/[^/]+$`;

const repoName = new RegExp(`^${noEmptyPart}${noSlash}`, 'su');
const repoOwner = new RegExp(`^${noEmptyPart}`, 'su');

export const isRepoName = (text: string): boolean => repoName.test(text);
export const isRepoOwner = (text: string): boolean => repoOwner.test(text);

/** Ignores the letter case if either of them does. */
export const isSameRepo = (one: RepoRef, other: RepoRef): boolean => {
  const ignored =
    one.ignoresCase === true || other.ignoresCase === true ? { ignoresCase: true as const } : {};
  return repoKey({ ...one, ...ignored }) === repoKey({ ...other, ...ignored });
};
