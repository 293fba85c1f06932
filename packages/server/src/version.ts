import { readFileSync } from 'node:fs';

/** Of this package, from its package.json, which lies above the sources and above what is built of them. */
export const serverVersion = (): string => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
};
