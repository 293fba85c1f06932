import { defusedPeople } from './clean-text.js';
import type { CommitMessage } from './commit-message.js';
import type { CandidatePart } from './effect.js';
import { endsInTrailers, splitTrailers } from './trailers.js';
import { truncate } from './truncate.js';

/** One of a pull request's commits, in UTF-8. */
export interface OwnCommit {
  /** `Name <address>`; null if the author is not credited: none is named, or the commit is a merge. */
  readonly author: string | null;
  readonly message: string;
}

export type PullAuthor = Pick<CandidatePart, 'author' | 'authorIdentity'>;

export interface Credits {
  /** `Name <address>`; null if neither the host nor a commit names an author. */
  readonly author: string | null;
  readonly coAuthors: readonly string[];
  readonly signOffs: readonly string[];
}

/** Max co-authors named in a squash; the number of the others is added. */
export const COAUTHORS_LIMIT = 50;
export const SIGN_OFFS_LIMIT = 500;
/** Max length of a name, or of a note behind an address. */
const NAME_LIMIT_CHARS = 300;
/** Fits a name, the longest address that is kept, and a note. */
export const TRAILER_LIMIT_CHARS = 1_200;

/**
 * The people credited by a squash of these commits (oldest first). The author is the pull request's author if the host
 * gives `Name <address>` or the name of a commit's author, else the author of the oldest commit. A commit's author with the
 * address or the name of the identity is preferred to it, because hosts hide addresses. Co-authors count once, by
 * address; the author is not listed as one. A sign-off is a statement, and counts once by its whole text.
 */
export const creditsOf = (commits: readonly OwnCommit[], pull: PullAuthor): Credits => {
  const authors = commits.flatMap(({ author }) => author ?? []);
  const author = authorNamed(authors, pull) ?? authors[0] ?? null;
  const people = new People();
  for (const each of authors) people.addCoAuthor(each);
  for (const { message } of commits) people.takeTrailers(withoutSubject(message));
  return { author, coAuthors: people.coAuthorsBut(author), signOffs: people.signOffs };
};

/**
 * The message of a squash: title, body, and the trailers of body and commits without duplicates. Ends with a newline.
 */
export const squashMessage = ({ title, body }: CommitMessage, credits: Credits): string => {
  const people = new People();
  const rest = people.takeTrailers(body).trim();
  for (const person of credits.coAuthors) people.addCoAuthor(person);
  for (const person of credits.signOffs) people.addSignOff(person);
  const coAuthors = people.coAuthorsBut(credits.author);
  const named = coAuthors.slice(0, COAUTHORS_LIMIT);
  const more = coAuthors.length - named.length;
  const trailers = [
    ...named.map((person) => `Co-authored-by: ${person}`),
    ...(more === 0 ? [] : [`More-co-authors: ${more}`]),
    ...people.signOffs.slice(0, SIGN_OFFS_LIMIT).map((person) => `Signed-off-by: ${person}`),
  ];
  const ended = endsInTrailers(rest) ? `${rest}\n` : `${rest}\n\n`;
  const text = rest === '' ? trailers.join('\n') : `${ended}${trailers.join('\n')}`;
  return `${`${title}\n\n${text}`.replaceAll('\0', ' ').trimEnd()}\n`;
};

/** Co-authors and sign-offs in the order in which they are found, each once. */
class People {
  readonly #coAuthors = new Map<string, string>();
  readonly #signOffs = new Map<string, string>();

  get signOffs(): readonly string[] {
    return [...this.#signOffs.values()];
  }

  coAuthorsBut(author: string | null): readonly string[] {
    const left = new Map(this.#coAuthors);
    if (author !== null) {
      const written = cleanPerson(author);
      for (const key of [keyOf(written), nameOf(written).toLowerCase()]) left.delete(key);
    }
    return [...left.values()];
  }

  addCoAuthor(person: string): void {
    const text = cleanPerson(person);
    const key = keyOf(text);
    if (text !== '' && !this.#coAuthors.has(key)) this.#coAuthors.set(key, text);
  }

  addSignOff(person: string): void {
    const text = cleanPerson(person);
    const key = text.toLowerCase();
    if (text !== '' && !this.#signOffs.has(key)) this.#signOffs.set(key, text);
  }

  /** Adds the people of trailers, and returns the text without those. */
  takeTrailers(text: string): string {
    const { rest, trailers } = splitTrailers(text);
    for (const { key, value } of trailers) {
      if (key === 'Signed-off-by') this.addSignOff(value);
      else this.addCoAuthor(value);
    }
    return rest;
  }
}

const authorNamed = (authors: readonly string[], pull: PullAuthor): string | null => {
  const { author = '', authorIdentity = '' } = pull;
  if (addressed.test(author)) return withOneAddress(author);
  const isAddressed = addressed.test(authorIdentity);
  const sameAddress = authors.find((each) => isAddressed && keyOf(each) === keyOf(authorIdentity));
  const names = [nameOf(authorIdentity), author.trim()].filter((name) => name !== '');
  const sameName = names.flatMap((name) => authors.find((each) => nameOf(each) === name) ?? []);
  return sameAddress ?? sameName[0] ?? (isAddressed ? withOneAddress(authorIdentity) : null);
};

const addressed = /<[^<>]*>\s*$/;

/** `Name <address>` if a host gives a name with `<` or `>`. */
const withOneAddress = (person: string): string =>
  person.replace(/^(.*)(<[^<>]*>)\s*$/s, (_, name: string, address: string) =>
    `${name.replace(/[<>]+/g, ' ').trim()} ${address}`.trimStart(),
  );

const nameOf = (person: string): string => person.replace(/<[^<>]*>.*$/s, '').trim();

/** Identifies a person by address, or by the whole text if that has no address or several. */
const keyOf = (person: string): string => {
  const [address = '', ...others] = [...person.matchAll(/<([^<>]+)>/g)].map(([, found = '']) => found.trim());
  if (others.length > 0) return person.toLowerCase();
  return (address === '' ? nameOf(person) : address).toLowerCase();
};

/** A person as a trailer names it: addresses as they are, the text around them defused and cut. */
const cleanPerson = (person: string): string => {
  const parts = person.split(/(<[^<>]*>)/).map((part) => {
    if (part.startsWith('<')) return part;
    const words = part.replace(/\s+/g, ' ');
    return words.length <= NAME_LIMIT_CHARS ? words : `${truncate(words, NAME_LIMIT_CHARS)} `;
  });
  return truncate(defusedPeople(parts.join('')), TRAILER_LIMIT_CHARS).trim();
};

const withoutSubject = (message: string): string => message.replace(/^\s*\S[^\n]*/, '');
