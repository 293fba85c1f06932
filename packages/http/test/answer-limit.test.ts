import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerLimit } from '../src/answer-limit.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A pending reply, and the codes that were sent on it. */
const awaited = () => {
  const raw = new EventEmitter();
  const codes: string[] = [];
  const reply = { raw, sent: false, send: (problem: { readonly code: string }) => codes.push(problem.code) };
  return { reply: reply as unknown as FastifyReply, raw, codes };
};

test('each request is answered when its own timeout is over, in any order', () => {
  const limit = answerLimit(1_000);
  const [first, second, third] = [awaited(), awaited(), awaited()];
  const answers = () => [first, second, third].map(({ codes }) => codes.length);
  limit(first.reply);
  vi.advanceTimersByTime(400);
  limit(second.reply);
  vi.advanceTimersByTime(400);
  limit(third.reply);
  second.raw.emit('close');

  vi.advanceTimersByTime(199);
  expect(answers()).toEqual([0, 0, 0]);
  vi.advanceTimersByTime(2);
  expect(answers()).toEqual([1, 0, 0]);
  vi.advanceTimersByTime(798);
  expect(answers()).toEqual([1, 0, 0]);
  vi.advanceTimersByTime(2);
  expect(answers()).toEqual([1, 0, 1]);
  expect(first.codes).toEqual(['HANDLER_TIMEOUT']);
});

test('no timer is left once the last request was answered and its timeout is over, and the next request starts a new one', () => {
  const limit = answerLimit(1_000);
  const [first, next] = [awaited(), awaited()];
  limit(first.reply);
  first.raw.emit('close');
  vi.advanceTimersByTime(1_001);
  expect(vi.getTimerCount()).toBe(0);

  limit(next.reply);
  vi.advanceTimersByTime(1_001);
  expect([first.codes, next.codes]).toEqual([[], ['HANDLER_TIMEOUT']]);
});

test('a request whose answer is already being sent is not answered by the timeout', () => {
  const limit = answerLimit(1_000);
  const { reply, codes } = awaited();
  limit(Object.assign(reply, { sent: true }));
  vi.advanceTimersByTime(1_001);
  expect(codes).toEqual([]);
});

test('the timeouts of pending answers do not keep the process alive', () => {
  vi.useRealTimers();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const limit = answerLimit(60_000);
  const all = [awaited(), awaited()];
  for (const { reply } of all) limit(reply);
  expect(timers() - before).toBe(0);
  for (const { raw } of all) raw.emit('close');
});
