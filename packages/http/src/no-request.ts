import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './errors.js';
import { markAnswer, problemBody, sendProblem } from './problem-reply.js';

/** How long what a client still sends is read away after it was told that it is no request. */
const READ_AWAY_MS = 15_000;

/** Those that are told already: what comes behind what is no request is none either. */
const refused = new WeakSet<Socket>();

/** Answers what never became a request: no HTTP, headers without end, two lengths, a body that does not come. */
export const refuseConnection = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || refused.has(socket)) return;
  refused.add(socket);
  tellInTurn(answerOf(problemIn(error)), socket);
};

/** Behind whatever is being answered on the same connection: before that, it would be taken for the answer to it. */
const tellInTurn = (answer: string, socket: Socket): void => {
  if (!socket.writable) return;
  const other = answeredOn(socket);
  if (other?.req.complete === true) return void other.once('close', () => tellInTurn(answer, socket));
  if (other?.headersSent === true) return void socket.destroy();
  const timer = setTimeout(() => socket.destroy(), READ_AWAY_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(answer);
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

/** Answers what has no route because its path cannot be read. */
export const refusePath = (
  error: Error & { readonly code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  markAnswer(request, reply);
  const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
  const problem = isTooLong
    ? new HttpProblem('PATH_TOO_LONG', 'A part of the path is longer than any that there is.')
    : new HttpProblem('MALFORMED_REQUEST', 'The path holds a % that stands for nothing; a % itself is %25.');
  sendProblem(problem, request, reply, request.log);
};
