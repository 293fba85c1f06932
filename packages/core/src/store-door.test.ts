import { memoryStore } from '@mq/store-memory';
import { aCommit, aQueue, BUILT_AT } from '@mq/testkit';
import { expect, test } from 'vitest';
import { quiet } from '../test/held-world.js';
import type { Store } from './ports/store.js';
import { storeDoor } from './store-door.js';

test('a hint that a store takes by a promise, and fails at, ends no process', async () => {
  const told: unknown[] = [];
  const memory = memoryStore();
  const prepare: Store['prepare'] = async (commit) => {
    told.push(commit);
    throw new Error('cannot be put together');
  };
  const door = storeDoor(Object.assign(memory, { prepare }));
  await door.createQueue(aQueue(), BUILT_AT, null);
  const commit = aCommit({ expected: 1 });

  door.prepare?.(commit);
  await quiet();

  expect(told).toEqual([commit]);
  expect(await door.commit(commit)).toMatchObject({ kind: 'committed' });
});
