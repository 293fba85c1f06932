import { createClient } from '@mq/client';
import { command, objectOf, type Schemas, schemaNamed } from '../command.js';
import { readConfiguration, writeConfiguration } from '../configuration/file.js';
import { saveInKeyring } from '../configuration/keyring.js';
import { serverAddress } from '../configuration/origin.js';
import { addressNamed } from '../configuration/server.js';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import type { Io } from '../io.js';

interface Options {
  readonly name?: string;
  readonly keyring?: boolean;
}

interface Result {
  readonly address: string;
  readonly name: string;
  readonly whoami: Schemas['WhoamiAnswer'];
}

const tokenFrom = async (io: Io, address: string): Promise<string> => {
  const text = io.isInputTerminal ? await io.question(`Token for ${address}: `, true) : await io.input();
  const token = text?.trim() ?? '';
  if (/^[\x21-\x7e]{1,500}$/.test(token)) return token;
  throw new CliError(
    'TOKEN_WRONG',
    token === ''
      ? 'No token was given.'
      : 'That is not a token: it contains spaces or other invalid characters.',
    exitCodes.wrongUse,
    `Paste it when you are asked, or pipe it: mq login ${address} < token-file`,
  );
};

export const login = command<Options, Result>({
  words: 'login',
  summary: 'Save the token for a server, and use that server from now on.',
  parameters: [
    { name: '<address>', description: 'such as https://mq.example.com, or the name of a saved server' },
  ],
  flags: [
    { flags: '--name <name>', description: 'a short name for --server; default: the host of the address' },
    {
      flags: '--keyring',
      description: 'save the token in the keyring of the system (secret-tool, security)',
    },
  ],
  examples: ['mq login http://127.0.0.1:8787', 'mq login https://mq.example.com --name work --keyring'],
  schema: objectOf({
    address: { type: 'string' },
    name: { type: 'string' },
    whoami: schemaNamed('WhoamiAnswer'),
  }),
  run: async ({ args: [given = ''], options, io }) => {
    const before = readConfiguration(io);
    const address = given.includes('://') ? serverAddress(given) : addressNamed(given, before);
    const token = await tokenFrom(io, address);
    const whoami = await createClient({ url: address, token }).whoami({}, { signal: io.interrupted });
    if (options.keyring === true) await saveInKeyring(io, address, token);
    const name = options.name ?? before.servers[address]?.name ?? new URL(address).host;
    const saved = { name, token: options.keyring === true ? null : token };
    writeConfiguration(io, { current: address, servers: { ...before.servers, [address]: saved } });
    return { address, name, whoami };
  },
  text: ({ address, name, whoami: { name: of, person, scopes } }) =>
    `Logged in to ${address} (${name}) with the token "${of}"${person === null ? '' : ` of ${person}`}.\nScopes: ${scopes.join(', ')}\nmq status shows the queue of the checkout that you are in.`,
});
