import { describe, expect, test } from 'vitest';
import { treeFaults } from './tree-faults.js';

const entry = (text: string, byte = 1): Buffer =>
  Buffer.concat([Buffer.from(`${text}\0`), Buffer.alloc(20, byte)]);
const faultsOf = (...entries: readonly Buffer[]): readonly (string | null)[] => [
  ...treeFaults(Buffer.concat(entries), 20),
];

describe('faults of a tree', () => {
  test('a tree as git writes it has no faults', () => {
    const entries = [
      '100644 a-b',
      '40000 a',
      '100755 a0',
      '120000 link',
      '160000 module',
      '040000 old',
      '100664 x',
    ];
    expect(faultsOf(...entries.map((text) => entry(text)))).toEqual([]);
    expect(faultsOf()).toEqual([]);
  });

  test.each([
    ['100644 a/b', 'an entry with the name "a/b"'],
    ['40000 .GIT', 'an entry with the name ".GIT"'],
    ['100644 .', 'an entry with the name "."'],
    ['100644 ..', 'an entry with the name ".."'],
    ['100644 ', 'an entry without a name'],
    ['10z644 a', 'an entry "a" without a valid mode'],
    ['100644 a\nb/', 'an entry with the name "a b/"'],
  ])('an entry %j has a fault', (text, fault) => {
    expect(faultsOf(entry(text))).toEqual([fault]);
  });

  test('an entry with the null id has a fault, whatever its mode', () => {
    for (const mode of ['100644', '40000', '160000'])
      expect(faultsOf(entry(`${mode} a`, 0))).toEqual(['an entry "a" without an object']);
  });

  test('entries with the same name or in the wrong order have faults, also if others stand between them', () => {
    expect(faultsOf(entry('100644 b'), entry('100644 a'))).toEqual(['an entry "a" in the wrong order']);
    expect(faultsOf(entry('100644 a'), entry('100644 a-b'), entry('40000 a'))).toEqual([
      'two entries with the name "a"',
    ]);
  });

  test.each(['40755', '040000', '40001', '1040000'])(
    'an entry with the mode %s stands where git expects a folder',
    (mode) => {
      const [folder, file] = [entry(`${mode} a`), entry('100644 a.b')];
      expect(faultsOf(file, folder)).toEqual([]);
      expect(faultsOf(folder, file)).toEqual(['an entry "a.b" in the wrong order']);
    },
  );

  test('a large tree can be read with pauses', () => {
    const entries = Array.from({ length: 12_000 }, (_, at) => entry(`100644 ${10_000 + at}`));
    expect(faultsOf(...entries)).toEqual([null, null]);
  });

  test('a tree that ends within an entry, or is no tree, has a fault', () => {
    for (const content of ['100644 a', '100644', 'no tree', '100644 a\0short'])
      expect(faultsOf(Buffer.from(content))).toEqual(['a tree that is cut off']);
  });
});
