import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRepoName, isRepoOwner, REPO_NAME_PATTERN, REPO_OWNER_PATTERN, repoPathPattern } from './repo.js';

test.each(['widgets', '.github', 'a.b-c_d', 'node', 'C++', 'wïdgets-部品', '100%', '-c', '...'])(
  '%s is the name of a repository',
  (name) => {
    expect(isRepoName(name)).toBe(true);
  },
);

test.each([
  '',
  '.',
  '..',
  '%2e%2e',
  '%252E.',
  '．．',
  '\u2025',
  'a/b',
  'a/../b',
  'a%2fb',
  'a／b',
  'a∕b',
  '..\\a',
])('%j is not the name of a repository', (name) => {
  expect(isRepoName(name)).toBe(false);
});

test('an owner is one group or several, none of them empty or a folder above', () => {
  expect(['acme', 'acme/platform/tools', 'a"b\\c'].map(isRepoOwner)).toEqual([true, true, true]);
  expect(['', '/acme', 'acme/', 'acme//tools', 'acme/..', '..'].map(isRepoOwner)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});

/** What a host could read a text as: escapes undone, look-alikes of dots and slashes replaced. */
const plainSpelling = (text: string): string => {
  let plain = text;
  for (let round = 0; round < 5 && plain.includes('%'); round += 1)
    plain = plain.replace(/%(2e|2f|5c|25)/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  return plain.normalize('NFKC').replace(/[\u2044\u2215\u29f8]/g, '/');
};
const isPlain = (text: string): boolean =>
  plainSpelling(text)
    .split(/[/\\]/)
    .every((part) => part !== '' && part !== '.' && part !== '..');

const misread = (text: string): readonly string[] => [
  ...(isRepoOwner(text) === isPlain(text) ? [] : [`owner ${JSON.stringify(text)}`]),
  ...(isRepoName(text) === (isPlain(text) && !plainSpelling(text).includes('/'))
    ? []
    : [`name ${JSON.stringify(text)}`]),
];

test('every character that stands for a dot or a slash counts as one', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (!/[./\\\u2044\u2215\u29f8]/.test(character.normalize('NFKC'))) continue;
    for (const text of ['', 'a', '.', '/', 'a/'].flatMap((one) => [
      `${one}${character}`,
      `${character}${one}`,
    ]))
      wrong.push(...misread(text));
    wrong.push(...misread(`a${character}b`), ...misread(`${character}${character}`));
  }
  expect(wrong).toEqual([]);
});

test('escapes of any depth and in any place count as what they stand for', () => {
  const part = fc.constantFrom(
    'a',
    '.',
    '/',
    '\\',
    '%',
    '2e',
    '2F',
    '5c',
    '25',
    '%2e',
    '%252E',
    '‥',
    '／',
    '⅟',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      expect(misread(parts.join(''))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('the patterns say the same as the functions', () => {
  const owner = new RegExp(REPO_OWNER_PATTERN, 'u');
  const name = new RegExp(REPO_NAME_PATTERN, 'u');
  const path = new RegExp(repoPathPattern(5), 'u');

  expect(['acme', 'acme/tools', 'acme/..', ''].map((text) => owner.test(text))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(['widgets', 'a/b', '..', 'a\nb'].map((text) => name.test(text))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(
    ['a/b', 'a/b/c', 'a', '/b', 'a/', 'a/../b', 'a/b%2fc', 'acmes/abc', 'acmes2/abc'].map((text) =>
      path.test(text),
    ),
  ).toEqual([true, true, false, false, false, false, false, true, false]);
});
