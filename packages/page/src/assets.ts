import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Null if compression would not make it smaller. */
  readonly gzipped: Buffer | null;
}

export interface Assets {
  readonly names: {
    readonly script: string;
    readonly style: string;
    readonly icon: string;
    readonly font: string;
  };
  readonly files: ReadonlyMap<string, Asset>;
}

/** The same path from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL('../dist/app/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** The built application, read once into memory; null if it has not been built. */
export const readAssets = (folder: string = FOLDER): Assets | null => {
  const manifest = join(folder, 'manifest.json');
  if (!existsSync(manifest)) return null;
  const files = readdirSync(folder).flatMap((name): [string, Asset][] => {
    const type = types[extname(name)];
    return type === undefined ? [] : [[name, assetOf(join(folder, name), type)]];
  });
  return { names: JSON.parse(readFileSync(manifest, 'utf8')) as Assets['names'], files: new Map(files) };
};

const assetOf = (path: string, type: string): Asset => {
  const bytes = readFileSync(path);
  const gzipped = gzipSync(bytes, { level: 9 });
  return { type, bytes, gzipped: gzipped.length < bytes.length * 0.9 ? gzipped : null };
};
