import { describe, expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.js';

describe('the canonical text of a JSON value', () => {
  test('canonical JSON does not depend on the order of keys', () => {
    expect(canonicalJson({ b: 1, a: { d: [], c: null } })).toBe(
      canonicalJson({ a: { c: null, d: [] }, b: 1 }),
    );
  });

  test('canonical JSON matches the examples of RFC 8785', () => {
    const value = {
      numbers: JSON.parse('[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]'),
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(
      Object.values(
        JSON.parse(
          `[${canonicalJson(keys)
            .replace(/"[^"]*":/g, '')
            .slice(1, -1)}]`,
        ),
      ),
    ).toEqual([2, 4, 6, 7, 1, 5, 3]);
  });

  test('canonical JSON writes characters and numbers like JSON', () => {
    const characters = Array.from({ length: 0x120 }, (_, code) => `a${String.fromCharCode(code)}`);
    for (const text of [...characters, '', '\n', '"', '\\', '\ud800', '\u2028'])
      expect(canonicalJson({ [text]: text })).toBe(JSON.stringify({ [text]: text }));
    for (const number of [0, -0, 1e21, 1e-7, 5e-324, Number.MAX_SAFE_INTEGER, -1.5])
      expect(canonicalJson(number)).toBe(JSON.stringify(number));
  });

  test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1])(
    'canonical JSON rejects %s',
    (value) => {
      expect(() => canonicalJson({ value })).toThrow(TypeError);
    },
  );
});
