import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { BUILT_FOLDER, EMPTY_STORE, programs } from './program.js';

/** Marks the plugin's own question, which esbuild answers. */
const RESOLVING = 'resolving';
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/**
 * Packages from the registry are imported from where the importing package has them. The output lies elsewhere, and
 * assets such as those of PGlite are found beside the code only.
 */
const externalPackages: Plugin = {
  name: 'external-packages',
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^[a-z@]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind === 'entry-point' || path.startsWith('@mq/') || isBuiltin(path) || pluginData === RESOLVING)
        return null;
      const found = await resolve(path, { kind, resolveDir, pluginData: RESOLVING });
      return { ...found, external: true };
    });
  },
};

/** Programs as one file each: from its sources, a server takes five times as much processor time to start. */
const buildPrograms = async (folder: string): Promise<void> => {
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(programs).map(([name, source]) => [name, join(PACKAGE, source)]),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['mq-source'],
    sourcemap: 'inline',
    logLevel: 'error',
    plugins: [externalPackages],
  });
};

/**
 * Builds the common starting point of all process tests, once. Workers and their child processes inherit the
 * variable.
 */
export const setup = async (): Promise<() => Promise<void>> => {
  // Beside `src`, so that the package.json that names the version is where it is for the sources.
  const folder = await mkdtemp(join(PACKAGE, '.built-'));
  await buildPrograms(folder);
  await promisify(execFile)(process.execPath, [join(folder, 'empty-store.mjs'), join(folder, EMPTY_STORE)]);
  process.env[BUILT_FOLDER] = folder;
  return () => rm(folder, { recursive: true, force: true });
};
