import { expect, test } from 'vitest';
import { prList, rowSentence, withoutIds } from './words.js';

const ID = '3d3cc1d0-0000-4000-8000-000000000002';

test('sentences are shown without the ids of test runs', () => {
  expect(withoutIds(`Tested with #43 on top of #41 (test run ${ID}).`)).toBe(
    'Tested with #43 on top of #41.',
  );
  expect(withoutIds(`Test run ${ID} of #41 passed.`)).toBe('The test run of #41 passed.');
  expect(withoutIds(`#41 is in test run ${ID} and waits.`)).toBe('#41 is in a test run and waits.');
});

test('the sentence of a row leaves out the number that stands beside it', () => {
  expect(rowSentence('#41 waits for a slot.', 41)).toBe('Waits for a slot.');
  expect(rowSentence('The queue is paused.', 41)).toBe('The queue is paused.');
});

test('a long list of pull requests is cut', () => {
  expect(prList([1, 2, 3], 2)).toBe('#1, #2, 1 more');
});
