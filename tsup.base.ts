import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

/** The one way a package is built: ESM, with types, into `dist`; for Node 20, or for every runtime of JavaScript (`neutral`). `onSuccess` builds what comes beside. */
export function packageBuild(
  entry: readonly string[] = ['src/index.ts'],
  platform: 'node' | 'neutral' = 'node',
  onSuccess: () => Promise<void> = async () => undefined,
) {
  return defineConfig({
    ...built(entry, platform),
    dts: { entry: ['src/index.ts'] },
    sourcemap: true,
    onSuccess,
  });
}

/** A command with everything that it needs, its development dependencies, so that it is installed without another package. */
export function commandBuild(entry: string) {
  return defineConfig({
    ...built([entry], 'node'),
    noExternal: [/^(?!node:)/],
    // CommonJS packages inside of a bundle call `require` for what Node brings along.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    esbuildPlugins: [licences],
  });
}

const built = (entry: readonly string[], platform: 'node' | 'neutral'): Options => ({
  entry: entry.filter((file) => existsSync(file)),
  format: ['esm'],
  target: platform === 'node' ? 'node20' : 'es2022',
  platform,
  clean: true,
  silent: true,
});

/** Writes the licences of what a bundle took in, as they ask for. */
const licences: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'licences',
  setup: (build) => {
    build.onEnd(({ metafile }) => {
      const folders = Object.keys(metafile?.inputs ?? {}).flatMap(
        (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
      );
      const texts = [...new Set(folders)].sort().map((folder) => {
        const { name } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
        const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
        if (file === undefined) throw new Error(`${name} has no file with its licence`);
        return `${name}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
      });
      mkdirSync('dist', { recursive: true });
      writeFileSync('dist/LICENCES.txt', texts.join('\n---\n\n'));
    });
  },
};
