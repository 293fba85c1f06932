import { fsyncSync } from 'node:fs';
import { constants, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PGlite, PGliteOptions as Settings } from '@electric-sql/pglite';
import { finishPuttingBack, keepAsFound } from './as-found.js';
import type { Database, Row, Value } from './database.js';
import { freeBytes, isThere, requireAccess, syncPath, syncTree } from './files.js';
import { takeFolder, unwritable } from './folder-lock.js';
import { refuseNewerVersion } from './migrate.js';
import { StoreProblem } from './store-problem.js';

const DATA = 'pgdata';
/** A new database is made here and then renamed, so that a crash in between leaves none that is half made. */
const MAKING = 'pgdata.making';
/** One that is there grows by files of 16 MB while it is opened; a new one takes 40 MB before that. */
const ROOM_BYTES = { new: 80 * 1024 * 1024, there: 32 * 1024 * 1024 };

const MAY_READ_AND_WRITE = constants.R_OK | constants.W_OK;

export interface PGliteOptions {
  /** Where it lies; made where it is missing. In memory, and gone with the process, where left out. */
  readonly folder?: string;
}

/**
 * A PostgreSQL inside this process, from `@electric-sql/pglite`. A folder is held by one process at a time: a second
 * one gets a StoreProblem, and so does who opens what PGlite cannot read, or what a later version has made; then the folder
 * is left as it was. Closing the store closes it.
 */
export const openPGlite = async ({ folder }: PGliteOptions = {}): Promise<Database> => {
  const pglite = await import('@electric-sql/pglite');
  if (folder === undefined) return databaseOf(await pglite.PGlite.create(), async () => {});
  const path = resolve(folder);
  const release = await takeFolder(path);
  try {
    await makeData(path);
    return databaseOf(await openData(path), release);
  } catch (error) {
    await release();
    throw error;
  }
};

/** What is used of a PGlite. */
export interface PGliteInstance {
  query(statement: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  exec(statements: string): Promise<unknown>;
}

const given = (value: Value): unknown => (typeof value === 'object' && value !== null ? value.items : value);

/** A PGlite of the embedder's own, who closes it after the store was closed. */
export const pgliteDatabase = (pglite: PGliteInstance): Database => ({
  query: async (statement, values) =>
    (await pglite.query(statement, values.map(given))).rows as readonly Row[],
  script: async (statements) => void (await pglite.exec(statements)),
  close: async () => {},
});

const databaseOf = (pglite: PGlite, release: () => Promise<void>): Database => {
  let closed: Promise<void> | null = null;
  const close = async () => {
    await pglite.close();
    await release();
  };
  return {
    ...pgliteDatabase(pglite),
    isExclusive: true,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
};

const makeData = async (path: string): Promise<void> => {
  const [data, making] = [join(path, DATA), join(path, MAKING)];
  await finishPuttingBack(data).catch(refusing(path));
  if (await isThere(data).catch(refusing(path))) return;
  await rm(making, { recursive: true, force: true });
  await requireRoom(path, ROOM_BYTES.new);
  try {
    const { PGlite } = await import('@electric-sql/pglite');
    const made = await PGlite.create(making);
    await made.close();
    await syncTree(making);
    await rename(making, data);
    await syncPath(path);
  } catch (error) {
    await rm(making, { recursive: true, force: true }).catch(() => undefined);
    throw unwritable(path, error);
  }
};

const refusing =
  (path: string) =>
  (cause: unknown): never => {
    throw unwritable(path, cause);
  };

/** Asked before anything is opened: a database that finds the disk full leaves its files half written. */
const requireRoom = async (path: string, neededBytes: number): Promise<void> => {
  const free = await freeBytes(path);
  if (free >= neededBytes) return;
  const [there, needed] = [free, neededBytes].map((size) => Math.floor(size / (1024 * 1024)));
  throw unwritable(path, new Error(`its disk is full (${there} MB are free, and ${needed} are needed)`));
};

/** Opens it for good, or leaves it as it was. */
const openData = async (path: string): Promise<PGlite> => {
  const data = join(path, DATA);
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null);
  await requireRoom(path, ROOM_BYTES.there);
  await requireAccess(data, MAY_READ_AND_WRITE).catch(refusing(path));
  if (version === null) throw unreadable(path, version, new Error(`${join(data, 'PG_VERSION')} is missing`));
  const found = await keepAsFound(data, ROOM_BYTES.there);
  let pglite: PGlite | null = null;
  try {
    pglite = await openSynced(data);
    await refuseNewerVersion(pgliteDatabase(pglite));
  } catch (error) {
    await pglite?.close().catch(() => undefined);
    await found.putBack().catch(refusing(path));
    throw error instanceof StoreProblem ? error : unreadable(path, version, error);
  }
  // What it leaves behind is removed by the next who opens it.
  await found.letGo().catch(() => undefined);
  return pglite;
};

const unreadable = (path: string, version: string | null, cause: unknown): StoreProblem =>
  new StoreProblem(
    'FOLDER_UNREADABLE',
    `PGlite cannot open the database in ${path}${version === null ? '' : ` (of PostgreSQL ${version.trim()})`}.`,
    'Keep a copy of the folder; use the release that wrote it, or restore a backup, or choose another folder.',
    { cause },
  );

/**
 * 128 MB of buffers, the default, would be memory of this process that it never gives back: a queue of 10,000 pull requests
 * fits into a fraction, and the system keeps the files in its own cache.
 */
const OWN_PARAMETERS = ['fsync=on', 'wal_sync_method=fsync', 'shared_buffers=16MB'];

/**
 * PGlite leaves out fsync by default, and its file system knows none. Here each commit reaches the disk before it is
 * confirmed, as with a PostgreSQL server.
 */
const openSynced = async (data: string): Promise<PGlite> => {
  const { PGlite } = await import('@electric-sql/pglite');
  const { NodeFS } = await import('@electric-sql/pglite/nodefs');
  class SyncedFS extends NodeFS {
    override async init(...given: Parameters<InstanceType<typeof NodeFS>['init']>) {
      const { emscriptenOpts } = await super.init(...given);
      const giveSync: NonNullable<typeof emscriptenOpts.preRun>[number] = ({ NODEFS }) => {
        const { stream_ops } = NODEFS as unknown as { stream_ops: { fsync?: (stream: Stream) => number } };
        stream_ops.fsync = ({ nfd }) => {
          if (nfd !== undefined) fsyncSync(nfd);
          return 0;
        };
      };
      return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), giveSync] } };
    }
  }
  const settings: Settings = {
    fs: new SyncedFS(data),
    startParams: [...PGlite.defaultStartParams, ...OWN_PARAMETERS.flatMap((each) => ['-c', each])],
  };
  return PGlite.create(settings);
};

interface Stream {
  readonly nfd?: number;
}
