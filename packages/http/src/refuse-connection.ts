import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { endAndDiscardInput, trackConnection } from './discard-input.js';
import { HttpProblem } from './errors.js';
import { endsConnection, markAnswer, problemBody, sendProblem } from './problem-reply.js';
import { securityHeaders } from './security-headers.js';

/** Sockets that were already refused: what follows an invalid request cannot be parsed either. */
const refused = new WeakSet<Socket>();

/** Answers input that Node could not parse as a request: not HTTP, too large headers, two lengths, a body timeout. */
export function refuseConnection(
  this: FastifyInstance,
  error: Error & { readonly code?: string },
  socket: Socket,
): void {
  if (error.code !== 'ECONNRESET') refuse(this.server, problemIn(error), socket);
}

/** Servers that already have the listeners of `answerForNode`. */
const answering = new WeakSet<Server>();

/** Makes a server refuse CONNECT and unknown `Expect` headers with our codes, unless another listener handles them. */
export const answerForNode = (server: Server): void => {
  if (answering.has(server)) return;
  answering.add(server);
  server.on('checkExpectation', (request, response) => {
    if (server.listenerCount('checkExpectation') > 1) return;
    const problem = expectation();
    if (endsConnection(server, request, problem.statusCode)) response.setHeader('Connection', 'close');
    respond(problem, response);
  });
  server.on('connect', (_: IncomingMessage, to: Socket | Http2ServerResponse) => {
    if (server.listenerCount('connect') > 1) return;
    if (to instanceof Socket) refuseTunnel(server, to);
    else respond(tunnel(), to);
  });
};

/** Node has detached the socket from its server, which will not close it, and has removed its listeners. */
const refuseTunnel = (server: Server, socket: Socket): void => {
  socket.on('error', () => undefined);
  socket.on('timeout', () => socket.destroy());
  trackConnection(server, socket);
  refuse(server, tunnel(), socket);
};

const tunnel = (): HttpProblem =>
  new HttpProblem(
    'MALFORMED_REQUEST',
    'This server is not a proxy and does not accept CONNECT. Nothing was done.',
  );

const expectation = (): HttpProblem =>
  new HttpProblem('EXPECTATION_FAILED', 'The header Expect may only be 100-continue. Nothing was done.');

const refuse = (server: Server, problem: HttpProblem, socket: Socket): void => {
  if (refused.has(socket)) return;
  refused.add(socket);
  tellInTurn(server, textOf(problem), socket);
};

/** Sends the answer after the pending answer of the same connection, whose client would otherwise confuse the two. */
const tellInTurn = (server: Server, answer: string, socket: Socket): void => {
  if (!socket.writable) return;
  const other = answeredOn(socket);
  if (other?.req.complete === true) return void other.once('close', () => tellInTurn(server, answer, socket));
  if (other?.headersSent === true) return void socket.destroy();
  endAndDiscardInput(server, socket, answer);
};

/** The first pending response of a connection, from a private field of Node; null if none is pending. */
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
      return new HttpProblem('REQUEST_TIMEOUT', 'The request was not complete in time; nothing was done.');
    default:
      return new HttpProblem('MALFORMED_REQUEST', 'This is not a valid HTTP/1.1 request; nothing was done.');
  }
};

/** The raw text of an HTTP response, for connections for which Node has no response object. */
const textOf = (problem: HttpProblem): string => {
  const { headers, body } = answerOf(problem);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const status = `HTTP/1.1 ${problem.statusCode} ${STATUS_CODES[problem.statusCode]}`;
  return [status, ...lines, '', body].join('\r\n');
};

const respond = (problem: HttpProblem, response: ServerResponse | Http2ServerResponse): void => {
  const { headers, body } = answerOf(problem);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = problem.statusCode;
  response.end(body);
};

const answerOf = (problem: HttpProblem) => {
  const id = randomUUID();
  const body = JSON.stringify(problemBody(problem, id));
  const headers = {
    'Content-Length': Buffer.byteLength(body),
    'Content-Type': 'application/problem+json; charset=utf-8',
    'X-Request-Id': id,
    ...securityHeaders,
  };
  return { headers, body };
};

/** Requires one `Host` header from HTTP/1.1. It needs `requireHostHeader: false`: Node's own refusal has no code. */
export const requireHost = async ({ raw }: FastifyRequest): Promise<void> => {
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
    throw new HttpProblem('MALFORMED_REQUEST', 'An HTTP/1.1 request needs a Host header; nothing was done.');
  // With two headers, a proxy might use one and this server the other.
  const names = raw.rawHeaders.filter((_, index) => index % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === 'host').length > 1)
    throw new HttpProblem('MALFORMED_REQUEST', 'A request can have only one Host header; nothing was done.');
};

/** Answers a request that has no route because its path cannot be decoded or is too long. */
export const refusePath = (
  error: Error & { readonly code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  markAnswer(request, reply);
  const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
  const problem = isTooLong
    ? new HttpProblem('PATH_NOT_FOUND', 'A part of the path is too long for any operation.')
    : new HttpProblem(
        'MALFORMED_REQUEST',
        'The path has an invalid percent-encoding. Write a percent sign as %25.',
      );
  sendProblem(problem, request, reply, request.log);
};
