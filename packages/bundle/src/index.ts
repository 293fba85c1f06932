import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export type { Plugin };

export interface Bundle extends AsyncDisposable {
  /** The file that a process or a worker runs; it is gone once this is disposed of. */
  readonly path: string;
}

/**
 * An entry and the packages of this repository, from their sources, in one file of a temporary folder: without what a loader of
 * TypeScript puts around every function.
 */
export const bundle = async (entry: string, plugins: readonly Plugin[] = []): Promise<Bundle> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-bundle-'));
  const path = join(folder, 'bundle.mjs');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await build({
      entryPoints: [entry],
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
      plugins: [...plugins],
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: remove };
};
