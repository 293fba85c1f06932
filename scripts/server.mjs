import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled } from './ensure.mjs';
import { Problem, ROOT } from './machine.mjs';

/**
 * Installs and builds what is missing and becomes a program of the built server: same process, so that signals and the exit
 * code need nobody to hand them on.
 * @param {string} file in the server's dist
 * @param {string} command what the user typed
 */
export async function runServer(file, command) {
  await ensureInstalled();
  await ensureBuilt('@mq/server');
  const entry = join(ROOT, 'packages/server/dist', file);
  if (!existsSync(entry)) {
    throw new Problem(
      `packages/server/dist/${file} is missing.`,
      `Get a complete copy of the project and run \`${command}\` again.`,
    );
  }
  process.argv[1] = entry;
  await import(pathToFileURL(entry).href);
  return undefined;
}
