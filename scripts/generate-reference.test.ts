import { readFileSync } from 'node:fs';
import { queueSettings } from '@mq/core';
import { expect, test } from 'vitest';
import { referencePages } from './generate-reference.js';

test.each(Object.entries(referencePages()))('%s is what the code says', (path, text) => {
  const written = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  expect(written, 'run `npm run generate` and commit the page').toBe(text);
});

test('every setting has a description', () => {
  const missing = Object.entries(queueSettings.shape).flatMap(([name, { description }]) =>
    description ? [] : [name],
  );
  expect(missing).toEqual([]);
});

test('the page of settings says which of them no rule reads', () => {
  const settings = referencePages()['docs/reference/settings.md'] ?? '';
  const rowOf = (name: string) =>
    settings.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
  for (const name of [
    'concurrency',
    'batch',
    'pendingFailureDepth',
    'notReadyTimeoutHours',
    'trustForkTargets',
    'createPrsForTestingBranches',
    'commentsEnabled',
    'labelCommandsEnabled',
    'stateLabelsEnabled',
  ])
    expect(rowOf(name)).toContain('| yes |');
  for (const name of ['extensionEnabled']) expect(rowOf(name)).toContain('| not yet |');
});
