import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathText } from '../src/problem-reply.js';
import { operations } from '../src/routes.js';
import { parse } from '../src/schemas/common.js';
import { document, isByRules, isCanonical, isDescribed } from './contract-check.js';
import { validRequests } from './world.js';

type Node = Readonly<Record<string, unknown>>;

/** Marks a field to be left out. */
const leftOut = Symbol('left out');

/** Typical wrong values, and values that are valid in some field. */
const values: readonly unknown[] = [
  leftOut,
  ...[
    null,
    true,
    false,
    0,
    1,
    7,
    -1,
    1.5,
    50,
    51,
    101,
    255,
    256,
    1000,
    1001,
    10_080,
    10_081,
    2 ** 32 - 1,
    2 ** 32,
  ],
  ...[
    1e20,
    2 ** 53,
    '',
    ' ',
    'a',
    ' a ',
    'main',
    'a\nb',
    'a\u2028',
    'a\u200e',
    '\ud800',
    'a\ud800b',
    '\u00a0a',
    '\ufeff',
  ],
  ...[
    '.',
    '..',
    '%2e',
    '%252e.',
    'a/b',
    'a//b',
    'a\\b',
    '½',
    '⅟',
    '．',
    'a/..',
    '/',
    '*',
    'a*',
    '*a',
    'a *',
    ' * ',
    'a**',
  ],
  ...[
    '7',
    '007',
    '0',
    '0000000000',
    '4294967295',
    '4294967296',
    '99999999999',
    ' 7',
    '7.0',
    '1e1',
    '+7',
    '٧',
  ],
  ...['x'.repeat(250), 'x'.repeat(251), 'x'.repeat(255), 'x'.repeat(256), '😀'.repeat(250), '😀'.repeat(256)],
  ...[
    'x'.repeat(1000),
    '😀'.repeat(1000),
    '😀'.repeat(1001),
    'x'.repeat(2000),
    'x'.repeat(2001),
    'x'.repeat(4001),
  ],
  ...[
    'a'.repeat(40),
    'A'.repeat(64),
    'a'.repeat(41),
    'g'.repeat(40),
    'ALL',
    'all',
    'Impacts_All',
    'IMPACTS ALL',
  ],
  ...[
    'squash',
    'SQUASH',
    'Merge_Commit',
    'single',
    'PARALLEL',
    'off',
    'always',
    'ıſolate',
    'ISOLATE',
    'running',
  ],
  ...[
    'paused',
    'switching_modes',
    'queue',
    'HOST',
    'urgent',
    'High',
    'not_ready',
    'rename_temp_branch',
    '\u212a',
  ],
  ...[
    '2026-09-17T10:16:02.000Z',
    '2026-09-17T10:16Z',
    '2026-09-17t10:16:02z',
    '2026-02-29T00:00:00Z',
    '2026-09-17',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '2026-09-17T10:16:60Z',
    '2026-09-17T10:16:02+02:00',
    '2026-09-17 10:16:02Z',
  ],
  ...[
    [],
    [''],
    ['a'],
    ['a', 'a'],
    [' '],
    [1],
    [null],
    Array(51).fill('a'),
    Array(101).fill('a'),
    ['ALL'],
    [{}],
  ],
  ...[
    {},
    { sentence: 'so' },
    { sentence: null },
    { sentence: '' },
    { number: 1 },
    { number: '1' },
    { branch: 'a' },
  ],
  ...[
    { number: 1, branch: 'a' },
    { number: 1, sha: 'b'.repeat(40) },
    [{ number: 1 }],
    [{ number: '2' }, { number: 0 }],
  ],
  [{ targetPattern: 'a*', policy: 'Isolate' }],
  [{ targetPattern: 'a*b', policy: 'isolate' }],
];

const fieldsOf = (node: Node | undefined, path: readonly string[]): readonly (readonly string[])[] => {
  const named = document.components.schemas[String(node?.$ref).split('/').at(-1) ?? ''];
  if (named !== undefined) return fieldsOf(named, path);
  return Object.entries((node?.properties ?? {}) as Record<string, Node>).flatMap(([name, inner]) => [
    [...path, name],
    ...fieldsOf(inner, [...path, name]),
  ]);
};

const changed = (body: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown => {
  const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  const { [key]: inner, ...others } = object as Readonly<Record<string, unknown>>;
  if (rest.length === 0 && value === leftOut) return others;
  return { ...object, [key]: rest.length === 0 ? value : changed(inner, rest, value) };
};

const bodyOf = (name: string): Node | undefined =>
  document.paths[`/${name}`]?.post?.requestBody?.content?.['application/json']?.schema;

const isRefusedByRules = (name: string, body: Parameters<typeof parse>[0], sent: unknown): boolean => {
  const result = parse(body, sent);
  return (
    !('value' in result) &&
    isByRules(
      name,
      result.faults.map(({ path }) => pathText(path)),
    )
  );
};

test.each(operations.map(({ name, body }) => [name, body] as const))(
  '%s accepts what the document describes, and nothing else',
  (name, body) => {
    const fields = fieldsOf(bodyOf(name), []);
    if (fields.length === 0) return;
    const change = fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...values));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
        const sent = changes.reduce<unknown>(
          (whole, [path, value]) => changed(whole, path, value),
          validRequests[name],
        );
        if (isRefusedByRules(name, body, sent)) return true;
        const accepted = 'value' in parse(body, sent);
        expect({ sent, accepted }).toEqual({ sent, accepted: isDescribed(name, sent) });
        return isDescribed(name, sent) || !isCanonical(name, sent);
      }),
      { numRuns: 400 },
    );
  },
);

test.each(operations.map(({ name, body }) => [name, body] as const))(
  '%s accepts each sample value in each field exactly as the document says',
  (name, body) => {
    const wrong = fieldsOf(bodyOf(name), []).flatMap((path) =>
      values
        .map((value) => changed(validRequests[name], path, value))
        .filter(
          (sent) =>
            !isRefusedByRules(name, body, sent) && 'value' in parse(body, sent) !== isDescribed(name, sent),
        )
        .map((sent) => `${path.join('.')} ${JSON.stringify(sent).slice(0, 300)}`),
    );
    expect(wrong).toEqual([]);
  },
);
