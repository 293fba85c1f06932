import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@mq/test-postgres';

/** The server as started by `npm start`; it must be built before. */
const SERVER = fileURLToPath(new URL('../../../server/dist/main.js', import.meta.url));
/** The delay after the start, so that temporary memory is not counted. */
const IDLE_MS = 20_000;
const START_LIMIT_MS = 120_000;

interface IdleMemory {
  readonly store: string;
  readonly idleMb: number;
  readonly peakMb: number;
}

/** Resident memory from /proc, in MB of 1,000,000 bytes. */
const memoryOf = (pid: number): Pick<IdleMemory, 'idleMb' | 'peakMb'> => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  const inMb = (kibibytes: number) => Math.round((kibibytes * 1024) / 1e6);
  return { idleMb: inMb(read('VmRSS')), peakMb: inMb(read('VmHWM')) };
};

const untilReady = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('The server did not start in time.')), START_LIMIT_MS);
    server.once('exit', (code) =>
      reject(new Error(`The server ended with ${code}. Run \`npm start\` once.`)),
    );
    server.stdout?.on('data', (text: Buffer) => {
      if (!text.includes('mq is running at')) return;
      clearTimeout(limit);
      resolve();
    });
  });

const measure = async (store: string, env: Readonly<Record<string, string>>): Promise<IdleMemory> => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-idle-'));
  const server = spawn(process.execPath, ['--max-semi-space-size=64', SERVER], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, MQ_DATA: folder, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await untilReady(server);
    await sleep(IDLE_MS);
    return { store, ...memoryOf(server.pid ?? 0) };
  } finally {
    server.removeAllListeners('exit');
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
};

const postgres = await startPostgres({});
try {
  const figures = [
    await measure('PGlite in a folder', {}),
    await measure('PostgreSQL', { DATABASE_URL: postgres.url }),
  ];
  if (process.argv.includes('--json')) console.log(JSON.stringify(figures));
  else console.table(figures);
} finally {
  await postgres.stop();
}
