import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { mutants } from '../mutants/mutants.js';
import { planted } from './bundle.js';

describe('a planted bug', () => {
  test.for(mutants.map((mutant) => [mutant.name, mutant] as const))(
    'the text that %s replaces occurs exactly once in the source',
    async ([, mutant]) => {
      expect([...(await planted(mutant)).values()].join('\n')).toContain(mutant.replace);
    },
  );

  test.for(
    mutants.flatMap(({ name, caughtBy }) => (caughtBy === undefined ? [] : [[name, caughtBy] as const])),
  )('the test that %s names exists', async ([, { file, test: name, declaredIn = file }]) => {
    const source = await readFile(new URL(`../../${declaredIn}`, import.meta.url), 'utf8');
    expect([`'${name}'`, `"${name}"`].filter((quoted) => source.includes(quoted))).toHaveLength(1);
  });
});
