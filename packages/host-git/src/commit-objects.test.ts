import type { Sha } from '@mq/core';
import { describe, expect, test } from 'vitest';
import { authorDate, authorLine, authorOf, kept, messageOf, parseCommit } from './commit-objects.js';
import { decoded } from './encoding.js';

const sha = 'a'.repeat(40) as Sha;

const commit = (author: string, { encoding = '', message = 'M\n' } = {}) =>
  parseCommit(
    sha,
    Buffer.from(
      `tree ${sha}\nauthor ${author}\ncommitter C <c@x> 1700000000 +0000\n${encoding === '' ? '' : `encoding ${encoding}\n`}\n${message}`,
      'latin1',
    ),
  );

describe('text of a commit', () => {
  test.each([
    ['UTF-8', null, Buffer.from('Jörg 漢'), 'Jörg 漢'],
    ['undeclared bytes that are not UTF-8, as Latin-1', null, Buffer.from([0x4a, 0xf6]), 'Jö'],
    ['declared ISO-8859-1', 'ISO-8859-1', Buffer.from([0xf6, 0xdf]), 'öß'],
    ['declared ISO-8859-1 that looks like UTF-8', 'iso8859-1', Buffer.from('ö'), 'Ã¶'],
    ['declared Shift_JIS', 'Shift_JIS', Buffer.from([0x8a, 0xbf]), '漢'],
    ['declared in a spelling of Windows', 'CP932', Buffer.from([0x8a, 0xbf]), '漢'],
    ['declared KOI8-R', 'KOI8-R', Buffer.from([0xc1]), 'а'],
    ['declared CP850', 'CP850', Buffer.from('J\x94rg', 'latin1'), 'Jörg'],
    ['declared CP437', 'cp437', Buffer.from('J\x94rg', 'latin1'), 'Jörg'],
    ['declared CP858 with a euro sign', 'IBM00858', Buffer.from('\x94\xd5', 'latin1'), 'ö€'],
    ['declared CP852', 'cp852', Buffer.from('\x88', 'latin1'), 'ł'],
    ['declared IBM850 by its name of IANA', 'IBM850', Buffer.from('J\x94rg', 'latin1'), 'Jörg'],
    ['a byte without a character in its code page', 'CP857', Buffer.from('\xd5', 'latin1'), 'Õ'],
    ['declared MacRoman', 'MacRoman', Buffer.from('J\x9arg', 'latin1'), 'Jörg'],
    ['declared ASCII by the name of the C library', 'ANSI_X3.4-1968', Buffer.from('Jörg'), 'Jörg'],
    ['declared ASCII by its name of ISO', 'ISO646-US', Buffer.from('Jörg'), 'Jörg'],
    ['declared ASCII by the name of Solaris', '646', Buffer.from('Jörg'), 'Jörg'],
    ['declared ASCII with Latin-1 bytes', 'US-ASCII', Buffer.from('J\xf6rg', 'latin1'), 'Jörg'],
    ['declared Latin-1 by its full name', 'ISO_8859-1:1987', Buffer.from([0x80, 0xf6]), '\x80ö'],
    ['declared Latin-1 by its code page', 'CP819', Buffer.from([0x80, 0xf6]), '\x80ö'],
    ['declared Windows-1252 in another spelling', 'WINDOWS1252', Buffer.from([0x80]), '€'],
    ['declared ISO-8859-16', 'ISO-8859-16', Buffer.from([0xaa]), 'Ș'],
    ['declared CP1252', 'CP1252', Buffer.from([0x93, 0xf6, 0x94]), '“ö”'],
    ['an encoding that is none', 'klingon', Buffer.from('Jörg'), 'Jörg'],
    ['declared UTF-16 with ASCII bytes, as git writes it', 'UTF-16', Buffer.from('Jo'), 'Jo'],
    ['declared UTF-16 with UTF-8 bytes', 'utf-16be', Buffer.from('Jör'), 'Jör'],
    ['declared UTF-16', 'UTF-16LE', Buffer.from('Jö', 'utf16le'), 'Jö'],
    ['bytes that do not fit the declared encoding', 'UTF-8', Buffer.from([0xf6]), 'ö'],
  ])('the text of a commit is decoded: %s', (_, encoding, bytes, text) => {
    expect(decoded(bytes, encoding)).toBe(text);
  });

  test('author and message are decoded by the declared encoding of the commit', () => {
    const old = commit('J\xf6rg <j@x> 1 +0100', { encoding: 'ISO-8859-1', message: 'Gr\xfc\xdfe\n' });
    expect([authorOf(old), messageOf(old)]).toEqual(['Jörg <j@x>', 'Grüße\n']);
  });
});

