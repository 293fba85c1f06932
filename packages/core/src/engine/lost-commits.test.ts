import { memoryStore } from '@mq/store-memory';
import { aQueue, BUILT_AT, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aSubmit, engineWorld, type Fault } from '../../test/engine-world.js';

test('what was decided before the store lost commits is decided anew on what is left', async () => {
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
  expect(world.wentBack).toEqual([queueIdOf(1)]);
  const { items } = await left.submissions({ queueId: queueIdOf(1), limit: 10 });
  expect(items.map(({ pr }) => pr)).toEqual([1]);
});
