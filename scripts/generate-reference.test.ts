import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencePages } from './generate-reference.js';

test.each(Object.entries(referencePages()))('%s is what the code says', (path, text) => {
  const written = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  expect(written, 'run `npm run generate` and commit the page').toBe(text);
});

test('settings that no rule reads are told apart from those that have an effect', () => {
  const settings = referencePages()['docs/reference/settings.md'] ?? '';
  const rowOf = (name: string) =>
    settings.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
  for (const name of ['concurrency', 'batch', 'pendingFailureDepth', 'notReadyTimeoutHours'])
    expect(rowOf(name)).toContain('| yes |');
  for (const name of ['commentsEnabled', 'stateLabelsEnabled']) expect(rowOf(name)).toContain('| not yet |');
});
