import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reasons, waits } from '../src/index.js';

const directory = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const here = directory('.');
const scenarios = directory('../../testkit/src/scenarios/');

/** The texts of all stories and scenarios, which this file only reads. */
const texts = [
  ...readdirSync(here)
    .filter((file) => file.endsWith('.story.test.ts') && file !== 'codes.story.test.ts')
    .map((file) => `${here}/${file}`),
  ...readdirSync(scenarios)
    .filter((file) => file.startsWith('group-'))
    .map((file) => `${scenarios}/${file}`),
].map((file) => readFileSync(file, 'utf8'));

/** A code in quotes is an expectation, as no step of a story takes a code. */
const isShown = (code: string): boolean =>
  texts.some((text) => text.includes(`'${code}'`) || text.includes(`hasOnRecord(/${code}`));

test('every reason is covered by a story or a scenario', () => {
  expect(Object.keys(reasons).filter((code) => !isShown(code))).toEqual([]);
});

test('every wait is covered by a story or a scenario', () => {
  expect(Object.keys(waits).filter((code) => !isShown(code))).toEqual([]);
});
