import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';

/** Names that never leave this machine. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/**
 * The normalized address of a server, without a slash at the end. Throws if a token must not be sent to it: with
 * http, except on this machine, the network could read the token.
 */
export const serverAddress = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CliError(
      'SERVER_ADDRESS_WRONG',
      `${JSON.stringify(text)} is not the address of a server.`,
      exitCodes.wrongUse,
      'Write it like https://mq.example.com.',
    );
  if (url.username !== '' || url.password !== '')
    throw new CliError(
      'SERVER_ADDRESS_WRONG',
      'The address of a server has no user and no password.',
      exitCodes.wrongUse,
      '`mq login <address>` asks for the token.',
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new CliError(
      'SERVER_NOT_ENCRYPTED',
      `${url.origin} is not encrypted, so that others could read your token on its way. It was not sent.`,
      exitCodes.wrongUse,
      'Use the https address. mq uses http only for this machine (127.0.0.1, localhost).',
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
};
