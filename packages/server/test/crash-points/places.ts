import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPGlite, postgresStore } from '@mq/store-postgres';
import { startPostgres } from '@mq/test-postgres';
import { Client } from 'pg';
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
  let databases = 0;
  const freshDatabase = async (): Promise<string> => {
    databases += 1;
    const name = `mq_crash_${process.pid}_${databases}`;
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const url = new URL(postgres.url);
    url.pathname = name;
    return url.href;
  };
  return {
    onPGlite: (point) =>
      crashAt(point, null, (folder) => cpSync(empty, join(folder, 'store'), { recursive: true })),
    onPostgres: async (point) => crashAt(point, await freshDatabase()),
    [Symbol.asyncDispose]: async () => {
      await postgres.stop();
      rmSync(empty, { recursive: true, force: true });
    },
  };
};
