import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPGlite, postgresStore } from '@mq/store-postgres';
import { startPostgres } from '@mq/test-postgres';
import { freshDatabase } from '../fresh-database.js';
import { type Crashed, crashAt } from './crash.js';
import type { CrashPoint } from './points.js';

export interface CrashPlaces extends AsyncDisposable {
  onPGlite(point: CrashPoint): Promise<Crashed>;
  onPostgres(point: CrashPoint): Promise<Crashed>;
}

/** An empty database in a folder that is copied, and a PostgreSQL in which each crash gets a database of its own. */
export const crashPlaces = async (): Promise<CrashPlaces> => {
  const empty = mkdtempSync(join(tmpdir(), 'mq-empty-store-'));
  await (await postgresStore({ database: await openPGlite({ folder: empty }) })).close();
  const postgres = await startPostgres();
  return {
    onPGlite: (point) =>
      crashAt(point, null, (folder) => cpSync(empty, join(folder, 'store'), { recursive: true })),
    onPostgres: async (point) => crashAt(point, (await freshDatabase(postgres.url)).href),
    [Symbol.asyncDispose]: async () => {
      await postgres.stop();
      rmSync(empty, { recursive: true, force: true });
    },
  };
};
