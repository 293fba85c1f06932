import { command, objectOf } from '../../command.js';
import { readConfiguration, writeConfiguration } from '../../configuration/file.js';
import { addressNamed } from '../../configuration/server.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';

export const serverUse = command<object, { readonly address: string }>({
  words: 'server use',
  summary: 'Switch to another saved server.',
  parameters: [{ name: '<server>', description: 'its name or address' }],
  schema: objectOf({ address: { type: 'string' } }),
  run: async ({ args: [given = ''], io }) => {
    const before = readConfiguration(io);
    const address = addressNamed(given, before);
    if (!Object.hasOwn(before.servers, address))
      throw new CliError(
        'SERVER_UNKNOWN',
        `No token is saved for ${address}.`,
        exitCodes.notFound,
        `mq login ${address}`,
      );
    writeConfiguration(io, { ...before, current: address });
    return { address };
  },
  text: ({ address }) => `Using ${address} from now on.`,
});
