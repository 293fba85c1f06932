import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Options } from 'tsup';

/** The one way a package is built: ESM, with types, into `dist`; for Node 20, or for every runtime of JavaScript (`neutral`). `onSuccess` builds what comes beside. */
export function packageBuild(
  entry: readonly string[] = ['src/index.ts'],
  platform: 'node' | 'neutral' = 'node',
  onSuccess: () => Promise<void> = async () => undefined,
) {
  return defineConfig({
    ...built(entry, platform),
    sourcemap: true,
    onSuccess: async () => {
      writeTypes(platform);
      await onSuccess();
    },
  });
}

/**
 * Writes the declarations of what `src/index.ts` exports, one file for each source, by the native compiler: a fifth of the
 * processor time of `dts` of tsup, which `npm start` of a new clone would wait for. Other packages are taken from their builds.
 */
const writeTypes = (platform: 'node' | 'neutral'): void => {
  const compiler = fileURLToPath(new URL('node_modules/typescript-native/bin/tsc', import.meta.url));
  const output = ['--declaration', '--emitDeclarationOnly', '--rootDir', 'src', '--outDir', 'dist'];
  const modules = ['--module', 'ESNext', '--moduleResolution', 'Bundler', '--verbatimModuleSyntax'];
  const language = [
    '--target',
    'ES2023',
    '--lib',
    platform === 'node' ? 'ES2023' : 'ES2023,DOM,DOM.Iterable',
  ];
  const checks = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
  const types = platform === 'node' ? ['--types', 'node'] : [];
  const flags = [...output, ...modules, ...language, ...checks, ...types];
  execFileSync(process.execPath, [compiler, '--ignoreConfig', ...flags, 'src/index.ts'], {
    stdio: 'inherit',
  });
};

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
