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
import { Summaries } from './summaries.js';
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
  const summaries = new Summaries({ store, summaries: null, clock, logger: silentLogger });
  const loop: Loop = new Loop({
    hostCommands: null,
    summaries,
    presenter: null,
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
  test('a pass decides due queues and performs effects until nothing is left to do', async () => {
    const { loop, published, drops } = await looping([drop]);

    expect(await loop.pass()).toBe(true);
    expect(drops).toEqual([runIdOf(1)]);
    await loop.settled();
    expect(await loop.pass()).toBe(false);
    expect(published.length).toBeLessThanOrEqual(2);
  });

  test('settling waits for a due queue that the store skipped because another process writes to it', async () => {
    const { loop, next, published } = await looping();
    next('due', async () => []);

    await loop.settled();

    expect(published).not.toEqual([]);
  });

  test('closing the loop ends although a host does not answer a sweep', async () => {
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

  test('a pass waits for the sweep that it has started', async () => {
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

  test('the loop ends once its calls to the host are answered', async () => {
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
    /** A clock that advances a millisecond with each call to the store. */
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

    test('settling retries after a pause while another process holds due work', async () => {
      const { loop, published, asked } = await held(900);

      await loop.settled();

      expect(published).not.toEqual([]);
      expect(asked()).toBeLessThan(450);
    });

    test('settling fails with the cause if another process holds due work for too long', async () => {
      const { loop } = await held(Number.POSITIVE_INFINITY);

      await expect(loop.settled()).rejects.toThrow(
        'what is due cannot be taken: another process has held it',
      );
    });
  });

  test('the loop runs until it is stopped, and completes what it has started', async () => {
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

  test('the loop sleeps for at most a second, and a nudge wakes it at once', async () => {
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

  test('the loop wakes when the next effect is due', async () => {
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

  test('the loop sleeps for the full time again once the expected time has passed', async () => {
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

  test('an ended loop gets no hints of the store', async () => {
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

  test('a loop without capacity waits until an effect ends, also if another one is due', async () => {
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

  test('a nudge before the sleep is not lost', async () => {
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

  test('a failing store is retried after a pause', async () => {
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

  test('a queue that cannot be decided does not affect the others', async () => {
    const { loop, memory, next, published } = await looping();
    await memory.createQueue(aQueue({ id: queueIdOf(2), branch: 'next', wanted: 'paused' }), BUILT_AT, null);
    next('load', lostBefore);

    await expect(loop.pass()).rejects.toThrow('connection lost');

    expect(published).toHaveLength(1);
  });
});
