import { existsSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** The one way a package is built: ESM, with types, into `dist`; for Node 20, or for every runtime of JavaScript (`neutral`). `onSuccess` builds what comes beside. */
export function packageBuild(
  entry: readonly string[] = ['src/index.ts'],
  platform: 'node' | 'neutral' = 'node',
  onSuccess: () => Promise<void> = async () => undefined,
) {
  return defineConfig({
    entry: entry.filter((file) => existsSync(file)),
    format: ['esm'],
    target: platform === 'node' ? 'node20' : 'es2022',
    platform,
    dts: { entry: ['src/index.ts'] },
    clean: true,
    sourcemap: true,
    silent: true,
    onSuccess,
  });
}
