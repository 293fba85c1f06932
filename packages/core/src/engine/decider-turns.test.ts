import { aFact, inputIdOf, queueIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aSubmit, engineWorld } from '../../test/engine-world.js';

/** The result, or undefined if nothing more happens. */
const inTime = <Value>(promise: Promise<Value>): Promise<Value | undefined> =>
  Promise.race([
    promise,
    new Promise<undefined>((resolve) => setImmediate(() => setImmediate(() => resolve(undefined)))),
  ]);

describe('a decider', () => {
  test('a decider publishes and answers nothing of a decision before it is durable', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    await decider.ask(aSubmit(1));
    let letCommit: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      world.next('commit', async (real) => {
        resolve();
        await new Promise<void>((then) => {
          letCommit = then;
        });
        return real();
      });
    });
    const answered = decider.ask(aSubmit(2)).then(() => 'answered' as const);
    await isHeld;

    const seen = await decider.see({ prs: [], inputIds: [] }, ({ state }) => [...state.byPr.keys()]);
    expect(seen).toEqual([1]);
    expect(await inTime(answered)).toBeUndefined();
    letCommit();
    expect(await answered).toBe('answered');
  });

  test('a decider answers before it reads the store again', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    await decider.ask(aSubmit(1));
    world.next('commit', (real) => {
      world.next('load', () => new Promise(() => {}));
      void decider.run();
      return real();
    });

    expect(await inTime(decider.ask(aSubmit(2)))).toMatchObject({ ok: true });
  });

  test('a decider reads the inbox in turn although commands keep arriving', async () => {
    const { memory, ...world } = await engineWorld();
    const decider = world.deciderOf();
    let [asked, isOver] = [0, false];
    const goOnAsking = async (pr: number): Promise<void> => {
      while (!isOver && asked < 100) {
        asked += 1;
        await decider.ask(aSubmit(pr, inputIdOf(100 + asked)));
      }
    };
    const some = [goOnAsking(1), goOnAsking(2)];
    await memory.push(queueIdOf(1), [aFact(1)]);

    await decider.run();
    expect((await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.inbox).toEqual([]);
    expect(asked).toBeLessThan(20);
    isOver = true;
    await Promise.all(some);
  });
});
