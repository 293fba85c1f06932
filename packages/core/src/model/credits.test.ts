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
    expect(creditsOf([by(ann), by(bob)], named === null ? {} : { author: named }).author).toBe(author);
  });

  test.each([
    ['a commit’s author with that address', 'Robert <BOB@example.org>', bob],
    ['a commit’s author with that name, if the address is hidden', 'Bob <7+bobby@noreply.example.org>', bob],
    ['a commit’s author with that name, if there is no address', 'Bob', bob],
    ['a commit’s author with the name of the account', 'Robert <7+bobby@noreply.example.org>', 'bobby <b@x>'],
    ['the identity, if no commit names that person', 'Zoe <zoe@example.org>', 'Zoe <zoe@example.org>', 'zoe'],
    ['the oldest commit’s author, if the identity is a name alone', 'Zoe', ann, 'zoe'],
  ])(
    'credits of a pull request with an identity prefer %s',
    (_, authorIdentity, written, author = 'bobby') => {
      const commits = [by(ann), by('bobby <b@x>'), by(bob)];
      expect(creditsOf(commits, { author, authorIdentity }).author).toBe(written);
    },
  );

  test('credits name every other author once, by address', () => {
    const commits = [by(ann), by(bob), by('Robert <BOB@example.org>'), by('Ann Other <ann@example.org>')];
    expect(creditsOf(commits, {}).coAuthors).toEqual([bob]);
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
    expect(creditsOf([by(ann, message)], {})).toEqual({ author: ann, coAuthors: [bob], signOffs: [ann] });
  });

  const trailersOf = (...messages: string[]) => {
    const { coAuthors, signOffs } = creditsOf([by(ann), ...messages.map((message) => by(ann, message))], {});
    return [...coAuthors, ...signOffs];
  };

  test.each([
    ['a note behind the address', 'Signed-off-by: Bob <b@x> # v5.4', ['Bob <b@x> # v5.4']],
    ['a dot behind the address', 'Co-authored-by: Cid <c@x>.', ['Cid <c@x>.']],
    ['a space before the colon', 'Signed-off-by : Bob <b@x>', ['Bob <b@x>']],
    ['a folded line', 'Co-authored-by: Very Long\n  Name <v@x>', ['Very Long Name <v@x>']],
    ['no address', 'Signed-off-by: Bob\nCo-authored-by: Cid c@x', ['Cid c@x', 'Bob']],
    [
      'no address, below lines that are no trailers',
      'Signed-off-by: Bob\n[bob: fixed a typo]\nSigned-off-by: Cid',
      ['Bob', 'Cid'],
    ],
    [
      'two addresses',
      'Co-authored-by: X <x@x> and Ann <ann@example.org>',
      ['X <x@x> and Ann <ann@example.org>'],
    ],
  ])('credits take a trailer with %s', (_, trailer, people) => {
    expect(trailersOf(`Work\n\nWhy\n\n${trailer}\n`)).toEqual(people);
  });

  test.each([
    ['in a code fence', 'Write:\n```\nSigned-off-by: Foo <foo@x>\n```'],
    ['without an address before the last paragraph', 'Signed-off-by: see below\n\nMore'],
    ['without an address in prose', 'We ask for\nCo-authored-by: lines\nin messages.\nThey help.'],
    ['without a value', 'Signed-off-by:\n'],
  ])('credits take no trailer %s', (_, text) => {
    expect(trailersOf(`Work\n\n${text}`)).toEqual([]);
  });

  test('credits take a trailer below a code fence without an end', () => {
    expect(trailersOf('Work\n\n```\ncode\n\nSigned-off-by: Bob <b@x>')).toEqual(['Bob <b@x>']);
  });

  test('credits keep sign-offs of different people with one address', () => {
    const message = 'S\n\nSigned-off-by: Bob <n@x>\nSigned-off-by: Cid <n@x>\nSigned-off-by: bob <N@x>';
    expect(creditsOf([by(ann, message)], {}).signOffs).toEqual(['Bob <n@x>', 'Cid <n@x>']);
  });

  test('credits take trailers, but no author, of a commit without a credited author', () => {
    const merge = { author: null, message: `Merge\n\nSigned-off-by: ${bob}` };
    expect(creditsOf([merge, by(ann)], {})).toEqual({ author: ann, coAuthors: [], signOffs: [bob] });
  });

  test.each([
    'dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>',
    'André <andré@exemple.fr>',
    'Bo <bo-@x.y>',
    'A <a  x>',
    `Long <${'b'.repeat(320)}@x.y>`,
    `${'n'.repeat(400)} <n@x>`,
    '@ada <ada@x>',
    'Ann <>',
  ])('credits never repeat the main author: %s', (author) => {
    const message = `Work\n\nCo-authored-by: ${author}\nSigned-off-by: ${bob}`;
    const credits = creditsOf([by(author, message)], { author });
    expect(credits.coAuthors).toEqual([]);
    expect(squashMessage({ title: 'T', body: `Co-authored-by: ${author}` }, credits)).toBe(
      `T\n\nSigned-off-by: ${bob}\n`,
    );
  });

  test('credits do not repeat an author that the host gives with brackets in the name', () => {
    expect(creditsOf([by(ann)], { author: 'Ann <x> <ann@example.org>' }).coAuthors).toEqual([]);
  });

  test('credits do not repeat the main author without the address', () => {
    expect(trailersOf('Work\n\nCo-authored-by: Ann')).toEqual([]);
  });

  test.each([
    ['keep an address', 'renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>', null],
    ['keep a long address', `Long <${'b'.repeat(320)}@x.y>`, null],
    ['keep spaces in an address', 'A <a  x>', null],
    ['defuse a name', '@ada  x <a@x>', '@\u200bada x <a@x>'],
    ['defuse an address that is a mention', 'Ada <@ada>', 'Ada <@\u200bada>'],
    ['cut a long name before the address', `${'n'.repeat(400)} <n@x>`, `${'n'.repeat(299)}… <n@x>`],
    ['close an address that is cut', `N <${'n'.repeat(900)}>`, `N <${'n'.repeat(499)}…>`],
  ])('credits of co-authors %s', (_, author, written) => {
    expect(creditsOf([by(ann), by(author)], {}).coAuthors).toEqual([written ?? author]);
  });

  test('credits without commits are empty', () => {
    expect(creditsOf([], { author: 'unknown' })).toEqual({ author: null, coAuthors: [], signOffs: [] });
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

  test('a squash message keeps a trailer in a code fence where it is', () => {
    const body = 'Write:\n\n```\nSigned-off-by: Foo <foo@x>\n```';
    expect(squashMessage({ title: 'T', body }, { ...credits, coAuthors: [] })).toBe(
      `T\n\n${body}\n\nSigned-off-by: ${ann}\n`,
    );
  });

  test.each([
    ['lines of git', 'Fixes: #3\n(cherry picked from commit abc)', '\n'],
    ['a link', 'https://example.org/x', '\n\n'],
    ['prose with a trailer', 'Text\nFixes: #3', '\n\n'],
  ])('a squash message appends trailers to a body that ends in %s', (_, body, between) => {
    expect(squashMessage({ title: 'T', body }, { ...credits, coAuthors: [] })).toBe(
      `T\n\n${body}${between}Signed-off-by: ${ann}\n`,
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
