import { memoryStore } from '@mq/store-memory';
import { fakeHost } from '@mq/testkit';
import { expect, test } from 'vitest';
import { createMergeQueue } from '../api/create-merge-queue.js';

const good = { store: memoryStore(), hosts: { local: fakeHost() } };

/** As called from plain JavaScript, without types. */
const makeOf = (options: unknown) => () => Reflect.apply(createMergeQueue, undefined, [options]);

test.each([
  ['nothing', undefined, 'options is required'],
  ['no store', { hosts: good.hosts }, 'store is required'],
  [
    'the function that creates a store',
    { ...good, store: memoryStore },
    'store must be an object, not a function',
  ],
  ['half a store', { ...good, store: { load: () => null } }, 'store has no method createQueue'],
  ['no hosts', { store: good.store }, 'hosts is required'],
  [
    'a host that has no name',
    { ...good, hosts: fakeHost() },
    'hosts.createRepository must be an object, not a function',
  ],
  ['null for a host', { ...good, hosts: { local: null } }, 'hosts.local must be an object, not null'],
  [
    'half a host',
    { ...good, hosts: { local: { land: () => null } } },
    'hosts.local has no method hasRepository',
  ],
  ['an option that is misspelt', { ...good, loger: console }, 'unknown option "loger"'],
  ['a function for a logger', { ...good, logger: () => null }, 'logger must be an object, not a function'],
])('an invalid option is refused with what is missing: %s', (_, options, sentence) => {
  expect(makeOf(options)).toThrow(new TypeError(`createMergeQueue: ${sentence}.`));
});

test.each([
  [
    'histroy',
    () => null,
    'unknown event "histroy"; the events are submission.changed, run.changed, queue.changed, history',
  ],
  [
    'toString',
    () => null,
    'unknown event "toString"; the events are submission.changed, run.changed, queue.changed, history',
  ],
  ['history', undefined, 'the listener for history must be a function'],
])('an invalid subscription to %s with %s is refused with the reason', async (name, listener, sentence) => {
  const mq = createMergeQueue(good);
  expect(() => Reflect.apply(mq.on, mq, [name, listener])).toThrow(new TypeError(`on: ${sentence}.`));
  await mq.close();
});

test('optional methods and options can be left out', async () => {
  const { onEvent: _, startChecks: __, cancelChecks: ___, ...host } = fakeHost();
  const mq = createMergeQueue({ store: memoryStore(), hosts: { local: host }, logger: console });
  await mq.close();
});
