import { aSubmission, aTargetBook, inputIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aCancel, aSubmit, engineWorld, type Fault, lostAfter } from '../../test/engine-world.js';

/** A queue that this process has just decided, so that no read is allowed. */
const known = async () => {
  const world = await engineWorld();
  const decider = world.deciderOf();
  await decider.ask(aSubmit(9));
  const read: string[] = [];
  const noted: Fault = (real) => {
    read.push('load');
    return real();
  };
  world.next('load', noted, noted, noted);
  return { world, decider, read };
};

describe('what a command is about', () => {
  test('earlier rows of a command are not read: the commit checks that there are none', async () => {
    const { decider, read } = await known();

    expect(await decider.ask(aSubmit(1))).toMatchObject({ ok: true });
    expect(await decider.ask(aCancel(1))).toMatchObject({ ok: true });

    expect(read).toEqual([]);
  });

  test('earlier rows found by the commit are used for the next try', async () => {
    const { decider, read, world } = await known();
    await decider.ask(aSubmit(1));
    await decider.ask(aCancel(1));

    const again = await decider.ask(aSubmit(1, inputIdOf(77)));

    expect(again).toMatchObject({ ok: true, submission: { submission: { pr: 1, attempt: 2 } } });
    expect(await decider.ask(aCancel(8))).toMatchObject({ ok: false, refusal: { code: 'NOT_SUBMITTED' } });
    expect(read).toEqual([]);
    expect(world.published).toHaveLength(5);
  });

  test('a submitted pull request has the targets uploaded before', async () => {
    const { decider, read, world } = await known();
    await world.rival({ writes: someWrites({ targets: [aTargetBook(1, ['//api'])] }) });
    await decider.ask(aCancel(8));
    await decider.ask(aCancel(8));
    read.length = 0;

    await decider.ask(aSubmit(1));

    expect(read).toEqual([]);
    const seen = await decider.see({ prs: [], inputIds: [] }, ({ state }) => state.targets.get(1));
    expect(seen).toMatchObject({ pr: 1 });
  });

  test('a command that was answered before gets that answer and is not executed twice', async () => {
    const { decider, read, world } = await known();
    const command = aSubmit(1, inputIdOf(50), 'same');
    const first = await world.deciderOf().ask(command);
    await decider.ask(aCancel(8));
    await decider.ask(aCancel(1));
    read.length = 0;

    expect(await decider.ask(command)).toEqual(first);

    expect((await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.submissions).toHaveLength(
      1,
    );
  });

  test('earlier rows are read while another process writes to the queue', async () => {
    const { decider, read, world } = await known();
    await world.rival({ writes: someWrites({ submissions: [aSubmission(2)] }) });

    await decider.ask(aSubmit(1));
    expect(read).toEqual(['load']);
    await decider.ask(aSubmit(3));
    expect(read).toEqual(['load', 'load']);
    await decider.ask(aSubmit(4));
    expect(read).toEqual(['load', 'load']);
  });

  test('earlier rows are read after a commit with an unknown outcome', async () => {
    const { decider, read, world } = await known();
    world.next('commit', lostAfter);

    expect(await decider.ask(aSubmit(1))).toMatchObject({ ok: true });

    expect(read).toEqual(['load']);
    const { items } = await world.memory.submissions({ queueId: queueIdOf(1), limit: 9 });
    expect(items).toHaveLength(2);
  });

  test('earlier rows are read if the time of the store is outdated', async () => {
    const { decider, read, world } = await known();
    await world.clock.advance(5_000);

    await decider.ask(aSubmit(1));

    expect(read).toEqual(['load']);
  });
});
