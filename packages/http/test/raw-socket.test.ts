import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { BODY_LIMIT_BYTES } from '../src/index.js';
import { headers, listening, problemIn, small, talk } from './raw-talk.js';
import { queueRef, repo } from './world.js';

test('T-P01 a bad token is answered with 401 while the body has not been sent', async () => {
  const { port } = await listening();
  const { text, closed } = await talk(port, {
    first: headers([`Content-Length: ${BODY_LIMIT_BYTES}`], 'wrong'),
    untilClosed: true,
  });
  expect(text).toMatch(/^HTTP\/1\.1 401 /);
  expect(closed).toBe(true);
});

const PIECE_BYTES = 64 * 1024;

const bodyOf = (bytes: number): Buffer => {
  const start = JSON.stringify({ ...queueRef, padding: '' }).slice(0, -2);
  return Buffer.from(`${start}${'x'.repeat(bytes - start.length - 2)}"}`);
};

test('T-P04 a body of exactly 20 MiB is accepted', async () => {
  const { port, asked } = await listening();
  const body = bodyOf(BODY_LIMIT_BYTES);
  expect(body.length).toBe(BODY_LIMIT_BYTES);
  const first = Buffer.concat([Buffer.from(headers([`Content-Length: ${body.length}`])), body]);
  expect((await talk(port, { first })).text).toMatch(/^HTTP\/1\.1 200 /);
  expect(asked).toEqual([{ method: 'getQueue', request: { repo, targetBranch: 'main' } }]);
});

test('T-P04 a Content-Length of one byte more than 20 MiB gets 413 before the body is sent', async () => {
  const { port, asked } = await listening();
  const { text, closed } = await talk(port, {
    first: headers([`Content-Length: ${BODY_LIMIT_BYTES + 1}`]),
    untilClosed: true,
  });
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(text).toContain('BODY_TOO_LARGE');
  expect(closed).toBe(true);
  expect(asked).toEqual([]);
});

test('T-P04 a chunked body gets 413 at 20 MiB', async () => {
  const { port, asked } = await listening();
  const body = bodyOf(BODY_LIMIT_BYTES + 1);
  const first = Buffer.concat([
    Buffer.from(headers(['Transfer-Encoding: chunked'])),
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  expect((await talk(port, { first })).text).toMatch(/^HTTP\/1\.1 413 /);
  expect(asked).toEqual([]);
});

test('T-P04 a client that sends its whole body before it reads receives its 413', async () => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  const cut = new Promise<never>((_, reject) => socket.on('error', reject));
  const send = (piece: string | Buffer) =>
    Promise.race([cut, new Promise((resolve) => socket.write(piece, resolve))]);
  await send(headers([`Content-Length: ${BODY_LIMIT_BYTES + 1}`]));
  for (let sent = 0; sent < BODY_LIMIT_BYTES; sent += PIECE_BYTES) await send(Buffer.alloc(PIECE_BYTES));
  await send('x');
  let text = '';
  for await (const bytes of socket.setEncoding('utf8')) text += bytes;
  expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*BODY_TOO_LARGE/);
});

test('a client that waits for 100 Continue receives it, and then its answer', async () => {
  const { port } = await listening();
  const { text } = await talk(port, {
    first: headers([`Content-Length: ${small.length}`, 'Expect: 100-continue']),
    onContinue: small,
  });
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
});

test.each([
  ['both lengths', [`Content-Length: ${small.length}`, 'Transfer-Encoding: chunked'], small],
  ['two lengths', [`Content-Length: ${small.length}`, 'Content-Length: 3'], small],
  ['a space before the colon', [`Content-Length : ${small.length}`], small],
  ['a length that is not a number', ['Content-Length: 1x'], small],
  ['a chunk of no size', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
] as const)('T-P09 %s gets 400 and the connection ends', async (_what, lines, body) => {
  const { port, asked } = await listening();
  const { text, closed } = await talk(port, { first: headers(lines) + body, untilClosed: true });
  expect(problemIn(text)).toMatchObject({ status: 400, code: 'MALFORMED_REQUEST' });
  expect(closed).toBe(true);
  expect(asked).toEqual([]);
});

test('T-P09 lines that end in a bare line feed get 400', async () => {
  const { port, asked } = await listening();
  const first = headers([`Content-Length: ${small.length}`]).replaceAll('\r\n', '\n') + small;
  expect((await talk(port, { first })).text).toMatch(/^HTTP\/1\.1 400 /);
  expect(asked).toEqual([]);
});

test('T-P05 blanks around the content type are ignored', async () => {
  const { port } = await listening();
  const first =
    headers([`Content-Length: ${small.length}`]).replace(
      'Content-Type: application/json',
      'Content-Type: \t application/json \t',
    ) + small;
  expect((await talk(port, { first })).text).toMatch(/^HTTP\/1\.1 200 /);
});

test('headers larger than 16 KiB get 431 with their own code', async () => {
  const { port, asked } = await listening();
  const { text, closed } = await talk(port, {
    first: headers([`X-Padding: ${'x'.repeat(17 * 1024)}`]),
    untilClosed: true,
  });
  expect(problemIn(text)).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
  expect(closed).toBe(true);
  expect(asked).toEqual([]);
});

test('a client that sends endless headers before it reads receives its 431', async () => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  const cut = new Promise<never>((_, reject) => socket.on('error', reject));
  const send = (piece: string) => Promise.race([cut, new Promise((resolve) => socket.write(piece, resolve))]);
  await send(headers([]).slice(0, -2));
  for (let sent = 0; sent < 64; sent += 1) await send(`X-${sent}: ${'x'.repeat(PIECE_BYTES)}\r\n`);
  let text = '';
  for await (const bytes of socket.setEncoding('utf8')) text += bytes;
  expect(problemIn(text)).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
});

test.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x00])],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', 'FETCH /v1/getQueue HTTP/1.1\r\nHost: x\r\n\r\n'],
] as const)('%s gets 400 with a code and what to do, and the connection ends', async (_what, first) => {
  const { port } = await listening();
  const { text, closed } = await talk(port, { first, untilClosed: true });
  expect(problemIn(text)).toMatchObject({ status: 400, code: 'MALFORMED_REQUEST' });
  expect(problemIn(text).detail).toContain('HTTP/1.1');
  expect(closed).toBe(true);
});

test.each(['/v1/%', '/v1/getQueue%', '/%zz', '/v1/get%E0%A4Queue'])(
  'the path %s gets 400 with a code, and the connection stays',
  async (path) => {
    const { port, asked } = await listening();
    const first = headers(['Content-Length: 0']).replace('/v1/getQueue', path);
    const { text, closed } = await talk(port, { first });
    expect(problemIn(text)).toMatchObject({ status: 400, code: 'MALFORMED_REQUEST' });
    expect(problemIn(text).detail).toContain('%25');
    expect(closed).toBe(false);
    expect(asked).toEqual([]);
  },
);

test('an invalid second request is refused after the answer to the first', async () => {
  const { port } = await listening();
  const first = `${headers([`Content-Length: ${small.length}`])}${small}hello\r\n\r\n`;
  const { text } = await talk(port, { first, untilClosed: true });
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 /);
});

test('endless chunk extensions get 413 with a code, and the connection ends', async () => {
  const { port, asked } = await listening();
  const first = `${headers(['Transfer-Encoding: chunked'])}2;${'x'.repeat(64 * 1024)}`;
  const { text, closed } = await talk(port, { first, untilClosed: true });
  expect(problemIn(text)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  expect(problemIn(text).detail).toContain('chunk');
  expect(closed).toBe(true);
  expect(asked).toEqual([]);
});
