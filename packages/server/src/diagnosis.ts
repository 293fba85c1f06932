import type { Finding, FindingKind } from '@mq/core';
import { checkGit } from '@mq/host-git';
import type { ServiceDiagnosis } from '@mq/http';
import { isLoopback, type ServerConfig } from './config.js';
import type { FindingsOptions } from './forges.js';
import { FREE_LIMIT_BYTES } from './health.js';
import { SILENCE_LIMIT_MS } from './heartbeat.js';

/** With less free a week of history may not fit. */
const FREE_WARNING_BYTES = 1024 * 1024 * 1024;
const CLOCK_LIMIT_MS = 5_000;
const SLOW_STORE_MS = 500;
const MEGABYTE = 1024 * 1024;

/** What a diagnosis can find in the bundled server. */
export const serverFindings = {
  DISK_FULL: {
    severity: 'error',
    meaning: 'The disk of the data folder is full.',
    remedy: 'Free some space, or move the data folder.',
  },
  DISK_LOW: {
    severity: 'warning',
    meaning: 'The disk of the data folder has little room left.',
    remedy: 'Free some space, or move the data folder.',
  },
  STORE_UNREACHABLE: {
    severity: 'error',
    meaning: 'The database does not answer.',
    remedy: 'Check the database, and the address in DATABASE_URL.',
  },
  STORE_SLOW: {
    severity: 'warning',
    meaning: 'The database is slow even for the smallest query.',
    remedy: 'Check the load, the disk and the network of the database.',
  },
  CLOCK_DIFFERS: {
    severity: 'warning',
    meaning: 'The clocks of the server and of the database differ.',
    remedy: 'Synchronise both clocks (NTP).',
  },
  ENGINE_STUCK: {
    severity: 'error',
    meaning: 'The engine finishes no pass, or cannot store its decisions.',
    remedy: 'Read the log of the server.',
  },
  GIT_UNUSABLE: {
    severity: 'error',
    meaning: 'git is missing or too old.',
    remedy: 'Install a newer git, and start the server again.',
  },
  CHECKS_NOT_SEPARATED: {
    severity: 'warning',
    meaning: 'Commands of checks run as the user of the server, and can read its secrets.',
    remedy: 'Set ci.user or ci.wrapper: docs/how-to/isolate-checks.md.',
  },
  PUBLIC_URL_MISSING: {
    severity: 'info',
    meaning: 'Links use an address that other machines may not reach.',
    remedy: 'Set publicUrl in the configuration file.',
  },
  CONNECTION_NOT_ENCRYPTED: {
    severity: 'info',
    meaning: 'The server is reached from other machines and speaks HTTP itself.',
    remedy:
      'Put a proxy with TLS in front of it, name it in trustProxy, and set publicUrl to its https address.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
type Code = keyof typeof serverFindings;
type Found = readonly [Code, string, string];

export interface DiagnosisParts {
  readonly config: Pick<ServerConfig, 'host' | 'publicUrl' | 'ci' | 'repositories'>;
  readonly version: string;
  readonly storeNow: () => Promise<number>;
  readonly freeBytes: () => Promise<number | null>;
  readonly silentForMs: () => number;
  readonly failingForMs: () => number;
  /** The findings about the configured code hosts. */
  readonly hosts?: (options: FindingsOptions) => Promise<readonly Finding[]>;
  readonly now?: () => number;
  /** The version; rejects if git cannot be used. */
  readonly git?: () => Promise<string>;
}

/** Looks at disk, database, clock, engine, git, configuration and code hosts each time that it is asked. */
export const serverDiagnosis = (parts: DiagnosisParts): ServiceDiagnosis => ({
  version: parts.version,
  findings: async (options) => {
    const ofHosts = parts.hosts?.(options) ?? [];
    const found = await Promise.all([
      disk(parts),
      store(parts),
      git(parts),
      engine(parts),
      configuration(parts),
    ]);
    const ofServer = found.flat().map(([code, subject, sentence]): Finding => {
      const { severity, remedy } = serverFindings[code];
      return { code, severity, subject, sentence, remedy };
    });
    return [...ofServer, ...(await ofHosts)];
  },
});

const disk = async ({ freeBytes }: DiagnosisParts): Promise<readonly Found[]> => {
  const free = await freeBytes();
  if (free === null || free >= FREE_WARNING_BYTES) return [];
  const sentence = `${Math.floor(free / MEGABYTE)} MB are free on the disk of the data folder.`;
  return [[free < FREE_LIMIT_BYTES ? 'DISK_FULL' : 'DISK_LOW', 'disk', sentence]];
};

const store = async ({ storeNow, now = Date.now }: DiagnosisParts): Promise<readonly Found[]> => {
  const begunAt = now();
  let storeTime: number;
  try {
    storeTime = await storeNow();
  } catch (error) {
    return [['STORE_UNREACHABLE', 'database', error instanceof Error ? error.message : String(error)]];
  }
  const endedAt = now();
  const found: Found[] = [];
  if (endedAt - begunAt > SLOW_STORE_MS)
    found.push(['STORE_SLOW', 'database', `It took ${endedAt - begunAt} ms to answer a query for the time.`]);
  // The answer was made at some time between both.
  const differenceMs = Math.max(begunAt - storeTime, storeTime - endedAt);
  if (differenceMs > CLOCK_LIMIT_MS)
    found.push([
      'CLOCK_DIFFERS',
      'clock',
      `The clocks of server and database differ by ${Math.round(differenceMs / 1000)} s.`,
    ]);
  return found;
};

const git = async ({ git: versionOf = checkGit }: DiagnosisParts): Promise<readonly Found[]> =>
  versionOf().then(
    () => [],
    (error: unknown) => [['GIT_UNUSABLE', 'git', error instanceof Error ? error.message : String(error)]],
  );

const engine = async ({ silentForMs, failingForMs }: DiagnosisParts): Promise<readonly Found[]> => {
  if (silentForMs() > SILENCE_LIMIT_MS)
    return [['ENGINE_STUCK', 'engine', `No pass has finished for ${Math.round(silentForMs() / 1000)} s.`]];
  if (failingForMs() > SILENCE_LIMIT_MS)
    return [['ENGINE_STUCK', 'engine', `No decision was stored for ${Math.round(failingForMs() / 1000)} s.`]];
  return [];
};

const configuration = async ({ config }: DiagnosisParts): Promise<readonly Found[]> => {
  const { host, publicUrl, ci } = config;
  const found: Found[] = [];
  if (ci.user === undefined && ci.wrapper === undefined)
    found.push(['CHECKS_NOT_SEPARATED', 'checks', 'Neither ci.user nor ci.wrapper is set.']);
  if (isLoopback(host)) return found;
  if (publicUrl === undefined)
    found.push(['PUBLIC_URL_MISSING', 'server', `HOST is ${host} and publicUrl is not set.`]);
  if (publicUrl?.startsWith('https:') !== true)
    found.push([
      'CONNECTION_NOT_ENCRYPTED',
      'server',
      `HOST is ${host}, and publicUrl is not an https address.`,
    ]);
  return found;
};
