import type { Repo } from '../../checkout/remote.js';
import type { Schemas } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { instantIn } from '../../text/time.js';

export const repositoriesText = (repositories: readonly Repo[] | null): string =>
  repositories === null
    ? 'all'
    : repositories.map(({ host, owner, name }) => `${host}/${owner}/${name}`).join(', ');

/** `never` is null; otherwise an instant. */
export const expiryIn = (text: string, now: number): string | null => {
  if (text === 'never') return null;
  const at = instantIn(text, now);
  if (at !== null) return at;
  throw new CliError(
    'TIME_WRONG',
    `--expires ${JSON.stringify(text)} is no time.`,
    exitCodes.wrongUse,
    'Write 90d, an ISO instant, or never.',
  );
};

/** The token is shown alone on the last line, so that it can be taken from there. */
export const createdText = ({ name, token, tokenId }: Schemas['CreatedToken']): string =>
  token === null
    ? `${name} was made before, by the same request, and its token was shown then. Revoke it and make another: mq token revoke ${tokenId}`
    : `${name} (${tokenId}). This token is shown once:\n${token}`;
