import { describe, expect, test } from 'vitest';
import { addressFault, publicTargets, urlFault } from './targets.js';

const policy = publicTargets;

describe('addressFault', () => {
  test.each([
    '1.1.1.1',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '2a00:1450:4001:801::200e',
    '::ffff:1.1.1.1',
  ])('%s is called', (address) => expect(addressFault(address, policy)).toBe(null));

  test('an IPv4 address behind a NAT64 gateway counts as that address', () => {
    expect(addressFault('64:ff9b::101:101', policy)).toBe(null);
    expect(addressFault('64:ff9b::a00:1', policy)).toContain('private');
    expect(addressFault('64:ff9b::7f00:1', policy)).toContain('loopback');
  });

  test.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...[
      '169.254.169.254',
      '100.64.0.1',
      '192.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
    ],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::1',
      '::',
      '::127.0.0.1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:a9fe:a9fe',
      'fe80::1',
      'fe80::1%eth0',
    ],
    ...[
      'fc00::1',
      'fd00:ec2::254',
      'fec0::1',
      'ff02::1',
      '2001:db8::1',
      '2002:7f00:1::',
      '2002:a00:1::',
      '2001::1',
    ],
    ...['64:ff9b:1::1', '100::1', '4000::1', 'not an address', ''],
  ])('%s is not called', (address) => expect(addressFault(address, policy)).not.toBe(null));

  test.each([
    ['169.254.169.254', 'AWS, Azure, Google, Oracle, DigitalOcean, OpenStack'],
    ['169.254.170.2', 'AWS containers'],
    ['169.254.42.42', 'Scaleway'],
    ['169.254.0.23', 'Tencent'],
    ['100.100.100.200', 'Alibaba'],
    ['192.0.0.192', 'Oracle, of old'],
    ['168.63.129.16', 'Azure'],
    ['::ffff:168.63.129.16', 'Azure'],
    ['64:ff9b::a83f:8110', 'Azure'],
    ['fd00:ec2::254', 'AWS'],
    ['fd20:ce::254', 'Google'],
  ])('%s, which gives keys to virtual machines (%s), is not called', (address) =>
    expect(addressFault(address, policy)).not.toBe(null),
  );

  test('the neighbours of a cloud service are called, and so is the service itself if the configuration allows it', () => {
    for (const address of ['168.63.129.15', '168.63.129.17'])
      expect(addressFault(address, policy), address).toBe(null);
    expect(addressFault('168.63.129.16', { allowRanges: ['168.63.129.16/32'] })).toBe(null);
  });

  test('an address in a range of the configuration is called, and no other private one', () => {
    const allowed = { allowRanges: ['10.1.0.0/16', 'fd12::/16'] };
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', 'fd12::1'])
      expect(addressFault(address, allowed), address).toBe(null);
    for (const address of ['10.2.0.1', '127.0.0.1', 'fd13::1', '::1'])
      expect(addressFault(address, allowed), address).not.toBe(null);
  });
});

describe('T-P12 urlFault', () => {
  test.each([
    'https://example.com/hook',
    'https://EXAMPLE.com:443/',
    'https://1.1.1.1/x?y=z',
    'https://[2606:4700:4700::1111]/',
  ])('%s may be set', (url) => expect(urlFault(url, policy)).toBe(null));

  test.each([
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['example.com', 'absolute'],
    ['https://user@example.com/', 'user'],
    ['https://:secret@example.com/', 'password'],
    ['https://example.com:22/', 'ports'],
    ['https://127.0.0.1/', 'loopback'],
    ['https://127.1/', 'loopback'],
    ['https://2130706433/', 'loopback'],
    ['https://0x7f000001/', 'loopback'],
    ['https://0177.0.0.1/', 'loopback'],
    ['https://0x7f.0.0.0x1/', 'loopback'],
    ['https://127.0.0.1./', 'loopback'],
    ['https://①②⑦.0.0.1/', 'loopback'],
    ['https://10.0.0.1/', 'private'],
    ['https://169.254.169.254/latest/meta-data', 'linkLocal'],
    ['https://168.63.129.16/machine', 'cloud'],
    ['https://0/', 'unspecified'],
    ['https://[::1]/', 'loopback'],
    ['https://[::ffff:127.0.0.1]/', 'loopback'],
    ['https://[::ffff:7f00:1]/', 'loopback'],
    ['https://[64:ff9b::127.0.0.1]/', 'loopback'],
    ['https://[fd00::1]/', 'uniqueLocal'],
  ])('%s may not be set', (url, reason) => expect(urlFault(url, policy)).toContain(reason));

  test('the configuration can allow http, other ports and private ranges', () => {
    const wider = { allowHttp: true, allowPorts: [9000], allowRanges: ['127.0.0.0/8'] };
    for (const url of ['http://example.com/', 'http://127.0.0.1:9000/', 'https://127.0.0.1/'])
      expect(urlFault(url, wider), url).toBe(null);
    expect(urlFault('http://example.com:9001/', wider)).toContain('443, 80, 9000');
  });
});
