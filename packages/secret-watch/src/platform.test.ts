import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { isSecret, requireNoLeak, secretsIn, takeLeaks } from './index.js';

const token = `mqt_${'a'.repeat(36)}`;

test('a token on the console fails the test that is running', () => {
  console.debug({ toString: () => token });
  expect(requireNoLeak).toThrow(`A secret stands in the console: ${token}`);
});

test('a token in the error output of a program fails the test, and what the program says stays readable', async () => {
  const said = `process.stderr.write('${token.slice(0, 9)}'); setTimeout(() => process.stderr.write('${token.slice(9)}'), 50)`;
  const { stderr } = await promisify(execFile)(process.execPath, ['-e', said]);
  expect(stderr).toBe(token);
  expect(takeLeaks()).toContainEqual({ where: 'the error output of a program', secret: token });
});

test('a token in an error that a server answers fails the test, and in another answer it does not', async () => {
  const server = createServer(({ url }, answer) => answer.writeHead(url === '/made' ? 200 : 404).end(token));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await (await fetch(`${at}/made`)).text()).toBe(token);
  expect(takeLeaks()).toEqual([]);
  expect(await (await fetch(`${at}/none`)).text()).toBe(token);
  expect(takeLeaks()).toEqual([{ where: 'an error', secret: token }]);
});

test('a secret of unknown form is found once it is named', () => {
  const secret = 'c0ffee'.repeat(7);
  expect(secretsIn(`uses ${secret}`)).toEqual([]);
  isSecret(secret);
  expect(secretsIn(`uses ${secret}`)).toEqual([secret]);
});
