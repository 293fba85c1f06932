import { command, type Schemas, schemaNamed } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { durationIn } from '../../text/time.js';
import { createdText } from './token-text.js';

const secondsIn = (text: string): number => {
  const ms = text === '0' ? 0 : durationIn(text);
  if (ms !== null) return Math.round(ms / 1000);
  throw new CliError(
    'TIME_WRONG',
    `--overlap ${JSON.stringify(text)} is no duration.`,
    exitCodes.wrongUse,
    'Write 1h, 2d or 0.',
  );
};

export const tokenRotate = command<{ readonly overlap?: string }, Schemas['CreatedToken']>({
  words: 'token rotate',
  summary: 'Make a token in place of another, which stays valid for an overlap.',
  parameters: [{ name: '<id>', description: 'of the token, as `mq token list` shows it' }],
  flags: [
    {
      flags: '--overlap <time>',
      description: 'how long the old one stays valid: 1h, 2d, 0; a day if left out',
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
