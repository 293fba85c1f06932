import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { addHealth, type Condition, FREE_LIMIT_BYTES, freeBytesOf } from './health.js';
import { SILENCE_LIMIT_MS } from './heartbeat.js';

const asking = (condition: Partial<Condition> = {}, answerLimitMs?: number) => {
  const app = fastify();
  onTestFinished(() => app.close());
  addHealth(
    app,
    {
      phase: () => 'serving',
      silentForMs: () => SILENCE_LIMIT_MS,
      failingForMs: () => SILENCE_LIMIT_MS,
      storeKind: 'pglite',
      askStore: async () => null,
      freeBytes: async () => null,
      ...condition,
    },
    answerLimitMs,
  );
  return app;
};
const readiness = async (condition: Partial<Condition>) => {
  const answer = await asking(condition).inject('/health/ready');
  return [answer.statusCode, answer.json()];
};

test('a server that serves is ready, and says which store answers', async () => {
  expect(await readiness({})).toEqual([200, { status: 'ready', store: { kind: 'pglite', answers: true } }]);
});

test('a server that starts or stops is not ready, and lives all the same', async () => {
  for (const phase of ['starting', 'stopping'] as const) {
    expect(await readiness({ phase: () => phase })).toEqual([
      503,
      { status: phase, reason: `The service is ${phase}.`, store: { kind: 'pglite', answers: true } },
    ]);
    expect((await asking({ phase: () => phase }).inject('/health/live')).json()).toEqual({ status: 'live' });
  }
});

test('a store that refuses makes a server unavailable', async () => {
  expect(await readiness({ askStore: () => Promise.reject(new Error('gone')) })).toEqual([
    503,
    {
      status: 'unavailable',
      reason: 'The store does not answer.',
      store: { kind: 'pglite', answers: false },
    },
  ]);
});

test('so does an engine that is silent, or that can store nothing, for longer than the limit', async () => {
  const tooLong = () => SILENCE_LIMIT_MS + 1_000;
  expect(await readiness({ silentForMs: tooLong })).toMatchObject([
    503,
    { status: 'unavailable', reason: 'The engine has not finished a pass for 16 s; the log says why.' },
  ]);
  expect(await readiness({ failingForMs: tooLong })).toMatchObject([
    503,
    { status: 'unavailable', reason: 'No decision could be stored for 16 s; the log says why.' },
  ]);
});

test('probes may use HEAD, and answers must not be cached', async () => {
  for (const url of ['/health/live', '/health/ready']) {
    const answer = await asking().inject({ method: 'HEAD', url });
    expect([answer.statusCode, answer.headers['cache-control'], answer.body]).toEqual([200, 'no-store', '']);
  }
});

test('a server that is not ready answers with Retry-After of a second', async () => {
  const answer = await asking({ phase: () => 'starting' }).inject('/health/ready');
  expect([answer.headers['retry-after'], answer.headers['cache-control']]).toEqual(['1', 'no-store']);
});

test('a store that never answers makes a server unavailable', async () => {
  const answer = await asking({ askStore: () => new Promise(() => undefined) }, 1).inject('/health/ready');

  expect([answer.statusCode, answer.json()]).toEqual([
    503,
    {
      status: 'unavailable',
      reason: 'The store does not answer.',
      store: { kind: 'pglite', answers: false },
    },
  ]);
});

test('once the store has answered, no timer is left behind that would keep the process', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const app = asking({}, 100_000);
  await app.ready();
  const before = timers();

  await app.inject('/health/ready');

  expect(timers()).toBe(before);
});

test('a server that starts says so, even if its store does not answer yet', async () => {
  const askStore = () => Promise.reject(new Error('gone'));

  expect(await readiness({ phase: () => 'starting', askStore })).toEqual([
    503,
    {
      status: 'starting',
      reason: 'The service is starting.',
      store: { kind: 'pglite', answers: false },
    },
  ]);
});

test('a full disk makes a server unavailable, and the reason says what is free and what is needed', async () => {
  expect(await readiness({ freeBytes: async () => 3 * 1024 * 1024 })).toMatchObject([
    503,
    {
      status: 'unavailable',
      reason: 'The disk of the data folder is full: 3 MB are free, and 64 are needed. Free some space.',
    },
  ]);
  expect((await readiness({ freeBytes: async () => FREE_LIMIT_BYTES }))[0]).toBe(200);
});

test('the free room of a folder is known, and of no folder unknown', async () => {
  expect(await freeBytesOf(process.cwd())).toBeGreaterThan(0);
  expect(await freeBytesOf('/no/such/folder')).toBeNull();
});
