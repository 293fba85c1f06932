import { command, objectOf } from '../command.js';
import { readConfiguration, writeConfiguration } from '../configuration/file.js';
import { removeFromKeyring } from '../configuration/keyring.js';
import { addressNamed } from '../configuration/server.js';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';

export const logout = command<object, { readonly address: string }>({
  words: 'logout',
  summary: 'Forget the token for a server. It stays valid until it is revoked.',
  parameters: [{ name: '[server]', description: 'its name or address; default: the one in use' }],
  schema: objectOf({ address: { type: 'string' } }),
  run: async ({ args: [given = ''], io }) => {
    const before = readConfiguration(io);
    const address = given === '' ? before.current : addressNamed(given, before);
    const saved = address === null ? undefined : before.servers[address];
    if (address === null || saved === undefined)
      throw new CliError(
        'SERVER_UNKNOWN',
        'No token is saved for that server.',
        exitCodes.notFound,
        'mq server list',
      );
    if (saved.token === null) await removeFromKeyring(io, address);
    const { [address]: _, ...servers } = before.servers;
    writeConfiguration(io, { current: before.current === address ? null : before.current, servers });
    return { address };
  },
  text: ({ address }) => `Logged out of ${address}. To revoke the token itself: mq token revoke.`,
});
