import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import type { Io } from '../io.js';

export interface SavedServer {
  readonly name: string;
  /** Null if it is in the keyring of the system. */
  readonly token: string | null;
}

export interface Configuration {
  /** The address that is used if the user names none; null if there is none. */
  readonly current: string | null;
  /** Keyed by address. A token is sent to the address that it was saved for, and to no other. */
  readonly servers: Readonly<Record<string, SavedServer>>;
}

const EMPTY: Configuration = { current: null, servers: {} };
const FILE_LIMIT_BYTES = 1024 * 1024;

/**
 * Only in the user's own folder. A relative XDG_CONFIG_HOME could point into the checkout, and is ignored, as its
 * specification demands.
 */
export const configurationFile = ({ env }: Pick<Io, 'env'>): string => {
  const given = env.XDG_CONFIG_HOME;
  const folder = given !== undefined && isAbsolute(given) ? given : join(env.HOME || homedir(), '.config');
  return join(folder, 'mq', 'config.json');
};

const wrong = (file: string, why: string, remedy: string): CliError =>
  new CliError('CONFIGURATION_WRONG', `${file} ${why}`, exitCodes.wrongUse, remedy);

export const readConfiguration = (io: Pick<Io, 'env'>): Configuration => {
  const file = configurationFile(io);
  let text: string;
  try {
    const { mode, size } = statSync(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw wrong(
        file,
        'contains tokens and can be read by other users of this machine.',
        `Run: chmod 600 ${file}`,
      );
    if (size > FILE_LIMIT_BYTES) throw wrong(file, 'is too large.', 'Log in again: mq login <address>');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return EMPTY;
    throw error;
  }
  const found = parsed(text);
  if (found === null)
    throw wrong(
      file,
      'cannot be read as a configuration.',
      `Delete it, then log in again: mq login <address>`,
    );
  return found;
};

const parsed = (text: string): Configuration | null => {
  try {
    const { current = null, servers = {} } = JSON.parse(text) as Partial<Configuration>;
    const isGood =
      (current === null || typeof current === 'string') &&
      Object.values(servers).every(
        ({ name, token }) => typeof name === 'string' && (token === null || typeof token === 'string'),
      );
    return isGood ? { current, servers } : null;
  } catch {
    return null;
  }
};

/** Replaces the file as a whole, readable by its user alone. */
export const writeConfiguration = (io: Pick<Io, 'env'>, configuration: Configuration): void => {
  const file = configurationFile(io);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(configuration, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
};
