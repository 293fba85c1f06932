import { expect, test } from 'vitest';
import {
  charactersIn,
  hasLineCharacters,
  hasNameCharacters,
  nameOf,
  oneLine,
  trimmedNameOf,
} from './text.js';

test.each([
  ['a control character', 'a\u0007b'],
  ['a line feed', 'a\nb'],
  ['a lone surrogate', 'a\ud800'],
  ['a line separator', 'a\u2028b'],
  ['a bidirectional override', 'a\u202eb'],
  ['a bidirectional isolate', 'a\u2066b'],
])('%s is not allowed in a line or a name', (_, text) => {
  expect([hasLineCharacters(text), hasNameCharacters(text)]).toEqual([false, false]);
});

test('direction marks are allowed in a line but not in a name', () => {
  expect([hasLineCharacters('שלום\u200f!'), hasNameCharacters('main\u200e')]).toEqual([true, false]);
});

test('names can have letters of any script and surrogate pairs', () => {
  expect(hasNameCharacters('Größe/日本語/😀')).toBe(true);
});

test('oneLine keeps visible characters', () => {
  expect(oneLine('Grüße 😀 שלום\u200f')).toBe('Grüße 😀 שלום\u200f');
  expect(oneLine('a\r\n\u001b[31mb\u202ec\ud800')).toBe('a [31mb\ufffdc\ufffd');
});

test('a pair of surrogates is one character, and a lone one is one', () => {
  expect(['', 'a', '😀', 'a😀b', '\ud83d', '\ude00\ud83d', '😀\ud83d'].map(charactersIn)).toEqual([
    0, 1, 1, 3, 1, 2, 2,
  ]);
});

test('a name at its limit is taken, counted in characters', () => {
  const fits = (text: string): boolean => nameOf(3).safeParse(text).success;

  expect(['', 'abc', 'abcd', '😀😀😀', '😀😀😀😀'].map(fits)).toEqual([false, true, false, true, false]);
});

test('white space around a name is dropped before it is measured', () => {
  expect(trimmedNameOf(3).parse(' abc\n')).toBe('abc');
  expect(trimmedNameOf(3).safeParse('  ').success).toBe(false);
});
