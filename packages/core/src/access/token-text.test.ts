import { expect, test } from 'vitest';
import { digestOfToken, isTokenText, newTokenText, shownPrefix } from './token-text.js';

test('a token has a prefix, 30 random letters and a checksum of six', () => {
  const text = newTokenText();
  expect(text).toMatch(/^mqt_[0-9A-Za-z]{36}$/);
  expect(isTokenText(text)).toBe(true);
  expect(newTokenText()).not.toBe(text);
});

test('the checksum is the CRC-32 of prefix and letters in base 62', () => {
  // crc32('mqt_' + 30 zeros), computed by another program.
  expect(newTokenText(() => 0)).toBe('mqt_0000000000000000000000000000001vSYoA');
});

test('a token with one letter changed, cut off or added is none', () => {
  const text = newTokenText();
  const changed = Array.from(
    text,
    (letter, at) => `${text.slice(0, at)}${letter === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`,
  );
  for (const wrong of [...changed, text.slice(1), text.slice(0, -1), `${text}a`, ` ${text}`, '', 'mqt_'])
    expect(isTokenText(wrong), wrong).toBe(false);
});

test('what is shown of a token leaves 26 of its random letters secret', () => {
  const text = newTokenText();
  expect(shownPrefix(text)).toBe(text.slice(0, 8));
  expect(digestOfToken(text)).toMatch(/^[0-9a-f]{64}$/);
});
