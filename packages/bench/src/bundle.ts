import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface Bundle extends AsyncDisposable {
  /** The file that a child process runs. */
  readonly path: string;
}

/** What a child runs and the engine in one file, without what a loader of TypeScript puts around every function. */
export const bundle = async (child: 'child' | 'store/child'): Promise<Bundle> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-bench-'));
  const path = join(folder, 'bench.mjs');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await build({
      entryPoints: [fileURLToPath(new URL(`${child}.ts`, import.meta.url))],
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
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: remove };
};
