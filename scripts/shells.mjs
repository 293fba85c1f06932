import { existsSync } from 'node:fs';
import { run } from './command.mjs';

/** The shells whose completions are tested besides bash. */
export const SHELLS = ['zsh', 'fish'];

/** Where a shell is; null where it is not installed. @param {string} name */
export const shellPath = (name) =>
  ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => `${folder}/${name}`)
    .find((file) => existsSync(file)) ?? null;

/** Installs the shells by apt where this process may do that. What is still missing is left out of the tests. */
export async function ensureShells() {
  const missing = SHELLS.filter((name) => shellPath(name) === null);
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (missing.length === 0 || !mayInstall) return 0;
  await run(['apt-get', 'update', '-qq']);
  await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing]);
  return 0;
}
