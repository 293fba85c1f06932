import { expect, test } from 'vitest';
import { SecretBox } from './secret-box.js';

const box = new SecretBox(Buffer.alloc(32, 1));

test('opens what it sealed, in the same context only', () => {
  const sealed = box.seal('whsec_ä ✓', 'one');
  expect(sealed).not.toContain('whsec_');
  expect(box.open(sealed, 'one')).toBe('whsec_ä ✓');
  expect(box.open(sealed, 'two')).toBe(null);
  expect(new SecretBox(Buffer.alloc(32, 2)).open(sealed, 'one')).toBe(null);
});

test('seals the same text differently each time', () => {
  expect(box.seal('text', 'one')).not.toBe(box.seal('text', 'one'));
});

test('opens nothing that was changed, cut or never sealed', () => {
  const sealed = box.seal('text', 'one');
  const bytes = Buffer.from(sealed.slice(3), 'base64');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(box.open(`v1:${changed.toString('base64')}`, 'one'), `byte ${at}`).toBe(null);
  }
  for (const other of ['', 'v1:', sealed.slice(3), sealed.slice(0, 20), 'text'])
    expect(box.open(other, 'one'), other).toBe(null);
});

test('a key of another length is refused', () => {
  expect(() => new SecretBox(Buffer.alloc(16))).toThrow(RangeError);
});
