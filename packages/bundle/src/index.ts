import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export type { Plugin };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Removes the folder if a signal ends this process, which would leave it behind. Returns how to call that off. */
const removeWhenEnded = (folder: string): (() => void) => {
  const onSignal = (signal: NodeJS.Signals) => {
    rmSync(folder, { recursive: true, force: true });
    forget();
    // Other handlers of the signal still run. Without one, the signal ends the process as usual.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const forget = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return forget;
};

export interface Bundle extends AsyncDisposable {
  /** The file that a process or a worker runs; it is gone once this is disposed of. */
  readonly path: string;
}

/**
 * Bundles an entry and the packages of this repository, from their sources, into one file of a temporary folder. It
 * lacks the wrappers that a TypeScript loader puts around functions.
 */
export const bundle = async (entry: string, plugins: readonly Plugin[] = []): Promise<Bundle> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-bundle-'));
  const path = join(folder, 'bundle.mjs');
  const forget = removeWhenEnded(folder);
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    forget();
  };
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
