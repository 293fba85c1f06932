import { existsSync } from 'node:fs';
import { installByApt } from './apt.mjs';

/** The shells whose completions are tested besides bash. */
export const SHELLS = ['zsh', 'fish'];

/** Where a shell is; null if it is not installed. @param {string} name */
export const shellPath = (name) =>
  ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => `${folder}/${name}`)
    .find((file) => existsSync(file)) ?? null;

/**
 * Installs the shells by apt where this process may do that. Shells that are still missing are left out of the tests.
 */
export async function ensureShells() {
  const missing = SHELLS.filter((name) => shellPath(name) === null);
  if (missing.length > 0) await installByApt(missing);
  return 0;
}