describe('the header of a commit', () => {
  const [tree, one, two] = ['1', '2', '3'].map((digit) => digit.repeat(40));
  const parsed = (...lines: readonly string[]) => parseCommit(sha, Buffer.from(`${lines.join('\n')}\n\nM\n`));
  const people = ['author A <a@x> 7 +0000', 'committer C <c@x> 8 +0000'];
  const first = { tree, parents: [one], author: Buffer.from('A <a@x> 7 +0000'), committedAtSeconds: 8 };

  test.each([
    ['a parent', `parent ${two}`],
    ['a tree', `tree ${two}`],
    ['an author', 'author B <b@x> 9 +0000'],
    ['a committer', 'committer B <b@x> 9 +0000'],
  ])('a second line of %s behind the committer does not count', (_, line) => {
    expect(parsed(`tree ${tree}`, `parent ${one}`, ...people, line)).toMatchObject(first);
  });

  test('all lines of parents right behind the tree count', () => {
    const { parents } = parsed(`tree ${tree}`, `parent ${one}`, `parent ${two}`, ...people, `parent ${tree}`);
    expect(parents).toEqual([one, two]);
  });

  test('a line of a parent behind the author does not count, and then the commit has no date', () => {
    const [author = '', committer = ''] = people;
    expect(parsed(`tree ${tree}`, author, `parent ${one}`, committer)).toMatchObject({
      parents: [],
      committedAtSeconds: 0,
    });
  });

  test('a commit that does not begin with its tree is corrupt', () => {
    expect(() => parsed(...people, `tree ${tree}`)).toThrow('is corrupt');
  });
});

describe('a commit that replaces another', () => {
  const LATE = 2_000_000_000;

  test('a replaced commit keeps author, encoding and message byte for byte', () => {
    const old = commit('J\xf6rg <j@x> 1700000000 +0100', {
      encoding: 'ISO-8859-1',
      message: 'Gr\xfc\xdfe\n',
    });
    expect(kept(old, LATE)).toEqual({ author: old.author, encoding: 'ISO-8859-1', message: old.message });
  });

  test('a replaced commit keeps the bytes of the author name even if the date is too late', () => {
    const { author, encoding } = kept(commit('J\xf6rg <j@x> 1700000000 +0100', { encoding: 'latin1' }), 5);
    expect([Buffer.from(author).toString('latin1'), encoding]).toEqual(['J\xf6rg <j@x> 5 +0100', 'latin1']);
  });

  test.each([
    ['a time zone that is none', 'J\xf6rg <j@x> 7 +51800', 'Jörg <j@x> 7 +0000'],
    ['no space before the date', 'J\xf6rg <j@x>7 +0100', 'Jörg <j@x> 7 +0100'],
    ['no space before the address', 'J\xf6rg<j@x> 7 +0100', 'Jörg <j@x> 7 +0100'],
    ['a zero before the date', 'J\xf6rg <j@x> 07 +0100', 'Jörg <j@x> 7 +0100'],
    ['no date', 'J\xf6rg <j@x>', `Jörg <j@x> ${LATE} +0000`],
    ['no author at all', '', `unknown <unknown@localhost> ${LATE} +0000`],
  ])('a replaced commit is written in UTF-8 if git refuses its author: %s', (_, author, written) => {
    const old = commit(author, { encoding: 'ISO-8859-1', message: 'Gr\xfc\xdfe\n' });
    expect(kept(old, LATE)).toEqual({ author: written, encoding: null, message: 'Grüße\n' });
  });

  test('a replaced commit has no NUL in its message, which git would refuse', () => {
    expect(kept(commit('A <a@x> 7 +0000', { message: 'a\0b\n' }), LATE).message).toBe('a b\n');
  });
});

test.each([
  'A <a@x>\t1600000000 +0100',
  'A <a@x>  1600000000 +0100',
  'A <a@x>1600000000 \t+0100',
  'A <a <b>> 1600000000 +0100',
])('the date of the author %j is read as git reads it', (author) => {
  expect(authorDate(commit(author), 1_700_000_000)).toBe('1600000000 +0100');
});

test.each([
  ['C <c@x>\t1600000000 +0100', 1_600_000_000],
  ['C <c@x>  1600000000', 1_600_000_000],
  ['C <c@x> 99999999999 +0000', 0],
  ['C <c@x> never', 0],
])('a commit of the committer %j has the date %j', (committer, seconds) => {
  const text = `tree ${sha}\nauthor A <a@x> 7 +0000\ncommitter ${committer}\n\nM\n`;
  expect(parseCommit(sha, Buffer.from(text)).committedAtSeconds).toBe(seconds);
});

test('the date of an author is not later than its bound', () => {
  expect(authorDate(commit('A <a@x> 4070908800 -0800'), 1_700_000_000)).toBe('1700000000 -0800');
});

test.each([
  ['Dave <x> <d@x>', 'Dave  x <d@x>'],
  ['Dave > <d@x> ', 'Dave <d@x>'],
  ['Dave<d@x>', 'Dave <d@x>'],
  ['<d@x>', ' <d@x>'],
  ['Dave <>', 'Dave <>'],
  ['<>', 'unknown <unknown@localhost>'],
  [null, 'unknown <unknown@localhost>'],
])('an author that a host tells as %j is written in a form that git accepts', (person, written) => {
  expect(authorLine(person, commit('A <a@x> 7 +0000'), 9)).toBe(`${written} 7 +0000`);
});
