import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Known, knownIn, pageOf, withoutStrays, withReport } from './mutation.mjs';

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

test('everything that survived stands in a line that is there', () => {
  const { survivors } = knownIn(root);
  expect(survivors, 'run `npm run generate` and commit what it drops').toEqual(
    withoutStrays(knownIn(root), root).survivors,
  );
});

test('a result is dropped when its line has changed, or its file is gone', () => {
  const moved = [
    { ...survivor, line: 'return 1;' },
    { ...survivor, file: 'decide/gone.ts' },
  ];
  expect(withoutStrays({ ...known, survivors: [survivor, ...moved] }, root)).toEqual(known);
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

test('the page tells each survivor with the reason why, and who has none', () => {
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
