import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem, unsupportedContentType } from './errors.js';

/** Max size of a request body. */
export const BODY_LIMIT_BYTES = 20 * 1024 * 1024;
/** Max nesting of objects and lists. Every documented request stays far below. */
const DEPTH_LIMIT = 32;
/** Max values in a body, elements of lists included: many small values cost far more time and memory than their bytes. */
export const VALUES_LIMIT = 250_000;

const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset[ \t]*=[ \t]*(?:utf-8|"utf-8"))?$/i;

/** Accepts exactly the JSON content type. A lenient match of the header has let requests bypass validators before. */
export const requireJson = (request: FastifyRequest): void => {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw unsupportedContentType();
  if (!jsonType.test(request.headers['content-type'] ?? '')) throw unsupportedContentType();
};

/** Replaces every body parser of this context by one for well-formed JSON in UTF-8, within the limits above. */
export const readJsonOnly = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    (request, bytes, done) => {
      const fault = shapeFault(bytes);
      if (fault !== null) return done(malformed(fault));
      const text = decode(bytes);
      if (text === null) return done(malformed('The body is not UTF-8.'));
      parse(request, text, (error, value) =>
        error === null ? done(null, value) : done(malformed(faultIn(text))),
      );
    },
  );
};

const malformed = (detail: string): HttpProblem => new HttpProblem('MALFORMED_JSON', detail);

/** Decodes UTF-8, without the byte order mark that some clients send. Null if the bytes are not UTF-8. */
const decode = (bytes: Buffer): string | null => (isUtf8(bytes) ? withoutMark(bytes.toString('utf8')) : null);

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

const [QUOTE, COMMA, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x2c, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/** Why a body exceeds the limits; null if it does not. Counts on the bytes, before anything is built from them. */
const shapeFault = (bytes: Buffer): string | null => {
  let [depth, values] = [0, 1];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > DEPTH_LIMIT) return `The body is nested more than ${DEPTH_LIMIT} levels deep.`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (values > VALUES_LIMIT) return `The body has more than ${VALUES_LIMIT} values.`;
  }
  return null;
};

/** The index of the quote that ends a string; the length if none does. `indexOf` is ten times faster than a loop. */
const endOfText = (bytes: Buffer, start: number): number => {
  for (let from = start + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return bytes.length;
    let backslashes = 0;
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    from = quote + 1;
  }
};

/** Why the parser refused a text: it is not JSON, or it has keys that would pollute a prototype. */
const faultIn = (text: string): string => {
  if (text.trim() === '') return 'The body is empty.';
  try {
    JSON.parse(text);
    return 'The keys __proto__ and constructor.prototype are not accepted.';
  } catch (error) {
    return `The body is no JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`;
  }
};
