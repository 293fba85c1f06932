import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import type { Io } from '../io.js';
import { type Configuration, readConfiguration } from './file.js';
import { tokenInKeyring } from './keyring.js';
import { serverAddress } from './origin.js';

export interface Server {
  readonly address: string;
  readonly token: string;
}

const noServer = (): CliError =>
  new CliError(
    'SERVER_UNKNOWN',
    'There is no server yet.',
    exitCodes.wrongUse,
    'Log in once: mq login <address>, for example mq login http://127.0.0.1:8787. Or set MQ_URL and MQ_TOKEN.',
  );

/** The address that `--server` means: one that is saved under that name, or the address itself. */
export const addressNamed = (name: string, { servers }: Configuration): string => {
  const found = Object.entries(servers).find(([, server]) => server.name === name);
  if (found !== undefined) return serverAddress(found[0]);
  if (name.includes('://')) return serverAddress(name);
  const known = Object.values(servers).map((server) => server.name);
  throw new CliError(
    'SERVER_UNKNOWN',
    `There is no server named ${JSON.stringify(name)}.`,
    exitCodes.wrongUse,
    known.length === 0
      ? 'Log in once: mq login <address>.'
      : `Saved servers: ${known.join(', ')}. To use another one: mq login <address>.`,
  );
};

/**
 * The server that is asked and the token for it, from `--server`, the environment or the user's configuration, and from nothing
 * in the checkout. `MQ_TOKEN` belongs to `MQ_URL`, and a saved token to the address that it was saved for.
 */
export const serverFor = async (io: Io, named: string | undefined): Promise<Server> => {
  const configuration = readConfiguration(io);
  const { MQ_URL: url, MQ_TOKEN: token } = io.env;
  const environmentAddress = url ? serverAddress(url) : null;
  const address =
    named === undefined
      ? (environmentAddress ?? (configuration.current === null ? null : serverAddress(configuration.current)))
      : addressNamed(named, configuration);
  if (address === null) throw noServer();
  if (address === environmentAddress && token) return { address, token };
  const saved = Object.hasOwn(configuration.servers, address) ? configuration.servers[address] : undefined;
  if (saved === undefined)
    throw new CliError(
      'TOKEN_MISSING',
      `There is no token for ${address}.`,
      exitCodes.noRight,
      token && environmentAddress !== address
        ? `MQ_TOKEN is sent only to MQ_URL${environmentAddress === null ? ', and MQ_URL is not set' : ` (${environmentAddress})`}. Log in: mq login ${address}`
        : `Log in: mq login ${address}`,
    );
  return { address, token: saved.token ?? (await tokenInKeyring(io, address)) };
};
