import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './errors.js';
import { markAnswer, problemBody, sendProblem } from './problem-reply.js';
import { endAndReadAway } from './read-away.js';

/** Those that are told already: what comes behind what is no request is none either. */
const refused = new WeakSet<Socket>();

/** Answers what never became a request: no HTTP, headers without end, two lengths, a body that does not come. */
export function refuseConnection(
  this: FastifyInstance,
  error: Error & { readonly code?: string },
  socket: Socket,
): void {
  if (error.code !== 'ECONNRESET') refuse(this.server, problemIn(error), socket);
}

/** Servers that hand on what Node itself would end without a word. */
const handingOn = new WeakSet<Server>();

/** Has a server answer CONNECT, and ask its routes about an expectation that Node does not know. */
export const handOn = (server: Server): void => {
  if (handingOn.has(server)) return;
  handingOn.add(server);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_: IncomingMessage, socket) => {
    // Whoever takes CONNECT answers it; with HTTP/2 it is a stream of a connection that goes on.
    if (server.listenerCount('connect') > 1 || !(socket instanceof Socket)) return;
    // Nobody else listens to it any more.
    socket.on('error', () => undefined);
    refuse(server, tunnel(), socket);
  });
};

const tunnel = (): HttpProblem =>
  new HttpProblem(
    'MALFORMED_REQUEST',
    'CONNECT is for proxies, and this is none: send a request of HTTP/1.1 for one of the paths. Nothing was done.',
  );

const refuse = (server: Server, problem: HttpProblem, socket: Socket): void => {
  if (refused.has(socket)) return;
  refused.add(socket);
  tellInTurn(server, answerOf(problem), socket);
};

/** Behind whatever is being answered on the same connection: before that, it would be taken for the answer to it. */
const tellInTurn = (server: Server, answer: string, socket: Socket): void => {
  if (!socket.writable) return;
  const other = answeredOn(socket);
  if (other?.req.complete === true) return void other.once('close', () => tellInTurn(server, answer, socket));
  if (other?.headersSent === true) return void socket.destroy();
  endAndReadAway(server, socket, answer);
};

/** What the server of Node keeps on a connection while an answer is awaited or sent; the first of several. */
const answeredOn = (
  socket: Socket & { readonly _httpMessage?: ServerResponse | null },
): ServerResponse | null => socket._httpMessage ?? null;

const problemIn = ({ code }: { readonly code?: string }): HttpProblem => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HttpProblem(
        'HEADERS_TOO_LARGE',
        'The path and the headers are larger than 16 KiB together.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HttpProblem(
        'BODY_TOO_LARGE',
        'The extensions of the chunks are larger than 16 KiB together.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpProblem(
        'REQUEST_TIMEOUT',
        'The request did not come to its end in time; nothing was done.',
      );
    default:
      return new HttpProblem('MALFORMED_REQUEST', 'This is no valid request of HTTP/1.1; nothing was done.');
  }
};

const answerOf = (problem: HttpProblem): string => {
  const id = randomUUID();
  const body = JSON.stringify(problemBody(problem, id));
  return [
    `HTTP/1.1 ${problem.statusCode} ${STATUS_CODES[problem.statusCode]}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
};

/** What Node takes for an expectation that it meets by itself. */
const continues = /(?:^|\W)100-continue(?:$|\W)/i;

/** Node would refuse these without a word, as HTTP/1.1 wants it; an older client knows neither. */
export const requireUnderstood = ({ raw: { httpVersion, headers } }: FastifyRequest): void => {
  if (httpVersion !== '1.1') return;
  if (headers.host === undefined)
    throw new HttpProblem('MALFORMED_REQUEST', 'A request of HTTP/1.1 has a header Host; nothing was done.');
  if (headers.expect !== undefined && !continues.test(headers.expect))
    throw new HttpProblem(
      'EXPECTATION_FAILED',
      'Nothing but 100-continue can be expected here; nothing was done.',
    );
};

/** Answers what has no route because its path cannot be read. */
export const refusePath = (
  error: Error & { readonly code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  markAnswer(request, reply);
  const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
  const problem = isTooLong
    ? new HttpProblem('PATH_NOT_FOUND', 'A part of the path is longer than any that there is.')
    : new HttpProblem('MALFORMED_REQUEST', 'The path holds a % that stands for nothing; a % itself is %25.');
  sendProblem(problem, request, reply, request.log);
};
