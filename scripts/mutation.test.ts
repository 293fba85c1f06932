import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Known, knownIn, pageOf, requireLines, strayRecords, withReport } from './mutation.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const file = 'decide/moves/retry.ts';
const line = 'Math.min(context.pace.retryDelayMs * 2 ** tries, longestMs);';
const survivor = {
  file,
  line,
  changes: ['2 ** tries → 2 * tries'],
  because: 'It differs from the third on.',
};
const known: Known = {
  files: {
    [file]: { killed: 3, timeout: 0, alive: 1 },
    'explain/phrases.ts': { killed: 1, timeout: 1, alive: 0 },
  },
  survivors: [survivor],
};

/** A report of one file with this line in it, as the only one that changes survive in. */
const reportOf = (source: string) => {
  const at = source.split('\n').findIndex((one) => one.includes('2 ** tries')) + 1;
  const location = { start: { line: at, column: 1 }, end: { line: at, column: 4 } };
  return {
    files: {
      [`packages/core/src/${file}`]: {
        source,
        mutants: [
          { status: 'Survived', location, replacement: '0' },
          { status: 'Killed', location, replacement: '1' },
        ],
      },
    },
  };
};

test('every record of a survivor names a line of its file', () => {
  expect(() => requireLines(knownIn(root), root)).not.toThrow();
});

test('a record whose line was renamed or whose file is gone is refused by name, with the remedy', () => {
  const renamed = { ...survivor, line: 'return 1;' };
  const gone = { ...survivor, file: 'decide/gone.ts' };

  expect(() => requireLines({ ...known, survivors: [survivor, renamed] }, root)).toThrow(
    expect.objectContaining({
      message: `A record in scripts/mutation-known.json cannot be found in the source:\n  packages/core/src/${file}: return 1;`,
      remedy: expect.stringContaining(`npm run mutation -- --mutate packages/core/src/${file}`),
    }),
  );
  expect(strayRecords({ ...known, survivors: [survivor, renamed, gone] }, root)).toEqual([renamed, gone]);
});

test('a line keeps its explanation wherever it moves to, and loses it when it changes', () => {
  const moved = withReport(known, reportOf(`// One.\n// Two.\n  ${line}\n`));
  expect(moved.survivors).toEqual([{ ...survivor, changes: ['M → 0'] }]);

  const changed = withReport(known, reportOf(`${line.replace('longest', 'shortest')}\n`));
  expect(changed.survivors).toMatchObject([{ line: line.replace('longest', 'shortest'), because: null }]);
});

test('a run of one file leaves what is known of the others', () => {
  const { files } = withReport(known, reportOf(`${line}\n`));
  expect(files).toEqual({
    [file]: { killed: 1, timeout: 0, alive: 1 },
    'explain/phrases.ts': known.files['explain/phrases.ts'],
  });
});

test('the page lists each survivor with its reason, and those without one', () => {
  const page = pageOf({
    ...known,
    survivors: [survivor, { ...survivor, file: 'explain/phrases.ts', because: null }],
  });
  expect(page).toContain(
    '| decide/moves/retry.ts | 3 | 0 | 1 | 75.0 % |\n| **all of decide/** | 3 | 0 | 1 | 75.0 % |',
  );
  expect(page).toContain(
    '| explain/phrases.ts | 1 | 1 | 0 | 100.0 % |\n| **all of explain/** | 1 | 1 | 0 | 100.0 % |',
  );
  expect(page).toContain(`- \`${line}\`: \`2 ** tries → 2 * tries\`. It differs from the third on.`);
  expect(page).toContain('Not explained: a test may be missing.');
});
