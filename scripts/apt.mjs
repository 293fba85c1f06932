import { existsSync } from 'node:fs';
import { run } from './command.mjs';

/**
 * Installs packages of Debian or Ubuntu if this process may do that; otherwise does nothing. @param {readonly
 * string[]} names
 */
export async function installByApt(names) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${names.join(', ')} by apt (a minute or two)…`);
  await run(['apt-get', 'update', '-qq']);
  await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...names]);
}
