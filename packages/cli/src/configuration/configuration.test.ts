import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Io } from '../io.js';
import { programPath } from '../programs.js';
import { configurationFile, readConfiguration, writeConfiguration } from './file.js';
import { serverAddress } from './origin.js';
import { serverFor } from './server.js';

const ioWith = (env: Record<string, string> = {}): Io => {
  const home = mkdtempSync(join(tmpdir(), 'mq-cli-test-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { env: { HOME: home, ...env } } as unknown as Io;
};

const saved = {
  current: 'https://mq.example',
  servers: { 'https://mq.example': { name: 'work', token: 'secret' } },
};

describe('the address of a server', () => {
  test.each([
    'http://127.0.0.1:8787',
    'http://localhost:8787',
    'http://[::1]:1',
    'https://mq.example/queues',
  ])('%s may get a token', (address) => {
    expect(serverAddress(`${address}/`)).toBe(address);
  });

  test.each([
    'http://mq.example',
    'http://10.0.0.1',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://0.0.0.0:8787',
    'ftp://mq.example',
    'https://user:pass@mq.example',
    'mq.example',
    'https://mq.example/?x=1',
  ])('%s may not', (address) => {
    expect(() => serverAddress(address)).toThrow();
  });
});

describe('the token', () => {
  test('the token is the one that was saved for the address', async () => {
    const io = ioWith();
    writeConfiguration(io, saved);

    expect(await serverFor(io, undefined)).toEqual({ address: 'https://mq.example', token: 'secret' });
    expect(await serverFor(io, 'work')).toEqual({ address: 'https://mq.example', token: 'secret' });
    expect(await serverFor(io, 'https://mq.example/')).toEqual({
      address: 'https://mq.example',
      token: 'secret',
    });
  });

  test.each([
    'https://evil.example',
    'https://mq.example:444',
    'https://mq.example.evil.example',
    'https://mq.example/other',
  ])('the token does not go to %s', async (address) => {
    const io = ioWith();
    writeConfiguration(io, saved);

    await expect(serverFor(io, address)).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  });

  test('the token of MQ_TOKEN goes to MQ_URL, before what is saved', async () => {
    const io = ioWith({ MQ_URL: 'http://127.0.0.1:8787', MQ_TOKEN: 'of-environment' });
    writeConfiguration(io, saved);

    expect(await serverFor(io, undefined)).toEqual({
      address: 'http://127.0.0.1:8787',
      token: 'of-environment',
    });
    expect(await serverFor(io, 'work')).toMatchObject({ token: 'secret' });
  });

  test('the token of MQ_TOKEN goes to no other address', async () => {
    const io = ioWith({ MQ_URL: 'http://127.0.0.1:8787', MQ_TOKEN: 'of-environment' });
    await expect(serverFor(io, 'https://evil.example')).rejects.toMatchObject({ code: 'TOKEN_MISSING' });

    const alone = ioWith({ MQ_TOKEN: 'of-environment' });
    await expect(serverFor(alone, undefined)).rejects.toMatchObject({ code: 'SERVER_UNKNOWN' });
  });

  test('the token of MQ_TOKEN does not go over http to another machine', async () => {
    const io = ioWith({ MQ_URL: 'http://mq.example', MQ_TOKEN: 'of-environment' });

    await expect(serverFor(io, undefined)).rejects.toMatchObject({ code: 'SERVER_NOT_ENCRYPTED' });
  });
});

describe('the configuration', () => {
  test('the configuration is readable by its user alone', () => {
    const io = ioWith();
    writeConfiguration(io, saved);

    expect(statSync(configurationFile(io)).mode & 0o777).toBe(0o600);
    expect(readConfiguration(io)).toEqual(saved);
  });

  test('the configuration that others may read is refused, with the command that helps', () => {
    const io = ioWith();
    writeConfiguration(io, saved);
    chmodSync(configurationFile(io), 0o644);

    expect(() => readConfiguration(io)).toThrow(/can be read by other users/);
  });

  test('the configuration is never one of the folder that the user is in', () => {
    expect(configurationFile({ env: { HOME: '/home/ada', XDG_CONFIG_HOME: '.' } })).toBe(
      '/home/ada/.config/mq/config.json',
    );
    expect(configurationFile({ env: { HOME: '/home/ada', XDG_CONFIG_HOME: '/conf' } })).toBe(
      '/conf/mq/config.json',
    );
  });
});

test('a program is never one of the folder that the user is in', () => {
  expect(programPath('git', '.:bin:')).toBeNull();
  expect(programPath('sh', `.:/usr/bin:/bin`)).toMatch(/^\/(usr\/)?bin\/sh$/);
});
