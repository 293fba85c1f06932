import { memoryStore } from '@mq/store-memory';
import { aQueue, BUILT_AT, inputIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aSubmit, engineWorld, type Fault } from '../../test/engine-world.js';

const rowsOf = ({ memory }: Awaited<ReturnType<typeof engineWorld>>) =>
  memory.submissions({ queueId: queueIdOf(1), limit: 100 });

test('a decision from before the store lost commits is repeated on the remaining state', async () => {
  const world = await engineWorld();
  const left = memoryStore({ clock: world.clock, incarnation: '2' });
  await left.createQueue(aQueue({ wanted: 'paused' }), BUILT_AT, null);
  const onWhatIsLeft =
    (method: 'load' | 'commit'): Fault =>
    (_, args) =>
      Reflect.apply(left[method], left, args);
  world.next('load', (real) => real(), onWhatIsLeft('load'), onWhatIsLeft('load'));
  world.next('commit', onWhatIsLeft('commit'), onWhatIsLeft('commit'));

  const result = await world.deciderOf().ask(aSubmit(1));

  expect(result).toMatchObject({ ok: true });
  expect(world.found).toEqual(['1', '2']);
  const { items } = await left.submissions({ queueId: queueIdOf(1), limit: 10 });
  expect(items.map(({ pr }) => pr)).toEqual([1]);
});

test('a command without a key whose commit was written gets its original answer, also after later commits', async () => {
  const world = await engineWorld();
  world.next('commit', async (real) => {
    await real();
    const written = (await rowsOf(world)).items[0];
    if (written === undefined) throw new Error('nothing was written');
    const writes = someWrites({ submissions: [{ ...written, state: 'cancelled' }] });
    await world.rival({ writes });
    throw new Error('connection lost');
  });

  const result = await world.deciderOf().ask(aSubmit(1));

  expect(result).toMatchObject({ ok: true, submission: { submission: { state: 'pending', attempt: 1 } } });
  expect((await rowsOf(world)).items).toMatchObject([{ state: 'cancelled', attempt: 1 }]);
  expect(await world.memory.answers([inputIdOf(1)])).toEqual([]);
});

test('the answer to a command with a key is kept', async () => {
  const world = await engineWorld();

  const result = await world.deciderOf().ask(aSubmit(1, inputIdOf(1), 'digest'));

  expect(await world.memory.answers([inputIdOf(1)])).toEqual([
    { inputId: inputIdOf(1), digest: 'digest', result },
  ]);
});
