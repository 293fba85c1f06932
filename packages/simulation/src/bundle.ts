import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundle as bundleOf, type Plugin } from '@mq/bundle';
import type { TriggeredFault } from './weather.js';

interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** A test of this repository: its file below `packages/`, and its title without those of its `describe` blocks. */
export interface NamedTest {
  readonly file: string;
  readonly test: string;
  /** The file that declares the test, if `file` only runs it as part of a suite. */
  readonly declaredIn?: string;
}

/** A planted bug: a piece of source text that occurs exactly once, and its replacement. */
export interface Mutant extends Edit {
  readonly name: string;
  /** Below `packages/`. */
  readonly file: string;
  /** A second edit, for a guard that would hide the bug, in the same file or in another one. */
  readonly also?: Edit & { readonly file?: string };
  readonly why: string;
  /** A seed that shows the bug in a world with exactly `triggered`. It is run first. */
  readonly seed?: number;
  /** The triggered faults of the worlds in which the bug is searched; without them each seed draws its own. */
  readonly triggered?: readonly TriggeredFault[];
  /** The test that fails with the bug, if no seed is known to show it soon. */
  readonly caughtBy?: NamedTest;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const packages = resolve(here, '../..');

/** Bundles the simulation with the engine, the memory store and the fake host into one file, with an optional planted bug. */
export const bundle = async (mutant: Mutant | null): Promise<Bundle> =>
  bundleOf(join(here, 'worker.ts'), mutant === null ? [] : [await plant(mutant)]);

/** The changed sources by path. Throws if a text to replace does not occur exactly once. */
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
    const count = source.split(edit.find).length - 1;
    if (count !== 1)
      throw new Error(`Mutant ${name}: its text occurs ${count} times in ${edit.file}; it must occur once.`);
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
