import type { FastifyReply } from 'fastify';

export const json = (reply: FastifyReply, answer: object): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').serializer(textOrBytes).send(answer);

/** At this size, encoding a text here once is faster than letting Node measure, copy and encode it. */
const LARGE_ANSWER_CHARS = 16_384;

/** Returns large answers as bytes, which Fastify sends unchanged although its types allow only strings. */
const textOrBytes = (answer: object): string => {
  const text = JSON.stringify(answer);
  return text.length < LARGE_ANSWER_CHARS ? text : (Buffer.from(text) as unknown as string);
};
