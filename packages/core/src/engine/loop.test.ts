import { aFact, aQueue, BUILT_AT, effectIdOf, queueIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { engineWorld, lostBefore } from '../../test/engine-world.js';
import { aHost, performing } from '../../test/performer-world.js';
import type { Effect } from '../model/effect.js';
import type { Clock } from '../ports/clock.js';
import type { CodeHost } from '../ports/code-host.js';
import { silentLogger } from '../ports/logger.js';
import { Loop } from './loop.js';
import { Performer } from './performer.js';
import { SWEEP_EVERY_MS, Sweep } from './sweep.js';
import { ANSWER_LIMIT_MS } from './timeout.js';

const looping = async (effects: readonly Effect[] = [], sweptHost: Partial<CodeHost> | null = null) => {
  const world = await engineWorld();
  if (effects.length > 0) await world.rival({ effects });
  return { ...world, ...loopOn(world, sweptHost) };
};

type World = Pick<Awaited<ReturnType<typeof engineWorld>>, 'store' | 'time' | 'deciderOf'>;
const loopOn = (
  world: World & { readonly clock: Clock },
  sweptHost: Partial<CodeHost> | null = null,
  others: Performer | null = null,
) => {
  const drops: string[] = [];
  const { store, clock, time } = world;
  const loop: Loop = new Loop({
    store,
    clock,
    time,
    logger: silentLogger,
    performer:
      others ??
      new Performer({
        store,
        clock,
        time,
        logger: silentLogger,
        owner: 'me',
        hostOf: () =>
          ({ dropCandidate: async ({ runId }: { runId: string }) => void drops.push(runId) }) as never,
        isRunning: () => false,
        deliver: async () => 'gone',
        finished: () => loop.nudge(),
      }),
    sweep: new Sweep({ store, clock, logger: silentLogger, hostOf: () => sweptHost as CodeHost | null }),
    deciderOf: (id) => world.deciderOf(id),
  });
  return { loop, drops };
};
const drop: Effect = { id: effectIdOf(1), type: 'drop_candidate', runId: runIdOf(1) };

describe('the loop', () => {
  test('a pass decides what is due and carries out what is wished, and then there is nothing to do', async () => {
    const { loop, published, drops } = await looping([drop]);

    expect(await loop.pass()).toBe(true);
    expect(drops).toEqual([runIdOf(1)]);
    await loop.settled();
    expect(await loop.pass()).toBe(false);
    expect(published.length).toBeLessThanOrEqual(2);
  });

  test('is not settled while a queue is due that was passed over, since somebody was just writing to it', async () => {
    const { loop, next, published } = await looping();
    next('due', async () => []);

    await loop.settled();

    expect(published).not.toEqual([]);
  });

  test('is closed after a while although a host does not answer a sweep', async () => {
    const { loop, clock } = await looping([], { hasRepository: () => new Promise(() => undefined) });
    const stop = new AbortController();
    let isOver = false;
    void loop.run(stop.signal).then(() => {
      isOver = true;
    });
    await clock.advance(SWEEP_EVERY_MS + 10_000);
    expect(isOver).toBe(false);
    stop.abort();

    await clock.advance(ANSWER_LIMIT_MS);

    expect(isOver).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test('a pass waits for the sweep that it has begun', async () => {
    let list: (runs: readonly never[]) => void = () => undefined;
    const listed = new Promise<readonly never[]>((resolve) => {
      list = resolve;
    });
    const { loop, clock } = await looping([], {
      hasRepository: async () => true,
      listCandidates: () => listed,
    });
    await loop.settled();
    await clock.advance(SWEEP_EVERY_MS);
    let isOver = false;
    const passing = loop.pass().then(() => {
      isOver = true;
    });
    await clock.idle();
    expect(isOver).toBe(false);

    list([]);
    await passing;

    expect(isOver).toBe(true);
  });

  test('ends once what it has asked of the host has been answered', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const world = await performing([drop], aHost({ dropCandidate: () => answered }));
    const { loop } = loopOn(world, null, world.performer);
    const stop = new AbortController();
    let isOver = false;
    const running = loop.run(stop.signal).then(() => {
      isOver = true;
    });
    await world.clock.idle();
    stop.abort();
    await world.clock.idle();
    expect(isOver).toBe(false);

    answer();
    await running;

    expect(world.clock.waiting).toBe(0);
  });

  describe('while another process holds what is due', () => {
    /** A clock by which each question to the store takes a millisecond. */
    const held = async (heldMs: number) => {
      const world = await engineWorld();
      let now = BUILT_AT;
      let asked = 0;
      const until = now + heldMs;
      const store = new Proxy(world.store, {
        get: (target, name) => {
          const method = Reflect.get(target, name) as unknown;
          if (typeof method !== 'function') return method;
          return (...args: readonly unknown[]) => {
            now += 1;
            asked += 1;
            if (name === 'due' && now < until) return Promise.resolve([]);
            return Reflect.apply(method, target, args) as unknown;
          };
        },
      });
      const clock = {
        now: () => now,
        wait: async (instant: number) => {
          now = Math.max(now, instant);
        },
      };
      const loop = loopOn({ ...world, store, clock }).loop;
      return { loop, published: world.published, asked: () => asked };
    };

    test('settling asks again after a pause', async () => {
      const { loop, published, asked } = await held(900);

      await loop.settled();

      expect(published).not.toEqual([]);
      expect(asked()).toBeLessThan(450);
    });

    test('it fails at last with the cause', async () => {
      const { loop } = await held(Number.POSITIVE_INFINITY);

      await expect(loop.settled()).rejects.toThrow(
        'what is due cannot be taken: another process has held it',
      );
    });
  });

  test('runs until it is told to stop, and does then what it had begun', async () => {
    const { loop, clock, memory, published } = await looping();
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await clock.idle();
    const before = published.length;

    await memory.push(queueIdOf(1), [aFact(1)]);
    await clock.idle();

    expect(published.length).toBe(before + 1);
    stop.abort();
    await running;
    expect(clock.waiting).toBe(0);
  });

  test('sleeps a second at the longest, and a nudge wakes it at once', async () => {
    const { loop, clock } = await looping();
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await clock.idle();

    expect(clock.nextWaitAt()).toBe(clock.now() + 1_000);
    await clock.advance(300);
    loop.nudge();
    await clock.idle();
    expect(clock.nextWaitAt()).toBe(clock.now() + 1_000);
    stop.abort();
    await running;
  });

  test('wakes when the next wish is due', async () => {
    const { loop, clock, memory } = await looping([drop]);
    const [lease] = await memory.lease({ owner: 'x', forMs: 60_000, limit: 1 });
    await memory.postpone(lease!, 400, 'later');
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await clock.idle();

    expect(clock.nextWaitAt()).toBe(BUILT_AT + 400);
    stop.abort();
    await running;
  });

  test('sleeps as long as ever once what was expected has come', async () => {
    const { loop, clock } = await looping();
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await clock.idle();
    loop.expect(clock.now() + 200);

    await clock.advance(300);

    expect(clock.nextWaitAt()).toBeGreaterThan(clock.now() + 100);
    stop.abort();
    await running;
  });

  test('hears nothing of the store any more once it has ended', async () => {
    const world = await engineWorld();
    let listeners = 0;
    const onWake = () => {
      listeners += 1;
      return () => {
        listeners -= 1;
      };
    };
    const store = new Proxy(world.store, {
      get: (target, name) => (name === 'onWake' ? onWake : Reflect.get(target, name)),
    });
    const { loop } = loopOn({ ...world, store });
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await world.clock.idle();
    expect(listeners).toBe(1);

    stop.abort();
    await running;

    expect(listeners).toBe(0);
  });

  test('with no room for another wish waits for one to end, also where one is due', async () => {
    const world = await looping([drop]);
    const { clock, memory } = world;
    const [lease] = await memory.lease({ owner: 'x', forMs: 60_000, limit: 1 });
    const full = { isFull: true, begin: async () => 0, end: async () => undefined };
    const { loop } = loopOn(world, null, full as unknown as Performer);
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await clock.idle();
    await memory.postpone(lease!, 0, 'at once');
    loop.nudge();
    await clock.idle();

    expect(clock.nextWaitAt()).toBe(clock.now() + 1_000);
    stop.abort();
    await running;
  });

  test('a nudge that comes before it sleeps is not lost', async () => {
    const { loop, clock, next, store } = await looping();
    const stop = new AbortController();
    let asked = 0;
    next('nextDueAt', async (real) => {
      loop.nudge();
      return real();
    });
    const running = loop.run(stop.signal);
    next('nextDueAt', async (real) => {
      asked += 1;
      return real();
    });
    await clock.idle();

    expect(asked).toBe(1);
    stop.abort();
    await running;
    expect(await store.nextDueAt()).not.toBeUndefined();
  });

  test('a store that fails is tried again after a rest', async () => {
    const { loop, clock, next, published } = await looping();
    next('due', lostBefore);
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    await clock.idle();
    expect(published).toEqual([]);

    await clock.advance(1_000);

    expect(published).toHaveLength(1);
    stop.abort();
    await running;
  });

  test('a queue that cannot be decided does not keep the others from it', async () => {
    const { loop, memory, next, published } = await looping();
    await memory.createQueue(aQueue({ id: queueIdOf(2), branch: 'next', wanted: 'paused' }), BUILT_AT, null);
    next('load', lostBefore);

    await expect(loop.pass()).rejects.toThrow('connection lost');

    expect(published).toHaveLength(1);
  });
});
