import { readFileSync } from 'node:fs';

/** The version of this package, from its package.json, which is one folder above both the sources and the build. */
export const serverVersion = (): string => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
};
