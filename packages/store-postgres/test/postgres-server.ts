import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@mq/test-postgres';
import type { TestProject } from 'vitest/node';
import { openPGlite } from '../src/pglite-database.js';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
    /** An empty PGlite database to be copied, since creating one takes seconds. */
    readonly pgliteFolder: string;
  }
}

/** One server and one empty folder for all tests of this package. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-pglite-'));
  const [{ url, stop }] = await Promise.all([startPostgres(), makeFolder(folder)]);
  project.provide('postgresUrl', url);
  project.provide('pgliteFolder', folder);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
};

const makeFolder = async (folder: string): Promise<void> => {
  const database = await openPGlite({ folder });
  await database.close();
};
