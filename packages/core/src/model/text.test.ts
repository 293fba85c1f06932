import { expect, test } from 'vitest';
import { hasLineCharacters, hasNameCharacters, oneLine } from './text.js';

test.each([
  ['a control character', 'a\u0007b'],
  ['a line feed', 'a\nb'],
  ['a lone surrogate', 'a\ud800'],
  ['a line separator', 'a\u2028b'],
  ['a bidirectional override', 'a\u202eb'],
  ['a bidirectional isolate', 'a\u2066b'],
])('%s stands neither in a line nor in a name', (_, text) => {
  expect([hasLineCharacters(text), hasNameCharacters(text)]).toEqual([false, false]);
});

test('a mark of direction stands in a line, and not in a name', () => {
  expect([hasLineCharacters('שלום\u200f!'), hasNameCharacters('main\u200e')]).toEqual([true, false]);
});

test('letters of any script and pairs of surrogates stand in names', () => {
  expect(hasNameCharacters('Größe/日本語/😀')).toBe(true);
});

test('one line for a terminal keeps what is shown as itself', () => {
  expect(oneLine('Grüße 😀 שלום\u200f')).toBe('Grüße 😀 שלום\u200f');
  expect(oneLine('a\r\n\u001b[31mb\u202ec\ud800')).toBe('a [31mb\ufffdc\ufffd');
});
