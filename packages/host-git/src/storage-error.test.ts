import { expect, test } from 'vitest';
import { isStorageFailure } from './storage-error.js';

test.each([
  'fatal: unable to write loose object file: No space left on device\n',
  'error: unable to create temporary file: Read-only file system\nfatal: failure to merge\n',
  'error: unable to write file <repository>/objects/ab/cd: Disk quota exceeded\n',
  'error: insufficient permission for adding an object to repository database objects\n\nfatal: failure to merge\n',
])('git that says %j cannot write objects', (stderr) => {
  expect(isStorageFailure(stderr)).toBe(true);
});

test.each([
  '',
  'fatal: unable to read tree 1234\n',
  'error: add_cacheinfo failed for path "a\nfatal: unable to write loose object file: No space left on device"\n',
  'fatal: cannot merge "error: unable to write file"\n',
])('git that says %j may be stopped by a pull request', (stderr) => {
  expect(isStorageFailure(stderr)).toBe(false);
});
