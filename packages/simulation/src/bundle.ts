import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** A planted bug: a piece of source text that occurs exactly once, and what stands in its place. */
export interface Mutant extends Edit {
  readonly name: string;
  /** Below `packages/`. */
  readonly file: string;
  /** A second guard in the same file that would hide the bug. */
  readonly also?: Edit;
  readonly why: string;
}

export interface Bundle extends AsyncDisposable {
  /** The file that a worker runs. */
  readonly path: string;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const packages = resolve(here, '../..');

/** The simulation with the engine, the memory store and the fakes in one file; with a bug planted where one is given. */
export const bundle = async (mutant: Mutant | null): Promise<Bundle> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-simulation-'));
  const path = join(folder, `${mutant?.name ?? 'sound'}.mjs`);
  try {
    const plugins = mutant === null ? [] : [await plant(mutant)];
    await build({
      entryPoints: [join(here, 'worker.ts')],
      outfile: path,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      conditions: ['mq-source'],
      sourcemap: 'inline',
      logLevel: 'error',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      plugins,
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
};

/** The source with the bug in it. Throws where its place is not found, or is not the only one. */
export const planted = async ({ name, file, find, replace, also }: Mutant): Promise<string> => {
  let source = await readFile(join(packages, file), 'utf8');
  for (const edit of also === undefined ? [{ find, replace }] : [{ find, replace }, also]) {
    const found = source.split(edit.find).length - 1;
    if (found !== 1)
      throw new Error(`Mutant ${name}: its text occurs ${found} times in ${file}; once is needed.`);
    source = source.replace(edit.find, () => edit.replace);
  }
  return source;
};

const plant = async (mutant: Mutant): Promise<Plugin> => {
  const path = join(packages, mutant.file);
  const contents = await planted(mutant);
  return {
    name: mutant.name,
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, (args) => (args.path === path ? { contents, loader: 'ts' } : undefined));
    },
  };
};
