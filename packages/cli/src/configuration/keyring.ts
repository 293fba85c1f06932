import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import type { Io } from '../io.js';
import { programPath, runProgram } from '../programs.js';

const SERVICE = 'mq';

interface Keyring {
  readonly program: string;
  readonly read: (address: string) => readonly string[];
  readonly write: (address: string) => readonly string[];
  readonly remove: (address: string) => readonly string[];
}

/** The keyring of the system by its own program: of freedesktop.org (GNOME, KDE) or of macOS. */
const keyrings: readonly (Keyring & { readonly platform: NodeJS.Platform })[] = [
  {
    platform: 'linux',
    program: 'secret-tool',
    read: (address) => ['lookup', 'service', SERVICE, 'server', address],
    write: (address) => ['store', '--label', `mq ${address}`, 'service', SERVICE, 'server', address],
    remove: (address) => ['clear', 'service', SERVICE, 'server', address],
  },
  {
    platform: 'darwin',
    program: 'security',
    read: (address) => ['find-generic-password', '-s', SERVICE, '-a', address, '-w'],
    // Without a value behind -w it reads the secret from standard input, twice.
    write: (address) => ['add-generic-password', '-U', '-s', SERVICE, '-a', address, '-w'],
    remove: (address) => ['delete-generic-password', '-s', SERVICE, '-a', address],
  },
];

const use = async (
  io: Io,
  act: 'read' | 'write' | 'remove',
  address: string,
  input = '',
): Promise<string> => {
  const keyring = keyrings.find(({ platform }) => platform === process.platform);
  const file = keyring === undefined ? null : programPath(keyring.program, io.env.PATH);
  if (keyring === undefined || file === null)
    throw new CliError(
      'KEYRING_MISSING',
      `This machine has no keyring that mq can use${keyring === undefined ? '' : ` (${keyring.program})`}.`,
      exitCodes.wrongUse,
      '`mq login` without --keyring saves the token in a file that only you can read.',
    );
  const { exitCode, stdout, stderr } = await runProgram(file, keyring[act](address), {
    cwd: '/',
    env: { ...io.env },
    input,
  });
  if (exitCode !== 0)
    throw new CliError(
      'KEYRING_FAILED',
      `The keyring refused (${keyring.program}): ${stderr.trim() || `exit code ${exitCode}`}`,
      exitCodes.noRight,
      `Unlock it, or log in again: mq login ${address}`,
    );
  return stdout.trim();
};

export const tokenInKeyring = (io: Io, address: string): Promise<string> => use(io, 'read', address);

export const saveInKeyring = async (io: Io, address: string, token: string): Promise<void> => {
  const isTwice = process.platform === 'darwin';
  await use(io, 'write', address, isTwice ? `${token}\n${token}\n` : token);
};

export const removeFromKeyring = async (io: Io, address: string): Promise<void> => {
  await use(io, 'remove', address);
};
