import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

/** Where the plugin looks for the built application. */
export const APP_FOLDER = join(PACKAGE, 'dist/app');

/** A fault that a test plants: a text of a source file and its replacement. */
export interface Plant {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Bundles the application for browsers: one script, one style sheet, a font and an icon, each named by its content. */
export const buildApp = async (folder: string, plant?: Plant): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: PACKAGE,
    entryPoints: { app: 'src/app/main.tsx', style: 'src/app/styles.css', icon: 'src/app/icon.svg' },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['mq-source'],
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'copy' },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    plugins: plant === undefined ? [] : [planted(plant)],
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(namesIn(metafile)));
  await writeFile(join(folder, 'licenses.txt'), await licenses());
};

const planted = ({ file, find, replace }: Plant): Plugin => ({
  name: 'planted-fault',
  setup: ({ onLoad }) => {
    onLoad({ filter: /src\/app\/.*\.tsx?$/ }, async ({ path }) => {
      if (!path.endsWith(file)) return null;
      const text = await readFile(path, 'utf8');
      if (!text.includes(find)) throw new Error(`${file} has no "${find}"`);
      return { contents: text.replace(find, () => replace), loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
});

const namesIn = ({ outputs }: Metafile): Readonly<Record<string, string>> => {
  const files = Object.keys(outputs).map((path) => basename(path));
  const endingIn = (ending: string): string => {
    const found = files.find((file) => file.endsWith(ending));
    if (found === undefined) throw new Error(`the build of the page has no ${ending}`);
    return found;
  };
  return {
    script: endingIn('.js'),
    style: endingIn('.css'),
    icon: endingIn('.svg'),
    font: endingIn('.woff2'),
  };
};

/** The third-party code in the bundle, with its licences. */
const licenses = async (): Promise<string> => {
  const require = createRequire(import.meta.url);
  const texts = ['preact', '@fontsource-variable/inter'].map(async (name) => {
    const folder = dirname(require.resolve(`${name}/package.json`));
    return `${name}\n\n${await readFile(join(folder, 'LICENSE'), 'utf8')}`;
  });
  return (await Promise.all(texts)).join('\n\n');
};
