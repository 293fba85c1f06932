import { lookup as lookUp } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { addressFault, hostOf, portOf, type TargetPolicy } from './targets.js';

/** The target must not be called. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
}

export interface ConnectParts {
  readonly policy: TargetPolicy;
  /** Defaults to that of the operating system. */
  readonly lookup?: LookupFunction;
}

/**
 * Connects to the host of a URL, with TLS for https. The address is checked three times: an IP address in the URL before
 * connecting, every address that a name has while it is looked up, and the one that was reached before a byte is sent.
 */
export const connectChecked = async (url: URL, parts: ConnectParts, signal: AbortSignal): Promise<Socket> => {
  const host = hostOf(url);
  if (isIP(host) !== 0) refuseUnless(host, parts.policy);
  const socket = connect({ host, port: portOf(url), lookup: checkedLookup(parts) });
  try {
    await opened(socket, 'connect', signal);
    refuseUnless(socket.remoteAddress ?? '', parts.policy);
    if (url.protocol !== 'https:') return socket;
    const secure = connectTls({ socket, ...(isIP(host) === 0 ? { servername: host } : { host }) });
    await opened(secure, 'secureConnect', signal);
    return secure;
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

const refuseUnless = (address: string, policy: TargetPolicy): void => {
  const fault = addressFault(address, policy);
  if (fault !== null) throw new RefusedTarget(`It was not called: ${address} ${fault}.`);
};

/** One address in a private range refuses the name: the others of it are not tried. */
const checkedLookup =
  ({ policy, lookup = lookUp as LookupFunction }: ConnectParts): LookupFunction =>
  (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      try {
        for (const { address } of addresses) refuseUnless(address, policy);
      } catch (refused) {
        return callback(refused as Error, '', 0);
      }
      const [first] = addresses;
      if (options.all === true) return callback(null, addresses);
      return callback(null, first?.address ?? '', first?.family ?? 0);
    });

const opened = (socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy(new Error('the time limit was reached'));
    const settle = (end: () => void) => {
      signal.removeEventListener('abort', onAbort);
      end();
    };
    socket.once(event, () => settle(resolve));
    // The listener stays: a later error must not end the process.
    socket.on('error', (error) => settle(() => reject(error)));
    socket.once('close', () => settle(() => reject(new Error('the connection was closed'))));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
