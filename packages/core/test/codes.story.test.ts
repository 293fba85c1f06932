import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reasons, waits } from '../src/index.js';

const directory = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const here = directory('.');
const scenarios = directory('../../testkit/src/scenarios/');

/** What is told of whole engines: stories, and scenarios. This file only looks at them. */
const told = [
  ...readdirSync(here)
    .filter((file) => file.endsWith('.story.test.ts') && file !== 'codes.story.test.ts')
    .map((file) => `${here}/${file}`),
  ...readdirSync(scenarios)
    .filter((file) => file.startsWith('group-'))
    .map((file) => `${scenarios}/${file}`),
].map((file) => readFileSync(file, 'utf8'));

/** No verb of a story takes such a code: where one stands in quotes, it is what is expected. */
const isShown = (code: string): boolean =>
  told.some((text) => text.includes(`'${code}'`) || text.includes(`hasOnRecord(/${code}`));

test('every reason is shown by a story or a scenario', () => {
  expect(Object.keys(reasons).filter((code) => !isShown(code))).toEqual([]);
});

test('every wait is shown by a story or a scenario', () => {
  expect(Object.keys(waits).filter((code) => !isShown(code))).toEqual([]);
});
