import type { Repo } from '../../checkout/remote.js';
import type { Schemas } from '../../command.js';

export const repositoriesText = (repositories: readonly Repo[] | null): string =>
  repositories === null
    ? 'all'
    : repositories.map(({ host, owner, name }) => `${host}/${owner}/${name}`).join(', ');

/** The token is shown alone on the last line, so that a program can read it from there. */
export const createdText = ({ name, token, tokenId }: Schemas['CreatedToken']): string =>
  token === null
    ? `${name} was already created by the same request, and its token was shown then. Revoke it and create another: mq token revoke ${tokenId}`
    : `${name} (${tokenId}). This token is shown once:\n${token}`;
