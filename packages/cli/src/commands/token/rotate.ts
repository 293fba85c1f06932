import { command, type Schemas, schemaNamed } from '../../command.js';
import { requireDuration } from '../../given-time.js';
import { createdText } from './token-text.js';

const secondsIn = (overlap: string): number => requireDuration('--overlap', overlap) / 1000;

export const tokenRotate = command<{ readonly overlap?: string }, Schemas['CreatedToken']>({
  words: 'token rotate',
  summary: 'Replace a token by a new one; the old one stays valid for an overlap.',
  parameters: [{ name: '<id>', description: 'of the token, as `mq token list` shows it' }],
  flags: [
    {
      flags: '--overlap <time>',
      description: 'how long the old one stays valid: 1h, 2d, 0; a day by default',
    },
  ],
  schema: schemaNamed('CreatedToken'),
  run: async ({ args: [tokenId = ''], options: { overlap }, io, server }) => {
    const { client } = await server();
    const request = { tokenId, ...(overlap === undefined ? {} : { overlapSeconds: secondsIn(overlap) }) };
    return client.rotateToken(request, { signal: io.interrupted });
  },
  text: createdText,
});
