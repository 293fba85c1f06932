import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { emptyView, everything, queueRef, scriptedQueue, serverWith } from './world.js';

interface Course {
  /** Called for each getQueue, which is answered when this resolves. */
  readonly onAsked?: () => Promise<void> | void;
  /** Called when the plugin has noticed that the server closes. */
  readonly onClosing?: () => void;
}

/** Listens on a free port with the plugin and an engine that answers getQueue. */
export const listening = async ({ onAsked, onClosing }: Course = {}) => {
  const { mq, asked } = scriptedQueue({
    getQueue: async () => {
      await onAsked?.();
      return emptyView;
    },
  });
  const app = await serverWith({ mq });
  await app.register(async (last) => last.addHook('preClose', async () => onClosing?.()));
  return { app, port: await portOf(app), asked };
};

export const portOf = async (app: FastifyInstance): Promise<number> =>
  Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);

interface Talk {
  /** Sent at once. */
  readonly first: string | Buffer;
  /** Sent after "100 Continue". */
  readonly onContinue?: string;
  /** Waits until the server ends the connection, even after a complete answer. */
  readonly untilClosed?: boolean;
  /** Ends our side after the last byte, so that a request without an end gets its answer. */
  readonly givesUp?: boolean;
}

/** Resolves with everything that the server sends until its answer is complete or the connection has ended. */
export const talk = (
  port: number,
  { first, onContinue, untilClosed = false, givesUp = false }: Talk,
): Promise<{ text: string; closed: boolean }> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (closed: boolean) => {
      socket.destroy();
      resolve({ text, closed });
    };
    socket.on('connect', () => (givesUp ? socket.end(first) : socket.write(first)));
    socket.on('data', (bytes) => {
      const hadContinue = text.includes('100 Continue');
      text += bytes.toString('utf8');
      if (!hadContinue && text.includes('100 Continue') && onContinue !== undefined) socket.write(onContinue);
      if (!untilClosed && isWhole(text)) finish(false);
    });
    socket.on('end', () => finish(true));
    // A server that ends a connection while we still send resets it. Its answer has arrived before.
    socket.on('error', (error) => (text === '' ? reject(error) : finish(true)));
  });

const isWhole = (text: string): boolean => {
  const answer = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  const length = /content-length: (\d+)/i.exec(answer)?.[1];
  const head = answer.indexOf('\r\n\r\n');
  return length !== undefined && head >= 0 && Buffer.byteLength(answer.slice(head + 4)) >= Number(length);
};

/** The problem in the body of an answer. */
export const problemIn = (text: string) => {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const problem = JSON.parse(body);
  expect(head).toContain(`HTTP/1.1 ${problem.status} `);
  expect(head).toMatch(/content-type: application\/problem\+json; charset=utf-8/i);
  expect(problem.type).toBe(`urn:mq:problem:${problem.code}`);
  expect(head.toLowerCase()).toContain(`x-request-id: ${problem.instance.slice('urn:mq:request:'.length)}`);
  return problem;
};

export const headers = (lines: readonly string[], token = everything.token): string =>
  [
    'POST /v1/getQueue HTTP/1.1',
    'Host: 127.0.0.1',
    `x-api-token: ${token}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');

export const small = JSON.stringify(queueRef);
