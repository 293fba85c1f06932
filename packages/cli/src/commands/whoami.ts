import { command, type Schemas, schemaNamed } from '../command.js';
import { relative } from '../text/time.js';
import { wrapped } from '../text/width.js';
import { repositoriesText } from './token/token-text.js';

export const whoami = command<object, Schemas['WhoamiAnswer']>({
  words: 'whoami',
  summary: 'Show what your token may do, and until when.',
  schema: schemaNamed('WhoamiAnswer'),
  run: async ({ io, server }) => (await server()).client.whoami({}, { signal: io.interrupted }),
  text: ({ name, person, scopes, repositories, expiresAt, isBootstrap }, style) =>
    [
      `${name}${person === null ? '' : `, for ${person}`}${isBootstrap ? ' (the token that the server was started with)' : ''}`,
      `Scopes: ${scopes.join(', ')}`,
      `Repositories: ${repositoriesText(repositories)}`,
      expiresAt === null ? 'Never expires.' : `Expires ${relative(expiresAt, style.now)}.`,
    ]
      .map((line) => wrapped(line, style.width, '  '))
      .join('\n'),
});
