import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What may be called. The default is https on port 443 at addresses of the public internet. */
export interface TargetPolicy {
  readonly allowHttp: boolean;
  /** Ports that may be called besides 443, and besides 80 with `allowHttp`. */
  readonly allowPorts: readonly number[];
  /** Private ranges that may be called, in CIDR notation. */
  readonly allowRanges: readonly string[];
}

export const publicTargets: TargetPolicy = { allowHttp: false, allowPorts: [], allowRanges: [] };

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The unicast addresses of the public internet; everything else of IPv6 is special. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Prefixes that a gateway translates to the IPv4 address in the last 32 bits. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Services for virtual machines of a cloud, with keys for them, at addresses that look public: Azure's. */
const CLOUD_SERVICES = ['168.63.129.16/32'];

/** Whether a text is a range in CIDR notation. */
export const isRange = (text: string): boolean => ipaddr.isValidCIDR(text);

/** Why an address must not be called, as a phrase after its name; null if it may. */
export const addressFault = (
  text: string,
  { allowRanges }: Pick<TargetPolicy, 'allowRanges'>,
): string | null => {
  const bare = text.split('%', 1)[0] ?? '';
  if (isIP(bare) === 0) return 'is not an IP address';
  const address = meantAddress(ipaddr.parse(bare));
  if (allowRanges.some((range) => isWithin(address, range))) return null;
  const range = address.range();
  if (range !== 'unicast') return `is in a range that is not called (${range})`;
  if (CLOUD_SERVICES.some((service) => isWithin(address, service)))
    return 'is in a range that is not called (cloud)';
  return isIPv6(address) && !address.match(GLOBAL_UNICAST)
    ? 'is in a range that is not called (special)'
    : null;
};

/** The address that is reached: IPv4 in IPv6 counts as IPv4. */
const meantAddress = (address: Address): Address => {
  if (!isIPv6(address)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
};

const isIPv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === 'ipv6';

const isWithin = (address: Address, range: string): boolean => {
  const [network, bits] = ipaddr.parseCIDR(range);
  return network.kind() === address.kind() && address.match([network, bits] as never);
};

/** The host of a URL without brackets and a final dot: a name, or an IP address in canonical form. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const portOf = ({ protocol, port }: URL): number => {
  if (port !== '') return Number(port);
  return protocol === 'http:' ? 80 : 443;
};

/**
 * Why a URL is not a target, as a phrase after "url"; null if it may be tried. Names are not looked up: that is done for each
 * connection, and so is the check of the address.
 */
export const urlFault = (text: string, policy: TargetPolicy): string | null => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'must be an absolute URL';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp))
    return policy.allowHttp ? 'must be an http or https URL' : 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  const host = hostOf(url);
  if (host === '') return 'must name a host';
  const ports = [443, ...(policy.allowHttp ? [80] : []), ...policy.allowPorts];
  if (!ports.includes(portOf(url))) return `must use one of the ports ${ports.join(', ')}`;
  if (isIP(host) === 0) return null;
  const fault = addressFault(host, policy);
  return fault === null ? null : `must not be that address: ${host} ${fault}`;
};
