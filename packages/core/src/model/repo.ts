import { NO_NAME_CHARACTERS } from './text.js';

/** A repository at a code host. `owner` may contain slashes. */
export interface RepoRef {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  /**
   * The host's id of the repository, in the repository of a queue; absent where the host has none. A host refuses a call with
   * it if the name means another repository. Not a part of the identity of queues, which are found by name.
   */
  readonly id?: string;
}

/** The repository without the id of its host, as answers show it. */
export const shownRepo = ({ host, owner, name }: RepoRef): RepoRef => ({ host, owner, name });

/** A unique key per repository: the parts cannot contain a line feed. */
export const repoKey = (repo: RepoRef): string => `${repo.host}\n${repo.owner}\n${repo.name}`;

/** A unique key per branch of a repository, so for each queue too: a branch contains no line feed either. */
export const branchKey = (repo: RepoRef, branch: string): string => `${repoKey(repo)}\n${branch}`;

export const REPO_NAME_FAULT =
  'must not contain "/" or be "." or "..", in no other spelling either (%2e, full-width)';
export const REPO_OWNER_FAULT =
  'must have no part between its "/" that is empty, "." or "..", in no other spelling either (%2e, full-width)';

// Escapes and look-alikes of dots and slashes count as what they stand for.
const ESCAPED = '%(?:25){0,4}';
const DOT = `(?:[.\\u2024\\ufe52\\uff0e]|${ESCAPED}2[eE])`;
const TWO_DOTS = `(?:${DOT}${DOT}|[\\u2025\\ufe30])`;
const BACKSLASH = `(?:[\\\\\\ufe68\\uff3c]|${ESCAPED}5[cC])`;
const SLASH = `(?:[/\\u2044\\u2215\\u29f8\\uff0f]|${ESCAPED}2[fF])`;
/** Characters that hold a slash between others, such as U+2100, a/c; after U+215F, 1/, nothing follows. */
const FRACTIONS =
  '\\u00bc-\\u00be\\u2100\\u2101\\u2105\\u2106\\u2150-\\u215f\\u2189\\u33a7\\u33a8\\u33ae\\u33af\\u33c6\\u33de\\u33df';
const SEPARATOR = `(?:${SLASH}|${BACKSLASH})`;

const noEmptyPart = `(?!(?:.*(?:${SEPARATOR}|\\u215f))?(?:${TWO_DOTS}|${DOT})?(?:${SEPARATOR}|$))`;
const noSlash = `(?!.*(?:${SLASH}|[${FRACTIONS}]))`;

/** Rejects paths and escaped paths, since some hosts use the name in file paths or URLs. */
export const REPO_NAME_PATTERN = `^${noEmptyPart}${noSlash}[^${NO_NAME_CHARACTERS}]+$`;
export const REPO_OWNER_PATTERN = `^${noEmptyPart}[^${NO_NAME_CHARACTERS}]+$`;
/** An owner, a slash and a name, of at most so many characters each. */
export const repoPathPattern = (maximumChars: number): string =>
  `^${noEmptyPart}(?=.{1,${maximumChars}}/[^/]{1,${maximumChars}}$)[^${NO_NAME_CHARACTERS}]+/${noSlash}[^/]+$`;

const repoName = new RegExp(`^${noEmptyPart}${noSlash}`, 'su');
const repoOwner = new RegExp(`^${noEmptyPart}`, 'su');

export const isRepoName = (text: string): boolean => repoName.test(text);
export const isRepoOwner = (text: string): boolean => repoOwner.test(text);

export const isSameRepo = (one: RepoRef, other: RepoRef): boolean => repoKey(one) === repoKey(other);
