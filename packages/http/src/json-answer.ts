import type { FastifyReply } from 'fastify';

/** Answers that several requests get. */
const sharedAnswers = new WeakSet<object>();

/** Marks an answer that several requests get: its text is written once. It must not change. */
export const shared = <Answer extends object>(answer: Answer): Answer => {
  sharedAnswers.add(answer);
  return answer;
};

/** Sends an answer as JSON, to callers without a token without the ids of tokens. */
export const json = (reply: FastifyReply, answer: object, isAnonymous: boolean): FastifyReply =>
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(isAnonymous ? publicText : wholeText)
    .send(answer);

/** The same text as `json` sends. */
export const answerText = (answer: object, isAnonymous: boolean): string =>
  String((isAnonymous ? publicText : wholeText)(answer));

/** Writes a value as JSON without the ids of tokens. */
export const jsonWithoutTokens = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === 'tokenId' ? undefined : part));

/** At this size, encoding a text here once is faster than letting Node measure, copy and encode it. */
const LARGE_ANSWER_CHARS = 16_384;

/** Returns large answers as bytes, which Fastify sends unchanged although its types allow only strings. */
const textOrBytes = (text: string): string =>
  text.length < LARGE_ANSWER_CHARS ? text : (Buffer.from(text) as unknown as string);

const writer = (textOf: (answer: object) => string) => {
  const texts = new WeakMap<object, string>();
  return (answer: object): string => {
    const text = texts.get(answer) ?? textOrBytes(textOf(answer));
    if (sharedAnswers.has(answer)) texts.set(answer, text);
    return text;
  };
};

const wholeText = writer((answer) => JSON.stringify(answer));
const publicText = writer(jsonWithoutTokens);
