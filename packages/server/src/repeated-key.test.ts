import { expect, test } from 'vitest';
import { repeatedKey } from './repeated-key.js';

test.each([
  ['{"a": 1, "a": 2}', ['a']],
  ['{"a": {"b": [0, {"c": 1, "c": 2}]}}', ['a', 'b', 1, 'c']],
  ['{"a": 1, "\\u0061": 2}', ['a']],
  [String.raw`{"say \"{": "}, \"a\": {", "a": 1, "a": 1}`, ['a']],
])('the key that %s gives twice is named by its path', (json, path) => {
  expect(repeatedKey(json)).toEqual(path);
});

test.each(['{}', '[]', '1', '"a"', '{"a": {"a": [{"a": 1}, {"a": 2}]}, "b": "a"}'])(
  '%s gives no key twice',
  (json) => {
    expect(repeatedKey(json)).toBeNull();
  },
);
