import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { couldRun, needs } from './needs.mjs';

test('a skipped test could have been run, unless its file needs what the machine lacks', () => {
  expect(couldRun('packages/core/src/decide/decide.test.ts > a test')).toBe(true);
  expect(couldRun('packages/store-postgres/test/folder.test.ts > a test')).toBe(process.platform === 'linux');
});

test('every file that is listed with a need of the machine exists', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  expect(Object.keys(needs).filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
});
