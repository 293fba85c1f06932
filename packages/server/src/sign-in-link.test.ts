import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { bootstrapHolder, tokenKeeper } from '@mq/core';
import { sendProblem } from '@mq/http';
import { memoryServiceStore } from '@mq/store-memory';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { addSignIn, offersSignIn, SIGN_IN_LINK_MS, SIGN_IN_TOKEN_MS, signInLink } from './sign-in-link.js';

/** A server with a link; `asked` sends the code as a page would, with other headers where given. */
const serving = async (host = '127.0.0.1') => {
  let now = 1_000;
  const lines: string[] = [];
  const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
  onTestFinished(() => app.close());
  const tokens = tokenKeeper({ store: memoryServiceStore(), canonicalRepo: (repo) => repo });
  const link = signInLink(() => now);
  addSignIn(app, { link, tokens, host });
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, request.log));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const asked = async (code: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ code });
    const sent = { host: `127.0.0.1:${port}`, 'content-type': 'application/json', ...headers };
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `POST /sign-in HTTP/1.1\r\n${lines.join('')}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let text = '';
    socket.on('data', (part) => {
      text += String(part);
    });
    await once(socket, 'close');
    return {
      status: Number(text.slice(9, 12)),
      json: JSON.parse(text.slice(text.indexOf('\r\n\r\n')) || 'null'),
    };
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  const codeOf = (made: string) => made.split('#code=')[1] ?? '';
  return { url, port, link, tokens, asked, lines, codeOf, pass };
};

test('the code of the link is in its fragment, has 128 bits, and is exchanged once for a token of its own', async () => {
  const { url, link, tokens, asked, codeOf, lines } = await serving();
  const made = link.make(url);
  const code = codeOf(made);
  expect([made.startsWith(`${url}/#code=`), Buffer.from(code, 'base64url').length]).toEqual([true, 16]);

  const { status, json } = await asked(code);
  expect(status).toBe(200);
  const life = Date.parse(json.expiresAt) - Date.now();
  expect(life).toBeGreaterThan(SIGN_IN_TOKEN_MS - 60_000);
  expect(life).toBeLessThanOrEqual(SIGN_IN_TOKEN_MS);
  const [listed] = (await tokens.list(bootstrapHolder, {})).items;
  expect(listed?.token.id).toBe((await tokens.find(json.token))?.id);
  expect((await asked(code)).status).toBe(401);

  if (listed !== undefined) await tokens.revoke(bootstrapHolder, { tokenId: listed.token.id });
  expect((await tokens.list(bootstrapHolder, {})).items.map(({ state }) => state)).toEqual(['revoked']);
  expect(lines.join('')).not.toContain(code);
  expect(lines.join('')).not.toContain(json.token);
});

test.each([
  ['another site, by its name', { host: 'evil.example' }],
  ['a loopback name without a port', { host: 'localhost' }],
  ['a loopback name with another port', { host: 'localhost:1' }],
  ['a name that begins with a loopback name', { host: 'localhost.evil.example:80' }],
  ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
  ['a proxy that names the host', { 'X-Forwarded-Host': 'mq.example' }],
  ['a proxy of the standard header', { forwarded: 'for=203.0.113.7' }],
  ['a page of another origin', { origin: 'http://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['a form', { 'content-type': 'text/plain' }],
])('the code is refused to %s, and stays good', async (_who, headers) => {
  const { url, link, asked, codeOf } = await serving();
  const code = codeOf(link.make(url));
  expect((await asked(code, headers)).status).toBe(401);
  expect((await asked(code)).status).toBe(200);
});

test('a code is refused after five minutes, by a server that other machines reach, and if it is another', async () => {
  const late = await serving();
  const code = late.codeOf(late.link.make(late.url));
  late.pass(SIGN_IN_LINK_MS + 1);
  expect((await late.asked(code)).status).toBe(401);

  const open = await serving('0.0.0.0');
  expect((await open.asked(open.codeOf(open.link.make(open.url)))).status).toBe(401);

  const none = await serving();
  for (const other of ['', 'x', code, Buffer.alloc(16).toString('base64url')])
    expect((await none.asked(other)).status).toBe(401);
});

test('of two links the second is good', async () => {
  const { url, link, asked, codeOf } = await serving();
  const first = codeOf(link.make(url));
  const second = codeOf(link.make(url));
  expect([(await asked(first)).status, (await asked(second)).status]).toEqual([401, 200]);
});

test.each([
  ['127.0.0.1', true, undefined, true],
  ['localhost', true, '', true],
  ['127.0.0.1', false, undefined, false],
  ['127.0.0.1', true, 'true', false],
  ['0.0.0.0', true, undefined, false],
] as const)(
  'with HOST=%s, terminal %s and CI=%s a start offers a link: %s',
  (host, isTerminal, ci, isOffered) => {
    expect(offersSignIn({ host, isTerminal, ci })).toBe(isOffered);
  },
);
