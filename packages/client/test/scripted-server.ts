import { type Client, createClient } from '../src/index.js';

export interface Asked {
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly redirect: string | undefined;
}

type Answer = (asked: Asked, signal: AbortSignal | null) => Response | Promise<Response>;

export const json = (body: object, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'request-1', ...headers },
  });

export const problem = (code: string, status: number, headers: Record<string, string> = {}): Response =>
  json(
    { type: 'about:blank', title: code, status, detail: `It is ${code}.`, instance: '/', code },
    status,
    headers,
  );

/** Fails as Node's `fetch` does when the server cannot be reached. */
export const unreachable = (): never => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
};

/** A stream of the pieces; it stays open if `end` is false. */
export const stream = (pieces: readonly string[], end = true): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        if (end) controller.close();
      },
    }),
    { headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
  );

/** A client of a server that gives the answers in turn, the last one again and again. */
export const clientOf = (...answers: readonly [Answer, ...Answer[]]): { mq: Client; asked: Asked[] } => {
  const asked: Asked[] = [];
  const scripted: typeof fetch = async (input, init = {}) => {
    init.signal?.throwIfAborted();
    const one: Asked = {
      path: new URL(String(input)).pathname + new URL(String(input)).search,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
      redirect: init.redirect,
    };
    asked.push(one);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? answers[0];
    return answer(one, init.signal ?? null);
  };
  const mq = createClient({ url: 'https://mq.example', token: 'secret', fetch: scripted });
  return { mq, asked };
};
