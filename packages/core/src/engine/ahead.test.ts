import { aFact, inputIdOf, queueIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aCancel, aSubmit, engineWorld, type Fault } from '../../test/engine-world.js';
import { countingHands, held, quiet } from '../../test/held-world.js';
import type { CommandResult } from '../model/input.js';

const nothing = { prs: [], inputIds: [] };
const isOk = ({ ok }: CommandResult): boolean => ok;

describe('while a decision is being committed', () => {
  test('the next is made on it, and sent as soon as it is durable', async () => {
    const { decider, prepared, sent, hold, live } = await held();
    const letGo = hold();
    const first = decider.ask(aSubmit(1));
    await quiet();

    const second = decider.ask(aSubmit(2));
    await quiet();
    expect([prepared, sent]).toEqual([[[2]], [[1]]]);
    letGo();

    expect((await Promise.all([first, second])).map(isOk)).toEqual([true, true]);
    expect(sent).toEqual([[1], [2]]);
    expect(await live()).toEqual([1, 2, 9]);
  });

  test('it is on its way before anybody hears of the one before it', async () => {
    const { decider, sent, hold } = await held();
    const letGo = hold();
    const sentBefore = decider.ask(aSubmit(1)).then(() => [...sent]);
    await quiet();
    void decider.ask(aSubmit(2));
    await quiet();
    letGo();

    expect(await sentBefore).toEqual([[1], [2]]);
  });

  test('whoever asks in one turn goes into the same decision', async () => {
    const { decider, prepared, hold } = await held();
    const letGo = hold();
    const first = decider.ask(aSubmit(1));
    await quiet();

    const others = [decider.ask(aSubmit(2)), decider.ask(aSubmit(3))];
    await quiet();

    expect(prepared).toEqual([[2, 3]]);
    letGo();
    await Promise.all([first, ...others]);
  });

  test('the next waits until half as many ask as are decided on', async () => {
    const { decider, prepared, hold } = await held();
    const letGo = hold();
    const first = [1, 2, 3, 4].map((n) => decider.ask(aSubmit(n)));
    await quiet();

    const others = [decider.ask(aSubmit(5))];
    await quiet();
    expect(prepared).toEqual([]);
    others.push(decider.ask(aSubmit(6)));
    await quiet();
    expect(prepared).toEqual([[5, 6]]);
    letGo();

    expect((await Promise.all([...first, ...others])).every(isOk)).toBe(true);
  });

  test('whoever looks sees nothing of it before it is durable', async () => {
    const { decider, hold } = await held();
    const letGo = hold();
    const first = decider.ask(aSubmit(1));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    const seen: (readonly number[])[] = [];

    const looking = decider.see(nothing, ({ state }) => seen.push([...state.byPr.keys()].sort()));
    await quiet();
    expect(seen).toEqual([]);
    letGo();

    await Promise.all([first, second, looking]);
    expect(seen[0]).toEqual(expect.arrayContaining([1, 9]));
  });

  test('nothing is made on it while somebody looks', async () => {
    const { decider, prepared, hold, next } = await held();
    const letGo = hold();
    const first = decider.ask(aSubmit(1));
    await quiet();
    let answer: () => void = () => undefined;
    next('load', async (real) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return real();
    });
    const looking = decider.see(nothing, ({ state }) => [...state.byPr.keys()]);
    await quiet();

    const second = decider.ask(aSubmit(2));
    await quiet();
    expect(prepared).toEqual([]);
    answer();
    expect(await looking).toEqual([9]);
    letGo();

    expect((await Promise.all([first, second])).every(isOk)).toBe(true);
  });

  test('nothing is made on it where facts may wait in the store', async () => {
    const { decider, prepared, hold, memory } = await held();
    const letGo = hold();
    const first = decider.ask(aSubmit(1));
    await quiet();
    await memory.push(queueIdOf(1), [aFact(1)]);
    const run = decider.run();

    const second = decider.ask(aSubmit(2));
    await quiet();
    expect(prepared).toEqual([]);
    letGo();

    await Promise.all([first, second, run]);
    expect((await memory.load(queueIdOf(1), 0, nothing))?.inbox).toEqual([]);
  });

  test('whoever has the store looked at hears of it, however much others go on asking', async () => {
    const { decider, memory, next } = await held();
    next('commit', ...Array.from({ length: 200 }, (): Fault => (real) => quiet().then(real)));
    let [asked, isOver] = [0, false];
    const goOnAsking = async (pr: number): Promise<void> => {
      while (!isOver && asked < 100) {
        asked += 1;
        await decider.ask(aSubmit(pr, inputIdOf(100 + asked)));
      }
    };
    const some = goOnAsking(1);
    await quiet();
    const others = goOnAsking(2);
    await memory.push(queueIdOf(1), [aFact(1)]);

    await decider.run();
    expect((await memory.load(queueIdOf(1), 0, nothing))?.inbox).toEqual([]);
    expect(asked).toBeLessThan(20);
    isOver = true;
    await Promise.all([some, others]);
  });

  test('what cannot be decided ahead is decided in its turn', async () => {
    const { hands } = countingHands();
    let offers = 0;
    const { decider, sent, hold } = await held({
      ...hands,
      offer: (count) => {
        offers += 1;
        // The first is that of what was there before.
        if (offers === 3) throw new Error('no room is known');
        return hands.offer(count);
      },
    });
    const letGo = hold();
    const first = decider.ask(aSubmit(1));
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    expect(offers).toBe(3);
    letGo();

    expect((await Promise.all([first, second])).map(isOk)).toEqual([true, true]);
    expect(sent).toEqual([[1], [2]]);
  });

  test('whoever was decided on the end of a queue hears that it is gone', async () => {
    const { decider, hold } = await held();
    await decider.ask(aCancel(9));
    const letGo = hold();
    const deleted = decider.ask({ ...aCancel(1, inputIdOf(60)), type: 'delete_queue' });
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    letGo();

    expect(await deleted).toMatchObject({ ok: true });
    expect(await second).toMatchObject({ ok: false, refusal: { code: 'QUEUE_NOT_FOUND' } });
  });

  test('what is on its way by then is taken in although something failed behind the commit before it', async () => {
    const { decider, published, hold, live } = await held();
    const letGo = hold();
    const first = decider.ask(aSubmit(1)).catch((error: Error) => error.message);
    await quiet();
    const second = decider.ask(aSubmit(2));
    await quiet();
    published.push = () => {
      Reflect.deleteProperty(published, 'push');
      throw new Error('nobody hears of it');
    };
    letGo();

    expect(await second).toMatchObject({ ok: true });
    expect(await first).toBeDefined();
    expect(await live()).toEqual([1, 2, 9]);
    expect(await decider.see(nothing, ({ state }) => state.byPr.size)).toBe(3);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('it cannot be prepared');
      },
    ],
    ['returns a promise that is rejected', async () => Promise.reject(new Error('it cannot be prepared'))],
  ])('a store whose `prepare` %s is asked to commit all the same', async (_, prepare) => {
    const { decider, store, hold, live } = await held();
    const letGo = hold();
    const first = decider.ask(aSubmit(1));
    await quiet();
    store.prepare = prepare;
    const second = decider.ask(aSubmit(2));
    await quiet();
    letGo();

    expect((await Promise.all([first, second])).map(isOk)).toEqual([true, true]);
    expect(await live()).toEqual([1, 2, 9]);
  });
});

describe('answers of the code host', () => {
  test('are decided ahead as commands are, and wait again where that was in vain', async () => {
    const running = await engineWorld({ wanted: 'running' });
    const decider = running.deciderOf();
    await decider.ask(aSubmit(1));
    const [lease] = await running.memory.lease({ owner: 'x', forMs: 60_000, limit: 1 });
    if (lease === undefined) throw new Error('nothing is wished');
    const settling: number[] = [];
    running.store.prepare = (commit) => void settling.push(commit.settled.length);
    let letGo: () => void = () => undefined;
    running.next('commit', async (real) => {
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await running.rival();
      return real();
    });
    const asked = decider.ask(aSubmit(2));
    await quiet();
    const delivered = decider.deliver(lease, [aFact(1)]);
    await quiet();
    expect(settling).toEqual([1]);
    letGo();

    expect(await asked).toMatchObject({ ok: true });
    expect(await delivered).toBe('settled');
    expect(await running.memory.settle(lease, [])).toBe(false);
  });
});
