import { HostError, isSha, type Sha } from '@mq/core';
import { decoded } from './encoding.js';

export interface CommitObject {
  readonly sha: Sha;
  readonly tree: string;
  readonly parents: readonly Sha[];
  /** The bytes after `author `, e.g. `Ann <ann@example.org> 1700000000 +0100`, in the commit's encoding. */
  readonly author: Buffer;
  /** Seconds since 1970; 0 if the commit has no valid date. */
  readonly committedAtSeconds: number;
  readonly encoding: string | null;
  readonly message: Buffer;
}

/** Reads tree, parents, author and committer where git does: at the start, in this order. Throws a HostError without a tree. */
export const parseCommit = (sha: Sha, content: Buffer): CommitObject => {
  const split = content.indexOf('\n\n');
  // Latin-1 keeps every byte.
  const lines = content.toString('latin1', 0, split === -1 ? content.length : split).split('\n');
  let at = 0;
  const next = (key: string): string | null => {
    const line = lines[at] ?? '';
    if (!line.startsWith(`${key} `)) return null;
    at += 1;
    return line.slice(key.length + 1);
  };
  const tree = next('tree');
  if (tree === null || !isSha(tree)) throw new HostError(`The commit ${sha} is corrupt.`, 'later');
  const parents: Sha[] = [];
  for (let parent = next('parent'); parent !== null; parent = next('parent'))
    if (isSha(parent)) parents.push(parent);
  const author = next('author');
  const committer = author === null ? null : next('committer');
  const encoding = lines.slice(at).find((line) => line.startsWith('encoding '));
  return {
    ...{ sha, tree, parents },
    author: Buffer.from(author ?? '', 'latin1'),
    committedAtSeconds: secondsOf(committer ?? '') ?? 0,
    encoding: encoding?.slice('encoding '.length) ?? null,
    message: split === -1 ? Buffer.alloc(0) : content.subarray(split + 2),
  };
};

/** Seconds of the date behind the last `>`; null if there is none. */
const secondsOf = (identity: string): number | null => {
  const seconds = />[ \t\r]*0*(\d{1,10})(?!\d)[^>]*$/.exec(identity)?.[1];
  return seconds === undefined ? null : Number(seconds);
};

/** `Name <address>` of the author in UTF-8, without characters that git refuses; null if the commit names no author. */
export const authorOf = ({ author, encoding }: CommitObject): string | null => {
  const text = decoded(author, encoding);
  const [, name = '', address = ''] = /^([^<]*)<([^>]*)/.exec(text) ?? [];
  const whole = `${plain(name)} <${plain(address)}>`;
  return whole === ' <>' ? null : whole;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const plain = (text: string): string => text.replace(/[<>\u0000-\u001f\u007f]+/g, ' ').trim();

export const messageOf = ({ message, encoding }: CommitObject): string => decoded(message, encoding);

/** Seconds and time zone of the author's date, at most `latestSeconds`. An invalid time zone becomes UTC. */
export const authorDate = ({ author }: CommitObject, latestSeconds: number): string => {
  const text = author.toString('latin1');
  const zone = /\d[ \t\r]*([+-]\d{4})$/.exec(text)?.[1] ?? '+0000';
  return `${Math.min(secondsOf(text) ?? latestSeconds, latestSeconds)} ${zone}`;
};

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly Sha[];
  /** The value after `author `, in a form that git accepts. */
  readonly author: string | Buffer;
  readonly committedAtSeconds: number;
  /** Null means UTF-8. */
  readonly encoding?: string | null;
  readonly message: string | Buffer;
}

/** The bytes of a commit object. Deterministic. */
export const commitBytes = (commit: NewCommit): Buffer => {
  const before = [`tree ${commit.tree}`, ...commit.parents.map((parent) => `parent ${parent}`), 'author '];
  const behind = [
    '',
    `committer mq <mq@localhost> ${commit.committedAtSeconds} +0000`,
    ...(commit.encoding ? [`encoding ${commit.encoding}`] : []),
    '\n',
  ];
  return Buffer.concat([
    Buffer.from(before.join('\n')),
    Buffer.from(commit.author),
    Buffer.from(behind.join('\n'), 'latin1'),
    Buffer.from(commit.message),
  ]);
};

/** The values after `author ` that `git hash-object` accepts. */
const accepted = /^[^<>\n\0]* <[^<>\n\0]*> (0|[1-9]\d{0,9}) [+-]\d{4}$/;

export const UNKNOWN_PERSON = 'unknown <unknown@localhost>';

/**
 * Author, message and encoding of a commit for the commit that replaces it. They are kept byte for byte, except that a date
 * after `latestSeconds` is replaced, and that bytes which git would refuse are converted to UTF-8.
 */
export const kept = (
  commit: CommitObject,
  latestSeconds: number,
): Pick<NewCommit, 'author' | 'encoding' | 'message'> => {
  const text = commit.author.toString('latin1');
  const date = authorDate(commit, latestSeconds);
  if (accepted.test(text) && !commit.message.includes(0)) {
    const author = Buffer.from(text.replace(/\d+ [+-]\d{4}$/, date), 'latin1');
    return { author, encoding: commit.encoding, message: commit.message };
  }
  return {
    author: `${authorOf(commit) ?? UNKNOWN_PERSON} ${date}`,
    encoding: null,
    message: messageOf(commit).replaceAll('\0', ' '),
  };
};

/** The value after `author ` if the queue writes the message itself. `person` is `Name <address>`, as a host tells it. */
export const authorLine = (person: string | null, commit: CommitObject, latestSeconds: number): string => {
  const [, name = '', address = ''] = /^(.*)<([^<>]*)>\s*$/s.exec(person ?? '') ?? [];
  const whole = `${plain(name)} <${plain(address)}>`;
  return `${whole === ' <>' ? UNKNOWN_PERSON : whole} ${authorDate(commit, latestSeconds)}`;
};
