import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest, FastifyServerOptions } from 'fastify';
import { z } from 'zod';

const PROXIES_LIMIT = 100;

/** Trusting every address would let each client choose its own. */
const isAddressOrRange = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const mostBits = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : 0;
  if (mostBits === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= mostBits);
};

/** Parses the addresses and ranges of trusted proxies, whose `X-Forwarded-For` is believed. */
export const proxies = z
  .array(
    z
      .string()
      .refine(
        isAddressOrRange,
        'must be an address such as 10.0.0.7, or a range such as 10.0.0.0/8 that does not hold every address',
      ),
  )
  .max(PROXIES_LIMIT);

/** Makes `request.ip` the last address in `X-Forwarded-For` that is not a trusted proxy. */
export const proxyOptions = ({
  trustProxy,
}: {
  readonly trustProxy: readonly string[];
}): Pick<FastifyServerOptions, 'trustProxy'> =>
  trustProxy.length === 0 ? {} : { trustProxy: [...trustProxy] };

/** An `onRequest` hook that drops the port that some proxies add. Otherwise each connection would count as another client. */
export const dropForwardedPorts = async ({ raw: { headers } }: FastifyRequest): Promise<void> => {
  const given = headers['x-forwarded-for'];
  if (given === undefined) return;
  headers['x-forwarded-for'] = String(given)
    .split(',')
    .map((one) => withoutPort(one.trim()))
    .join(', ');
};

const withoutPort = (text: string): string => {
  const [, v4, v6] = /^(?:([\d.]+):\d+|\[([^\]]*)\](?::\d+)?)$/.exec(text) ?? [];
  return v4 ?? v6 ?? text;
};
