import { aSubmission, inputIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aCancel,
  aSubmit,
  type engineWorld,
  type Fault,
  lostAfter,
  lostBefore,
} from '../../test/engine-world.js';
import { countingHands, held, quiet } from '../../test/held-world.js';
import type { CommandResult } from '../model/input.js';

const nothing = { prs: [], inputIds: [] };
const isOk = ({ ok }: CommandResult): boolean => ok;

describe('what was decided on a commit that does not come about', () => {
  const lostRace =
    (world: Awaited<ReturnType<typeof engineWorld>>): Fault =>
    async (real) => {
      await world.rival({ writes: someWrites({ submissions: [aSubmission(8)] }) });
      return real();
    };

  test('is never sent, and decided anew on what is there', async () => {
    const world = await held();
    const { decider, sent, hold, live } = world;
    const letGo = hold(lostRace(world));
    const first = decider.ask(aSubmit(1));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    letGo();

    expect((await Promise.all([first, second])).map(isOk)).toEqual([true, true]);
    expect(sent).toEqual([[1], [1], [2]]);
    expect(await live()).toEqual([1, 2, 8, 9]);
  });

  test.each([
    ['before', lostBefore],
    ['after', lostAfter],
  ])('is decided anew also where the answer of the store was lost %s that commit', async (_, lost) => {
    const { decider, hold, live, memory } = await held();
    const letGo = hold(lost);
    const first = decider.ask(aSubmit(1));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    letGo();

    expect((await Promise.all([first, second])).map(isOk)).toEqual([true, true]);
    expect(await live()).toEqual([1, 2, 9]);
    const { items } = await memory.history({
      queueIds: [queueIdOf(1)],
      types: ['commanded'],
      order: 'oldest_first',
      limit: 9,
    });
    expect(items).toHaveLength(3);
  });

  test('is decided all the same where it cannot be made out what became of that commit', async () => {
    const { decider, hold, live } = await held();
    const letGo = hold(lostBefore, lostBefore, lostBefore);
    const first = decider.ask(aSubmit(1));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    letGo();

    await expect(first).rejects.toThrow(/could not be made out/);
    expect(await second).toMatchObject({ ok: true });
    expect(await live()).toEqual([2, 9]);
  });

  test('leaves no trace in what is remembered: nothing has to be read again for a refusal of that kind', async () => {
    const { decider, hold, live, next, memory } = await held();
    await decider.ask(aCancel(9));
    const loads: unknown[] = [];
    next(
      'load',
      ...Array.from(
        { length: 9 },
        (): Fault => (real, args) => {
          loads.push(args);
          return real();
        },
      ),
    );
    const letGo = hold();
    // Of #9 it is told by the commit that it was here before.
    const first = decider.ask(aSubmit(9, inputIdOf(70)));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    letGo();

    expect((await Promise.all([first, second])).map(isOk)).toEqual([true, true]);
    expect(loads).toEqual([]);
    expect(await live()).toEqual([2, 9]);
    const seen = await decider.see(nothing, ({ state }) => structuredClone(state.indexes));
    const anew = await memory.load(queueIdOf(1), 0, nothing);
    expect(seen?.numbers).toEqual(anew?.submissions.map(({ pr }) => pr).sort());
  });

  test('gives back the room that was kept for its wishes', async () => {
    const { hands, kept } = countingHands();
    const world = await held(hands);
    const { decider, hold } = world;
    const letGo = hold(lostRace(world));
    const first = decider.ask(aSubmit(1));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    expect(kept()).toBe(2);
    letGo();

    await Promise.all([first, second]);
    expect(kept()).toBe(0);
  });

  test('keeps nobody waiting who has looked meanwhile', async () => {
    const world = await held();
    const { decider, hold } = world;
    const letGo = hold(lostRace(world));
    const first = decider.ask(aSubmit(1));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    const looking = decider.see(nothing, ({ state }) => [...state.byPr.keys()]);
    letGo();

    expect(await looking).toEqual(expect.arrayContaining([8, 9]));
    await Promise.all([first, second]);
  });
});
