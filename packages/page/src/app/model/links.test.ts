import { expect, test } from 'vitest';
import { safeLink } from './links.js';

test('only addresses of http and https, and paths of this server, become links', () => {
  expect(safeLink('https://ci.example/log/1')).toBe('https://ci.example/log/1');
  expect(safeLink('/logs/acme/shop/1?until=1&key=2')).toBe('/logs/acme/shop/1?until=1&key=2');
  for (const address of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'log',
    '',
    null,
    undefined,
  ])
    expect(safeLink(address), String(address)).toBeNull();
});
