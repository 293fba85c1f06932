import { type CommitMessage, cleanText } from './commit-message.js';

/** One of a pull request's commits, in UTF-8. `author` is `Name <address>`. */
export interface OwnCommit {
  readonly author: string;
  readonly message: string;
}

export interface Credits {
  /** `Name <address>`; null if neither the host nor a commit names an author. */
  readonly author: string | null;
  readonly coAuthors: readonly string[];
  readonly signOffs: readonly string[];
}

/** Max co-authors named in a squash; the number of the others is added. */
export const COAUTHORS_LIMIT = 50;
export const SIGN_OFFS_LIMIT = 500;
export const TRAILER_LIMIT_CHARS = 300;

const trailer = /^(co-authored-by|signed-off-by):[ \t]*(\S.*)$/i;
const address = /<([^<>]*)>\s*$/;

/**
 * The people credited by a squash of these commits (oldest first). The author is the pull request's author if the host
 * gives `Name <address>` or the name of a commit's author, else the author of the oldest commit. People count once, by
 * address; the author is not listed as a co-author.
 */
export const creditsOf = (commits: readonly OwnCommit[], pullAuthor: string | null): Credits => {
  const author = authorNamed(commits, pullAuthor) ?? commits[0]?.author ?? null;
  const coAuthors = new Map<string, string>();
  const signOffs = new Map<string, string>();
  for (const commit of commits) addPerson(coAuthors, commit.author);
  for (const { message } of commits) takeTrailers(withoutSubject(message), coAuthors, signOffs);
  if (author !== null) coAuthors.delete(keyOf(author));
  return { author, coAuthors: [...coAuthors.values()], signOffs: [...signOffs.values()] };
};

/**
 * The message of a squash: title, body, and the trailers of body and commits without duplicates. Ends with a newline.
 */
export const squashMessage = ({ title, body }: CommitMessage, credits: Credits): string => {
  const coAuthors = new Map<string, string>();
  const signOffs = new Map<string, string>();
  const rest = takeTrailers(body, coAuthors, signOffs).trim();
  for (const person of credits.coAuthors) addPerson(coAuthors, person);
  for (const person of credits.signOffs) addPerson(signOffs, person);
  if (credits.author !== null) coAuthors.delete(keyOf(credits.author));
  const named = [...coAuthors.values()].slice(0, COAUTHORS_LIMIT);
  const more = coAuthors.size - named.length;
  const trailers = [
    ...named.map((person) => `Co-authored-by: ${person}`),
    ...(more === 0 ? [] : [`More-co-authors: ${more}`]),
    ...[...signOffs.values()].slice(0, SIGN_OFFS_LIMIT).map((person) => `Signed-off-by: ${person}`),
  ];
  const ended = endsInTrailers(rest) ? `${rest}\n` : `${rest}\n\n`;
  const text = rest === '' ? trailers.join('\n') : `${ended}${trailers.join('\n')}`;
  return `${`${title}\n\n${text}`.replaceAll('\0', ' ').trimEnd()}\n`;
};

const authorNamed = (commits: readonly OwnCommit[], pullAuthor: string | null): string | null => {
  if (pullAuthor === null) return null;
  if (address.test(pullAuthor)) return pullAuthor;
  return commits.find(({ author }) => nameOf(author) === pullAuthor.trim())?.author ?? null;
};

const nameOf = (person: string): string => person.replace(address, '').trim();

/** Identifies a person by address, or by name if there is no address. */
const keyOf = (person: string): string => {
  const found = address.exec(person)?.[1]?.trim() ?? '';
  return (found === '' ? nameOf(person) : found).toLowerCase();
};

const addPerson = (people: Map<string, string>, person: string): void => {
  const text = cleanText(person.replace(/\s+/g, ' '), TRAILER_LIMIT_CHARS);
  if (text !== '' && !people.has(keyOf(text))) people.set(keyOf(text), text);
};

/** Moves the people of trailer lines into the maps, and returns the text without those lines. */
const takeTrailers = (
  text: string,
  coAuthors: Map<string, string>,
  signOffs: Map<string, string>,
): string => {
  const rest: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', person = ''] = trailer.exec(line.trimEnd()) ?? [];
    if (!address.test(person)) rest.push(line);
    else addPerson(key.toLowerCase() === 'signed-off-by' ? signOffs : coAuthors, person);
  }
  return rest.join('\n');
};

const withoutSubject = (message: string): string => message.replace(/^\s*\S[^\n]*/, '');

const endsInTrailers = (text: string): boolean =>
  text
    .split(/\n[ \t]*\n/)
    .at(-1)
    ?.split('\n')
    .every((line) => /^[A-Za-z0-9-]+: \S/.test(line)) ?? false;
