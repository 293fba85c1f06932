import { describe, expect, test } from 'vitest';
import { COAUTHORS_LIMIT, creditsOf, squashMessage } from './credits.js';

const ann = 'Ann <ann@example.org>';
const bob = 'Bob <bob@example.org>';
const by = (author: string, message = 'Work') => ({ author, message });

describe('credits of a squash', () => {
  test.each([
    ['with the address that the host gives', 'Zoe <zoe@example.org>', 'Zoe <zoe@example.org>'],
    ['by the name of one who wrote a commit', 'Bob', bob],
    ['the oldest commit’s where the host names a stranger', 'unknown', ann],
    ['the oldest commit’s where the host names none', null, ann],
  ])('credits of a squash name the author: %s', (_, named, author) => {
    expect(creditsOf([by(ann), by(bob)], named).author).toBe(author);
  });

  test('credits name every other author once, by address', () => {
    const commits = [by(ann), by(bob), by('Robert <BOB@example.org>'), by('Ann Other <ann@example.org>')];
    expect(creditsOf(commits, null).coAuthors).toEqual([bob]);
  });

  test('credits take trailers from anywhere below the subject, but not from prose', () => {
    const message = [
      'Signed-off-by: No <no@example.org>',
      '',
      `Co-Authored-By:   ${bob}`,
      'Signed-off-by: no one in particular',
      '',
      `signed-off-by: ${ann}\r`,
    ].join('\n');
    expect(creditsOf([by(ann, message)], null)).toEqual({ author: ann, coAuthors: [bob], signOffs: [ann] });
  });

  test('credits without commits are empty', () => {
    expect(creditsOf([], 'unknown')).toEqual({ author: null, coAuthors: [], signOffs: [] });
  });
});

describe('the message of a squash', () => {
  const credits = { author: ann, coAuthors: [bob], signOffs: [ann] };

  test('a squash message ends with the trailers after one blank line', () => {
    expect(squashMessage({ title: 'T', body: 'Why' }, credits)).toBe(
      `T\n\nWhy\n\nCo-authored-by: ${bob}\nSigned-off-by: ${ann}\n`,
    );
    expect(squashMessage({ title: 'T', body: '' }, credits)).toBe(
      `T\n\nCo-authored-by: ${bob}\nSigned-off-by: ${ann}\n`,
    );
    expect(squashMessage({ title: 'T', body: ' ' }, { ...credits, coAuthors: [], signOffs: [] })).toBe('T\n');
  });

  test('a squash message merges trailers of the body without duplicates and without the author', () => {
    const body = `Why\n\nFixes: #3\nCo-authored-by: ${ann}\nCo-authored-by: ${bob}`;
    expect(squashMessage({ title: 'T', body }, credits)).toBe(
      `T\n\nWhy\n\nFixes: #3\nCo-authored-by: ${bob}\nSigned-off-by: ${ann}\n`,
    );
  });

  test('a squash message names fifty co-authors and counts the others', () => {
    const coAuthors = Array.from({ length: COAUTHORS_LIMIT + 7 }, (_, n) => `P${n} <p${n}@example.org>`);
    const lines = squashMessage({ title: 'T', body: '' }, { ...credits, coAuthors }).split('\n');
    expect(lines.filter((line) => line.startsWith('Co-authored-by:'))).toHaveLength(COAUTHORS_LIMIT);
    expect(lines).toContain('More-co-authors: 7');
  });

  test('a squash message removes a CI skip marker from a name', () => {
    const coAuthors = ['[skip ci] <x@example.org>'];
    expect(squashMessage({ title: 'T', body: '' }, { ...credits, coAuthors })).toContain('(skip ci)');
  });
});
