import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem, unsupportedContentType } from './errors.js';

/** Max size of a request body. */
export const BODY_LIMIT_BYTES = 20 * 1024 * 1024;
/** Max nesting of objects and lists. Every documented request stays far below. */
export const DEPTH_LIMIT = 32;
/** Max values in a body, elements of lists included: many small values cost far more time and memory than their bytes. */
export const VALUES_LIMIT = 250_000;
/** Max fields of all objects in a body: an object with many of them costs far more time than a list of that length. */
export const FIELDS_LIMIT = 10_000;
/** Max bytes outside of strings: blanks, and numbers with very many digits. */
export const OUTSIDE_BYTES_LIMIT = 4 * 1024 * 1024;
/** A body longer than this is read in several turns of the event loop, so that others are served in between. */
const BYTES_PER_TURN = 1024 * 1024;

const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset[ \t]*=[ \t]*(?:utf-8|"utf-8"))?$/i;

/** Accepts exactly the JSON content type. A lenient match of the header has let requests bypass validators before. */
export const requireJson = (request: FastifyRequest): void => {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw unsupportedContentType();
  if (!jsonType.test(request.headers['content-type'] ?? '')) throw unsupportedContentType();
};

/**
 * Replaces every body parser of this context by one for well-formed JSON in UTF-8, within the limits above. The keys
 * `__proto__` and `constructor.prototype` are dropped, as unknown ones are ignored.
 */
export const readJsonOnly = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    async (request: FastifyRequest, bytes: Buffer) => {
      const endTurn = bytes.length > BYTES_PER_TURN ? () => setImmediate() : () => undefined;
      const fault = shapeFault(bytes);
      if (fault !== null) throw malformed(fault);
      await endTurn();
      const text = decode(bytes);
      if (text === null) throw malformed('The body is not UTF-8.');
      await endTurn();
      return new Promise((resolve, reject) => {
        parse(request, text, (error, value) =>
          error === null ? resolve(value) : reject(malformed(faultIn(text))),
        );
      });
    },
  );
};

const malformed = (detail: string): HttpProblem => new HttpProblem('MALFORMED_JSON', detail);

/** Decodes UTF-8, without the byte order mark that some clients send. Null if the bytes are not UTF-8. */
const decode = (bytes: Buffer): string | null => (isUtf8(bytes) ? withoutMark(bytes.toString('utf8')) : null);

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

const [QUOTE, COMMA, COLON, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x2c, 0x3a, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/** Why a body exceeds the limits; null if it does not. Counts on the bytes, before anything is built from them. */
const shapeFault = (bytes: Buffer): string | null => {
  let [depth, values, fields, outside] = [0, 1, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    outside += 1;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > DEPTH_LIMIT) return `The body is nested more than ${DEPTH_LIMIT} levels deep.`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) fields += 1;
    if (values > VALUES_LIMIT) return `The body has more than ${VALUES_LIMIT} values.`;
    if (fields > FIELDS_LIMIT) return `The body has more than ${FIELDS_LIMIT} fields.`;
    if (outside > OUTSIDE_BYTES_LIMIT)
      return `The body has more than ${OUTSIDE_BYTES_LIMIT} bytes outside of strings.`;
  }
  return null;
};

/** The index of the quote that ends a string; the length if none does. Without escapes `indexOf` is ten times faster than a loop. */
const endOfText = (bytes: Buffer, start: number): number => {
  const quote = bytes.indexOf(QUOTE, start + 1);
  if (quote === -1) return bytes.length;
  return bytes[quote - 1] === BACKSLASH ? endOfEscaped(bytes, start) : quote;
};

const endOfEscaped = (bytes: Buffer, start: number): number => {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
};

/** Why the parser refused a text. */
const faultIn = (text: string): string => {
  if (text.trim() === '') return 'The body is empty.';
  try {
    JSON.parse(text);
    return 'The body is not JSON.';
  } catch (error) {
    return `The body is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`;
  }
};
