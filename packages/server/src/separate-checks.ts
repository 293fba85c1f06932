import { chmod, stat } from 'node:fs/promises';
import { type CheckUser, canReach, findCheckUser } from '@mq/host-git';
import type { ServerConfig } from './config.js';
import { StartProblem } from './problem.js';

/** The permission bits of other users. */
const OTHERS = 0o007;

/**
 * Ensures that the user of the checks can read neither the data folder nor a file with a secret. Removes the permissions of
 * other users from the data folder. Throws a StartProblem if that is not enough, or if the user cannot be used.
 */
export const separateChecks = async (config: Pick<ServerConfig, 'ci' | 'dataFolder' | 'secretFiles'>) => {
  const { ci, dataFolder, secretFiles } = config;
  if (ci.user === undefined) return;
  const user = await findCheckUser(ci.user).catch((error: unknown) => {
    throw new StartProblem(
      `ci.user of the configuration cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      'docs/how-to/isolate-checks.md describes the setup.',
      { cause: error },
    );
  });
  await closeFolder(user, dataFolder);
  for (const file of secretFiles)
    if (await canReach(user, file))
      throw new StartProblem(
        `The user ${user.name} of the checks can read ${file}.`,
        `Let only the server read it: chmod 600 ${file}`,
      );
};

const closeFolder = async (user: CheckUser, folder: string): Promise<void> => {
  if (!(await canReach(user, folder))) return;
  const { mode } = await stat(folder);
  await chmod(folder, mode & 0o777 & ~OTHERS).catch(() => undefined);
  if (await canReach(user, folder))
    throw new StartProblem(
      `The user ${user.name} of the checks can read the data folder ${folder}.`,
      `Allow only the server and its group (chmod 750 ${folder}), and keep ${user.name} out of that group.`,
    );
};
