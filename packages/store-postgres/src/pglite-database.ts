import { fsyncSync } from 'node:fs';
import { constants, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PGlite, PGliteOptions as Settings } from '@electric-sql/pglite';
import type { Database, Row, Value } from './database.js';
import { freeBytes, isThere, requireAccess, syncPath, syncTree } from './files.js';
import { takeFolder, unwritable } from './folder-lock.js';
import { refuseNewerVersion } from './migrate.js';
import { finishRestore, keepCopy } from './startup-copy.js';
import { StoreProblem } from './store-problem.js';

const DATA = 'pgdata';
/** A new database is created here and then renamed, so that a crash leaves no partial one. */
const MAKING = 'pgdata.making';
// Opening an existing database may write files of 16 MB; a new one takes 40 MB before that.
const ROOM_BYTES = { new: 80 * 1024 * 1024, there: 32 * 1024 * 1024 };

const MAY_READ_AND_WRITE = constants.R_OK | constants.W_OK;

export interface PGliteOptions {
  /**
   * The folder of the database; created if missing. Without it, the database is in memory and ends with the process.
   */
  readonly folder?: string;
}

/**
 * Opens a PostgreSQL in this process, from `@electric-sql/pglite`. Only one process at a time can use a folder. Rejects
 * with a StoreProblem if the folder is in use, if PGlite cannot read it, or if a later version has made it; the folder
 * is unchanged then. Closing the store closes the database.
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

/** The part of a PGlite instance that is used. */
export interface PGliteInstance {
  query(statement: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  exec(statements: string): Promise<unknown>;
}

const given = (value: Value): unknown => (typeof value === 'object' && value !== null ? value.items : value);

/** Uses the embedder's own PGlite instance, which the embedder closes after the store. */
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
  await finishRestore(data).catch(refusing(path));
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

/** Checked before opening: a database that runs out of disk space leaves partly written files. */
const requireRoom = async (path: string, neededBytes: number): Promise<void> => {
  const free = await freeBytes(path);
  if (free >= neededBytes) return;
  const [there, needed] = [free, neededBytes].map((size) => Math.floor(size / (1024 * 1024)));
  throw unwritable(path, new Error(`the disk is full (${there} MB free, ${needed} MB needed)`));
};

/** Opens the database, or leaves it unchanged. */
const openData = async (path: string): Promise<PGlite> => {
  const data = join(path, DATA);
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null);
  await requireRoom(path, ROOM_BYTES.there);
  await requireAccess(data, MAY_READ_AND_WRITE).catch(refusing(path));
  if (version === null) throw unreadable(path, version, new Error(`${join(data, 'PG_VERSION')} is missing`));
  const found = await keepCopy(data, ROOM_BYTES.there);
  let pglite: PGlite | null = null;
  try {
    pglite = await openSynced(data);
    await refuseNewerVersion(pgliteDatabase(pglite));
  } catch (error) {
    await pglite?.close().catch(() => undefined);
    await found.restore().catch(refusing(path));
    throw error instanceof StoreProblem ? error : unreadable(path, version, error);
  }
  // Files that remain are removed at the next start.
  await found.discard().catch(() => undefined);
  return pglite;
};

const unreadable = (path: string, version: string | null, cause: unknown): StoreProblem =>
  new StoreProblem(
    'FOLDER_UNREADABLE',
    `PGlite cannot open the database in ${path}${version === null ? '' : ` (of PostgreSQL ${version.trim()})`}.`,
    'Copy the folder to a safe place. Then use the release that wrote it, restore a backup, or choose another folder.',
    { cause },
  );

/**
 * The default of 128 MB of buffers would be memory of this process that is never freed. A queue of 10,000 pull requests
 * fits into a fraction of it, and the operating system caches the files.
 */
const OWN_PARAMETERS = ['fsync=on', 'wal_sync_method=fsync', 'shared_buffers=16MB'];

/**
 * Adds fsync, which PGlite turns off by default and its file system lacks. So each commit reaches the disk before it is
 * confirmed, as with a PostgreSQL server.
 */
const openSynced = async (data: string): Promise<PGlite> => {
  const { PGlite } = await import('@electric-sql/pglite');
  const { NodeFS } = await import('@electric-sql/pglite/nodefs');
  class SyncedFS extends NodeFS {
    override async init(...given: Parameters<InstanceType<typeof NodeFS>['init']>) {
      const { emscriptenOpts } = await super.init(...given);
      const addSync: NonNullable<typeof emscriptenOpts.preRun>[number] = ({ NODEFS }) => {
        const { stream_ops } = NODEFS as unknown as { stream_ops: { fsync?: (stream: Stream) => number } };
        stream_ops.fsync = ({ nfd }) => {
          if (nfd !== undefined) fsyncSync(nfd);
          return 0;
        };
      };
      return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addSync] } };
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
