import { existsSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** The one way a package is built: ESM for Node 20, with types, into `dist`. */
export function packageBuild(entry: readonly string[] = ['src/index.ts']) {
  return defineConfig({
    entry: entry.filter((file) => existsSync(file)),
    format: ['esm'],
    target: 'node20',
    platform: 'node',
    dts: { entry: ['src/index.ts'] },
    clean: true,
    sourcemap: true,
    silent: true,
  });
}
