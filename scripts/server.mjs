import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled } from './ensure.mjs';
import { Problem, ROOT } from './machine.mjs';

/**
 * Installs and builds what is missing and becomes a program of the built server: same process, so that signals and the exit
 * code need no forwarding. For the same reason the npm scripts begin with `exec`: npm hands its signals to a shell,
 * and many shells do not pass them to what they run. Watching for a parent that goes away would end a server that a user
 * detached on purpose. There is no `exec` in Windows' cmd, but the server needs a POSIX shell anyway.
 * @param {string} file in the server's dist
 * @param {string} command what the user typed
 */
export async function runServer(file, command) {
  await ensureInstalled();
  // The pages that newcomers read next use the testkit as well.
  await ensureBuilt('@mq/server', '@mq/testkit');
  const entry = join(ROOT, 'packages/server/dist', file);
  if (!existsSync(entry)) {
    throw new Problem(
      `packages/server/dist/${file} is missing.`,
      `Get a complete copy of the project, then run \`${command}\` again.`,
    );
  }
  console.log('Starting…');
  process.argv[1] = entry;
  await import(pathToFileURL(entry).href);
  return undefined;
}
