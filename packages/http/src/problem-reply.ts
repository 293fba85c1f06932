import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:net';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { endAndDiscardInput } from './discard-input.js';
import { HttpProblem, type ProblemCode, problemOf } from './errors.js';
import { securityHeaders } from './security-headers.js';

/** A problem of RFC 9457, with a stable code, the faults of an invalid request, and a correlation id for internal errors. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly remedy?: string;
  readonly instance: string;
  readonly code: ProblemCode;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly correlationId?: string;
  /** For QUEUE_NOT_EMPTY: the first pull requests that are still in the queue, and their total number. */
  readonly prNumbers?: readonly number[];
  readonly prCount?: number;
}

/** Sets the headers of every answer: the request id and the security headers. */
export const markAnswer = (request: FastifyRequest, reply: FastifyReply): void => {
  reply.headers({ 'x-request-id': request.id, ...securityHeaders });
};

/** Answers an error. An unexpected error is logged in full and answered with its correlation id only. */
export const sendProblem = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>,
): FastifyReply => {
  const expected = problemOf(error);
  const problem =
    expected === null || expected.statusCode === 500 ? unforeseen(expected, request.id) : expected;
  if (problem.statusCode === 500)
    log.error({ err: error, correlationId: request.id }, 'a request failed unexpectedly');
  else if (problem.statusCode > 500)
    log.warn({ err: error, code: problem.code, correlationId: request.id }, 'a request could not be served');
  if (endsConnection(request.server.server, request.raw, problem.statusCode))
    reply.header('connection', 'close');
  reply.code(problem.statusCode).headers(problem.headers);
  if (request.routeOptions.config?.plainTextErrors === true)
    return reply.header('content-type', 'application/plain-text; charset=utf-8').send(problem.detail);
  if (prefersText(request.headers.accept))
    return reply.header('content-type', 'text/plain; charset=utf-8').send(problem.detail);
  return reply
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problemBody(problem, request.id));
};

/** The answer to an unexpected error. Its message goes to the log only, because it may reveal internals. */
const unforeseen = (expected: HttpProblem | null, correlationId: string): HttpProblem =>
  new HttpProblem(
    expected?.code ?? 'INTERNAL',
    `Internal error. The operator of this service finds it in the log under ${correlationId}.`,
  );

export const problemBody = (problem: HttpProblem, requestId: string): ProblemBody => ({
  type: `urn:mq:problem:${problem.code}`,
  title: titleOf(problem.code),
  status: problem.statusCode,
  detail: problem.detail,
  ...(problem.remedy === null ? {} : { remedy: problem.remedy }),
  instance: `urn:mq:request:${requestId}`,
  code: problem.code,
  ...(problem.statusCode === 400
    ? { errors: problem.faults.map(({ path, message }) => ({ path: pathText(path), message })) }
    : {}),
  ...(problem.prs == null ? {} : { prNumbers: problem.prs.numbers, prCount: problem.prs.count }),
  ...(problem.statusCode === 500 ? { correlationId: requestId } : {}),
});

/** `QUEUE_NOT_EMPTY` reads "Queue not empty". */
const titleOf = (code: ProblemCode): string => {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** `pr.number`, `batchingRules[0].policy`. */
export const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');

const prefersText = (accept: string | undefined): boolean =>
  accept !== undefined &&
  /\btext\/plain\b/i.test(accept) &&
  !/\bapplication\/(?:problem\+)?json\b/i.test(accept);

/**
 * True if this answer must close the connection because the rest of the body is not worth reading. It then also sets the
 * socket up to discard that rest, so that the client receives the answer.
 */
export const endsConnection = (server: Server, request: IncomingMessage, status: number): boolean => {
  if (!hasUnreadBody(request, status)) return false;
  const { socket } = request;
  socket.destroySoon = () => {
    request.resume();
    endAndDiscardInput(server, socket);
  };
  return true;
};

/** False for HTTP/2, where the connection is shared with other requests. */
const hasUnreadBody = ({ complete, headers, httpVersionMajor }: IncomingMessage, status: number): boolean => {
  if (complete || httpVersionMajor !== 1) return false;
  const length = Number(headers['content-length'] ?? 0);
  return status === 413 || headers['transfer-encoding'] !== undefined || length > DRAIN_LIMIT_BYTES;
};

/** An unread body up to this size is read and discarded, so that the connection can be reused. */
const DRAIN_LIMIT_BYTES = 64 * 1024;
