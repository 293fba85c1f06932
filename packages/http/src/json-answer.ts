import type { FastifyReply } from 'fastify';

export const json = (reply: FastifyReply, answer: object): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').serializer(textOrBytes).send(answer);

/** From so many characters on it is faster to encode a text once than to have it measured, copied and encoded. */
const LARGE_ANSWER_CHARS = 16_384;

/** The framework sends bytes as they are, though its types name texts alone. */
const textOrBytes = (answer: object): string => {
  const text = JSON.stringify(answer);
  return text.length < LARGE_ANSWER_CHARS ? text : (Buffer.from(text) as unknown as string);
};
