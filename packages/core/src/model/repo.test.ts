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
  'a\\b',
  'a%5cb',
  'a%2eb',
  'a%00b',
  'a%252Fb',
  'a％2fb',
  'a％２Ｆb',
  '℀',
])('%j is not the name of a repository', (name) => {
  expect(isRepoName(name)).toBe(false);
});

test('an owner is one group or several, none of them empty or `..`', () => {
  expect(['acme', 'acme/platform/tools', '100%', 'a"b'].map(isRepoOwner)).toEqual([true, true, true, true]);
  expect(
    [
      '',
      '/acme',
      'acme/',
      'acme//tools',
      'acme/..',
      '..',
      'acme/．',
      'a%2Fb',
      'a%2fb/c',
      'a/b%5Cc',
      'a\\b',
      'a／b',
      '℀',
    ].map(isRepoOwner),
  ).toEqual(Array.from({ length: 13 }, () => false));
});

const normalized = (text: string): string => text.normalize('NFKC').replace(/[\u2044\u2215\u29f8]/g, '/');
/** True if a host that undoes escapes or replaces look-alikes reads no other parts, and none that is empty or a folder. */
const isPlain = (text: string): boolean =>
  !/%[\da-f]{2}|\\/i.test(normalized(text)) &&
  normalized(text).split('/').length === text.split('/').length &&
  normalized(text)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..');

const misread = (text: string): readonly string[] => [
  ...(isRepoOwner(text) === isPlain(text) ? [] : [`owner ${JSON.stringify(text)}`]),
  ...(isRepoName(text) === (isPlain(text) && !text.includes('/')) ? [] : [`name ${JSON.stringify(text)}`]),
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

test('escapes of any depth and in any place are refused, as are look-alikes', () => {
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
