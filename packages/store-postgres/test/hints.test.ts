import { createServer } from 'node:net';
import { aCommit, aFact, anEffect, aQueue, queueIdOf } from '@mq/testkit';
import { Pool } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { pgDatabase, postgresStore } from '../src/index.js';
import { freshName } from './worlds.js';

const poolOf = (name: string): Pool => {
  const pool = new Pool({ connectionString: inject('postgresUrl'), application_name: name });
  onTestFinished(() => pool.end());
  return pool;
};

const replica = async (schema: string, pool: Pool, listen = true) => {
  const store = await postgresStore({ database: pgDatabase(pool, { listen }), schema });
  onTestFinished(() => store.close());
  return store;
};

/** Counts hints, and waits for more. */
const hintsOf = (store: { onWake?(listener: () => void): () => void }) => {
  let onHint = (): void => {};
  let next = new Promise<void>((resolve) => {
    onHint = resolve;
  });
  store.onWake?.(() => {
    onHint();
    next = new Promise((resolve) => {
      onHint = resolve;
    });
  });
  return { another: () => next };
};

const isListening = async (pool: Pool, name: string, but = -1): Promise<number> => {
  for (;;) {
    const { rows } = await pool.query(
      `select pid from pg_stat_activity where application_name = $1 and query like 'listen%' and state = 'idle' and pid <> $2`,
      [name, but],
    );
    if (rows[0] !== undefined) return rows[0].pid;
  }
};

test('a write of one replica wakes another one, also after its connection was cut', async () => {
  const [schema, name] = [freshName(), freshName()];
  const pool = poolOf('writer');
  const [writer, reader] = [await replica(schema, pool), await replica(schema, poolOf(name))];
  await writer.createQueue(aQueue(), 0, null);
  const hints = hintsOf(reader);
  const pid = await isListening(pool, name);
  const first = hints.another();
  await writer.push(queueIdOf(1), [aFact(1)]);
  await first;
  const afresh = hints.another();
  await pool.query('select pg_terminate_backend($1)', [pid]);
  await afresh;
  expect(await isListening(pool, name, pid)).not.toBe(pid);
  const second = hints.another();
  await writer.push(queueIdOf(1), [aFact(2)]);
  await second;
});

test('a store without `listen` reserves no connection, and gets hints of its own writes', async () => {
  const pool = poolOf(freshName());
  const store = await replica(freshName(), pool, false);
  const hints = hintsOf(store);
  const first = hints.another();
  await store.createQueue(aQueue(), 0, null);
  await first;
  expect(pool.totalCount - pool.idleCount).toBeLessThanOrEqual(1);
});

test('unleased effects and facts of settled effects wake listeners', async () => {
  const store = await replica(freshName(), poolOf(freshName()), false);
  await store.createQueue(aQueue(), 0, null);
  const hints = hintsOf(store);
  const ofCommit = hints.another();
  await store.commit(aCommit({ effects: [anEffect(1)] }));
  await ofCommit;
  const [held] = await store.lease({ owner: 'performer', forMs: 60_000, limit: 1 });
  const ofEnd = hints.another();
  expect(await store.settle(held!, [aFact(1)])).toBe(true);
  await ofEnd;
});

const message = (type: string, body: string): Buffer => {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(type);
  bytes.writeInt32BE(4 + body.length, 1);
  bytes.write(body, 5, 'latin1');
  return bytes;
};
const [letIn, ready] = [message('R', '\0\0\0\0'), message('Z', 'I')];
const cut = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');

/** Implements a minimal part of the protocol: cuts the first connection with its greeting, and serves the others. */
const cuttingServer = async (): Promise<string> => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const isFirst = connections === 1;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (bytes[0] === 'X'.charCodeAt(0)) socket.end();
      else if (bytes[0] === 'Q'.charCodeAt(0)) socket.write(Buffer.concat([message('C', 'LISTEN\0'), ready]));
      else if (isFirst) socket.end(Buffer.concat([letIn, ready, cut]));
      else socket.write(Buffer.concat([letIn, ready]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `postgres://mq@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mq`;
};

test('a connection cut with its greeting does not end the process, and is reopened', async () => {
  const pool = new Pool({ connectionString: await cuttingServer() });
  const { signals } = pgDatabase(pool);
  await new Promise<void>((resolve) => {
    const stop = signals?.receive('any', () => {
      stop?.();
      resolve();
    });
  });
  await pool.end();
});

test('a connection that cannot be started does not end the process, and is retried', async () => {
  const pool = poolOf(freshName());
  let tries = 0;
  const sometimes: Pick<Pool, 'query' | 'on' | 'connect'> = Object.assign(Object.create(pool), {
    // For example because a certificate file is missing for a moment.
    connect: (taken: Parameters<Pool['connect']>[0]) => {
      tries += 1;
      if (tries === 1) throw new Error('ENOENT: no such file');
      pool.connect(taken);
    },
  });
  const { signals } = pgDatabase(sometimes);
  await new Promise<void>((resolve) => {
    const stop = signals?.receive('any', () => {
      stop?.();
      resolve();
    });
  });
  expect(tries).toBe(2);
});
