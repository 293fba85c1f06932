import type { IncomingMessage, ServerResponse } from 'node:http';
import { INBOUND_BODY_LIMIT_BYTES, type InboundAnswer, type InboundReceiver } from './receiver.js';

type Answer = Omit<InboundAnswer, 'status'> & { readonly status: InboundAnswer['status'] | 405 | 500 };

const tooLarge: Answer = { status: 413, message: 'The body is too large.' };
const noPost: Answer = { status: 405, message: 'Events are sent by POST.' };
const alreadyRead: Answer = {
  status: 500,
  message: 'The body was read before this handler. Mount it before any body parser, or keep the raw body.',
};

/** Wraps a receiver as a `fetch` handler, for Node, Deno, Bun, workers and compatible frameworks. Never rejects. */
export const inboundFetch =
  (receive: InboundReceiver): ((request: Request) => Promise<Response>) =>
  async (request) => {
    if (request.method !== 'POST') return responseOf(noPost);
    if (request.bodyUsed) return responseOf(alreadyRead);
    if (Number(request.headers.get('content-length') ?? 0) > INBOUND_BODY_LIMIT_BYTES)
      return responseOf(tooLarge);
    const body = await bytesOf(request.body ?? []).catch(() => null);
    if (body === null) return responseOf(tooLarge);
    return responseOf(await receive({ headers: Object.fromEntries(request.headers), body }));
  };

const responseOf = ({ status, message }: Answer): Response =>
  Response.json({ message }, { status, ...(status === 405 ? { headers: { allow: 'POST' } } : {}) });

/** A request of Node, with properties that middleware may have added. */
export type InboundMessage = IncomingMessage & {
  /** The raw body, if middleware has read and kept it. */
  readonly rawBody?: unknown;
  /** The raw body, if it is a Buffer, as after `express.raw()`. */
  readonly body?: unknown;
};

/**
 * Wraps a receiver as a Node listener, for `http.createServer`, Express, Koa, Connect and Fastify's raw requests. It reads
 * the raw body, or takes it from `rawBody` or a `body` of bytes if middleware has read it. Answers 500 if neither is
 * possible.
 */
export const inboundListener =
  (receive: InboundReceiver): ((request: InboundMessage, response: ServerResponse) => Promise<void>) =>
  async (request, response) => {
    const answer = await answerTo(receive, request);
    if (response.headersSent) return;
    const text = JSON.stringify({ message: answer.message });
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(answer.status === 405 ? { allow: 'POST' } : {}),
      // The rest of a too large body is not read, so the connection cannot be reused.
      ...(answer.status === 413 ? { connection: 'close' } : {}),
    });
    response.end(text);
  };

const answerTo = async (receive: InboundReceiver, request: InboundMessage): Promise<Answer> => {
  if (request.method !== 'POST') return noPost;
  const kept = [request.rawBody, request.body].find((body) => body instanceof Uint8Array);
  if (kept !== undefined) return receive({ headers: request.headers, body: kept });
  if (request.readableDidRead) return alreadyRead;
  if (Number(request.headers['content-length'] ?? 0) > INBOUND_BODY_LIMIT_BYTES) return tooLarge;
  const body = await bytesOf(request).catch(() => null);
  return body === null ? tooLarge : receive({ headers: request.headers, body });
};

/** Rejects if the body exceeds the limit or the client disconnects. */
const bytesOf = async (stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > INBOUND_BODY_LIMIT_BYTES) throw new RangeError('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
