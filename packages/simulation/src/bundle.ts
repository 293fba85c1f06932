import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundle as bundleOf, type Plugin } from '@mq/bundle';
import type { SquallClass } from './weather.js';

interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** A test of this repository: its file below `packages/`, and its own name, without those of what it stands in. */
export interface NamedTest {
  readonly file: string;
  readonly test: string;
  /** The file in which its name is written, where that is a suite that `file` runs. */
  readonly declaredIn?: string;
}

/** A planted bug: a piece of source text that occurs exactly once, and what stands in its place. */
export interface Mutant extends Edit {
  readonly name: string;
  /** Below `packages/`. */
  readonly file: string;
  /** A second guard that would hide the bug, in the same file or in another one. */
  readonly also?: Edit & { readonly file?: string };
  readonly why: string;
  /** A seed that shows it, in a world with `squalls` and no others: it is lived through first. */
  readonly seed?: number;
  /** The squalls of the worlds in which it is looked for, where these are not left to the seeds. */
  readonly squalls?: readonly SquallClass[];
  /** The test that fails with it, where no seed is known to show it soon. */
  readonly caughtBy?: NamedTest;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const packages = resolve(here, '../..');

/** The simulation with the engine, the memory store and the fakes in one file; with a bug planted where one is given. */
export const bundle = async (mutant: Mutant | null): Promise<Bundle> =>
  bundleOf(join(here, 'worker.ts'), mutant === null ? [] : [await plant(mutant)]);

/** The sources with the bug in them, by path. Throws where a place of it is not found, or is not the only one. */
export const planted = async ({
  name,
  file,
  find,
  replace,
  also,
}: Mutant): Promise<ReadonlyMap<string, string>> => {
  const sources = new Map<string, string>();
  for (const edit of [{ file, find, replace }, ...(also === undefined ? [] : [{ file, ...also }])]) {
    const path = join(packages, edit.file);
    const source = sources.get(path) ?? (await readFile(path, 'utf8'));
    const found = source.split(edit.find).length - 1;
    if (found !== 1)
      throw new Error(`Mutant ${name}: its text occurs ${found} times in ${edit.file}; once is needed.`);
    sources.set(
      path,
      source.replace(edit.find, () => edit.replace),
    );
  }
  return sources;
};

const plant = async (mutant: Mutant): Promise<Plugin> => {
  const sources = await planted(mutant);
  return {
    name: mutant.name,
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = sources.get(path);
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
    },
  };
};
