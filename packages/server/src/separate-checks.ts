import { chmod, stat } from 'node:fs/promises';
import { type CheckUser, canReach, findCheckUser } from '@mq/host-git';
import type { ServerConfig } from './config.js';
import { StartProblem } from './problem.js';

/** What every user of the machine may do with a folder. */
const OTHERS = 0o007;

/**
 * Sees that the user of the checks can reach neither the data folder nor a file with a secret. Takes the rights of other
 * users from the data folder; throws a StartProblem where that is not enough, and where the user cannot be used.
 */
export const separateChecks = async (config: Pick<ServerConfig, 'ci' | 'dataFolder' | 'secretFiles'>) => {
  const { ci, dataFolder, secretFiles } = config;
  if (ci.user === undefined) return;
  const user = await findCheckUser(ci.user).catch((error: unknown) => {
    throw new StartProblem(
      `ci.user of the configuration cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      'docs/how-to/isolate-checks.md tells how to set it up.',
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
      `The user ${user.name} of the checks can look into the data folder ${folder}.`,
      `Let only the server and its group in (chmod 750 ${folder}), and keep ${user.name} out of that group.`,
    );
};
