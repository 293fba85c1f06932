import { expect, test } from 'vitest';
import { settingsFields } from '../generated/settings-fields.js';
import { differencesOf, type Form, requestOf } from './settings.js';

const form = (changes: Partial<Form> = {}): Form =>
  ({
    ...Object.fromEntries(settingsFields.map(({ name }) => [name, ''])),
    concurrency: '3',
    ...changes,
  }) as Form;

test('only what differs is sent, as the operation takes it', () => {
  const after = form({
    concurrency: '5',
    batch: 'true',
    requiredStatuses: ' unit \n\nlint',
    batchingRules: '//db/*',
    mergeMethod: 'rebase',
  });
  expect(requestOf(form(), after)).toEqual({
    concurrency: 5,
    batch: true,
    requiredStatuses: ['unit', 'lint'],
    batchingRules: [{ targetPattern: '//db/*', policy: 'isolate' }],
    mergeMethod: 'rebase',
  });
  expect(differencesOf(form(), form({ concurrency: ' 3 ' }))).toEqual([]);
});

test('an emptied list of required checks returns to those of the code host', () => {
  expect(requestOf(form({ requiredStatuses: 'unit' }), form({ requiredStatuses: '' }))).toEqual({
    requiredStatuses: null,
  });
});
