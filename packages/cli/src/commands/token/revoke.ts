import type { AnswerOf } from '@mq/client';
import { command, schemaNamed } from '../../command.js';
import { counted } from '../../text/style.js';

export const tokenRevoke = command<{ readonly keepMade?: boolean }, AnswerOf<'revokeToken'>>({
  words: 'token revoke',
  summary: 'Revoke a token and the tokens created with it; the server refuses them within a second.',
  parameters: [{ name: '<id>', description: 'of the token, as `mq token list` shows it' }],
  flags: [{ flags: '--keep-made', description: 'keep the tokens that were created with it' }],
  schema: schemaNamed('RevokeTokenAnswer'),
  run: async ({ args: [tokenId = ''], options, io, server }) => {
    const { client } = await server();
    const request = { tokenId, ...(options.keepMade === true ? { keepMade: true } : {}) };
    return client.revokeToken(request, { signal: io.interrupted });
  },
  text: ({ revokedTokenIds: ids }) => `Revoked ${counted(ids.length, 'token')}: ${ids.join(', ')}`,
});
