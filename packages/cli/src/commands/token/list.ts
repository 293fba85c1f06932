import { command, listOf, objectOf, type Schemas, schemaNamed } from '../../command.js';
import { rowsOf } from '../../rows.js';
import { table } from '../../text/table.js';
import { since } from '../../text/time.js';
import { repositoriesText } from './token-text.js';

export const tokenList = command<object, { readonly tokens: readonly Schemas['Token'][] }>({
  words: 'token list',
  summary: 'List the tokens that were created with your token, directly or indirectly.',
  schema: objectOf({ tokens: listOf(schemaNamed('Token')) }),
  run: async ({ io, server }) => {
    const { client } = await server();
    const pages = client.pages('listTokens', { take: 100 }, { signal: io.interrupted });
    return { tokens: await rowsOf(pages, ({ tokens }) => tokens) };
  },
  text: ({ tokens }, style) =>
    tokens.length === 0
      ? 'No tokens were created with your token.'
      : table(
          [
            { title: 'ID', cell: ({ tokenId }) => tokenId },
            { title: 'NAME', cell: ({ name }) => (name.length > 24 ? `${name.slice(0, 23)}…` : name) },
            { title: 'STATE', cell: ({ state }) => state },
            {
              title: 'USED',
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : since(lastUsedAt, style.now)),
              from: 80,
            },
            { title: 'EXPIRES', cell: ({ expiresAt }) => expiresAt?.slice(0, 10) ?? 'never', from: 100 },
            {
              title: 'REPOSITORIES',
              cell: ({ repositories }) => repositoriesText(repositories).slice(0, 40),
              from: 160,
            },
            { title: 'SCOPES', cell: ({ scopes }) => scopes.join(' '), grows: true },
          ],
          tokens,
          style.width,
        ),
});
