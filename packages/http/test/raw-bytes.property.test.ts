import { takeLeaks } from '@mq/secret-watch';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headers, listening, small, talk } from './raw-talk.js';

const CASES = 1_000;

/** A valid request with a piece replaced, repeated or dropped. */
const damaged = fc
  .tuple(
    fc.constantFrom(
      `${headers([`Content-Length: ${small.length}`])}${small}`,
      `${headers(['Transfer-Encoding: chunked'])}${small.length.toString(16)}\r\n${small}\r\n0\r\n\r\n`,
    ),
    fc.nat(),
    fc.nat({ max: 40 }),
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          '\r\n',
          '\n',
          '\0',
          ' ',
          'Content-Length: 1\r\n',
          'Transfer-Encoding: chunked\r\n',
          '\r\n\r\n',
        )
        .map((text) => Buffer.from(text)),
    ),
  )
  .map(([text, at, length, piece]) => {
    const whole = Buffer.from(text);
    const from = at % whole.length;
    return Buffer.concat([whole.subarray(0, from), piece, whole.subarray(from + length)]);
  });

test('arbitrary bytes cause no 5xx and no second answer to a request, and the server keeps working', async () => {
  const { port, asked } = await listening();
  const cases = fc.sample(damaged, CASES);
  for (const first of cases) {
    const before = asked.length;
    const { text } = await talk(port, { first, givesUp: true });
    expect([first.toString('latin1'), text]).toEqual([
      first.toString('latin1'),
      expect.not.stringMatching(/^HTTP\/1\.1 5/m),
    ]);
    const answers = text.match(/^HTTP\/1\.1 [2-5]\d\d /gm) ?? [];
    expect(asked.length - before).toBeLessThanOrEqual(answers.length);
  }
  const whole = `${headers([`Content-Length: ${small.length}`])}${small}`;
  expect((await talk(port, { first: whole })).text).toMatch(/^HTTP\/1\.1 200 /);
  // Damage moves the token into another header, such as `Host`, which is logged as the client sent it.
  takeLeaks();
});
