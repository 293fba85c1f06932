import { command, listOf, objectOf } from '../../command.js';
import { configurationFile, readConfiguration } from '../../configuration/file.js';
import { table } from '../../text/table.js';

interface Known {
  readonly name: string;
  readonly address: string;
  readonly isCurrent: boolean;
  /** Where its token is. */
  readonly token: 'file' | 'keyring';
}

export const serverList = command<object, { readonly file: string; readonly servers: readonly Known[] }>({
  words: 'server list',
  summary: 'List the servers that you logged in to.',
  schema: objectOf({
    file: { type: 'string' },
    servers: listOf(
      objectOf({
        name: { type: 'string' },
        address: { type: 'string' },
        isCurrent: { type: 'boolean' },
        token: { enum: ['file', 'keyring'] },
      }),
    ),
  }),
  run: async ({ io }) => {
    const { current, servers } = readConfiguration(io);
    const known = Object.entries(servers).map(([address, { name, token }]): Known => {
      return { name, address, isCurrent: address === current, token: token === null ? 'keyring' : 'file' };
    });
    return { file: configurationFile(io), servers: known };
  },
  text: ({ servers, file }, style) =>
    servers.length === 0
      ? 'No servers are saved. Log in: mq login <address>.'
      : `${table(
          [
            { title: '', cell: ({ isCurrent }) => (isCurrent ? '*' : '') },
            { title: 'NAME', cell: ({ name }) => name },
            { title: 'ADDRESS', cell: ({ address }) => address, grows: true },
            { title: 'TOKEN', cell: ({ token }) => token },
          ],
          servers,
          style.width,
        )}\n${file}`,
});
