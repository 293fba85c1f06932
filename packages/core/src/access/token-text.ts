import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Scanners of leaked secrets find tokens by it. */
const PREFIX = 'mqt_';
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 30 of 62 letters are 178 bits: enough that a fast hash is safe. */
const [SECRET_CHARS, CHECKSUM_CHARS] = [30, 6];
/** The prefix and four letters; 154 bits stay secret. */
const SHOWN_CHARS = PREFIX.length + 4;

/** A new token: prefix, 30 random letters, and a CRC-32 of all that, as the token formats of code hosts have it. */
export const newTokenText = (draw: (below: number) => number = randomInt): string => {
  const secret = Array.from({ length: SECRET_CHARS }, () => LETTERS[draw(LETTERS.length)]).join('');
  return withChecksum(`${PREFIX}${secret}`);
};

const withChecksum = (text: string): string => `${text}${inLetters(crc32(text))}`;

const inLetters = (value: number): string => {
  let [rest, text] = [value, ''];
  for (let index = 0; index < CHECKSUM_CHARS; index += 1) {
    text = `${LETTERS[rest % LETTERS.length]}${text}`;
    rest = Math.floor(rest / LETTERS.length);
  }
  return text;
};

const shape = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECKSUM_CHARS}}$`);

/** Whether it can be one that was made here. Detects typing errors and junk without a read of the store. */
export const isTokenText = (text: string): boolean =>
  shape.test(text) && withChecksum(text.slice(0, -CHECKSUM_CHARS)) === text;

/**
 * What is stored of a token. The duration of a look-up by digest reveals nothing, since clients cannot choose
 * digests.
 */
export const digestOfToken = (text: string): string => hash('sha256', text);

export const shownPrefix = (text: string): string => text.slice(0, SHOWN_CHARS);
