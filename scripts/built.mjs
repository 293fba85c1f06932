import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled } from './ensure.mjs';
import { Problem, ROOT } from './machine.mjs';

/**
 * Installs and builds what is missing and becomes the built program: same process, so that signals and the exit
 * code need nobody to hand them on.
 * @param {string} file
 * @param {string} command what the user typed
 */
export async function runBuilt(file, command) {
  await ensureInstalled();
  await ensureBuilt();
  const entry = join(ROOT, file);
  if (!existsSync(entry)) {
    throw new Problem(
      `${file} is missing.`,
      `Get a complete copy of the project and run \`${command}\` again.`,
    );
  }
  process.argv[1] = entry;
  await import(pathToFileURL(entry).href);
  return undefined;
}
