import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GitRepository } from './repositories.js';

/** The hooks that git runs on a push to a bare repository. A landing moves the branch without them. */
const hooksOfAPush = ['pre-receive', 'update', 'post-receive'] as const;

/** Names of the repository's hooks that git would run on a push, in order. */
export const hooksNotRun = async (git: GitRepository): Promise<readonly string[]> => {
  // Read from the config file, because this package runs git with hooks disabled.
  const config = ['--file', join(git.path, 'config'), '--includes', '--type=path', '--get', 'core.hooksPath'];
  const { stdout } = await git.refs({ command: 'config', args: config, codes: [0, 1] });
  const named = stdout.toString('utf8').trim();
  const folder = resolve(git.path, named === '' ? 'hooks' : named);
  const found = await Promise.all(
    hooksOfAPush.map((name) =>
      access(join(folder, name), constants.X_OK).then(
        () => [name],
        () => [],
      ),
    ),
  );
  return found.flat();
};
