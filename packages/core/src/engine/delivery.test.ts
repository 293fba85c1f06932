import { aFact, aQueue, BUILT_AT, effectIdOf, inputIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aSubmit, engineWorld, type Fault, lostAfter, lostBefore } from '../../test/engine-world.js';
import type { Commit, Lease, LeaseRequest } from '../ports/store.js';
import type { EffectSink } from './decider.js';
import { WORK_PER_DECISION } from './work.js';

/** Hands that take whatever is given. */
const openSink = () => {
  const taken: Lease[] = [];
  let reserved = 0;
  const performer: EffectSink = {
    offer: (count) => {
      if (count === 0) return null;
      reserved += 1;
      return { owner: 'me', forMs: 60_000, limit: count };
    },
    take: (_: LeaseRequest, leases) => {
      reserved -= 1;
      taken.push(...leases);
    },
  };
  return { performer, taken, reserved: () => reserved };
};

/** A running queue with one submission whose first wishes were handed over. */
const carrying = async () => {
  const world = await engineWorld({ wanted: 'running' });
  const { performer, taken, reserved } = openSink();
  const decider = world.deciderOf(queueIdOf(1), performer);
  await decider.ask(aSubmit(1));
  const calls: string[] = [];
  const counted: (name: string) => Fault = (name) => (real) => {
    calls.push(name);
    return real();
  };
  const count = () => {
    for (const name of ['load', 'commit'] as const)
      world.next(name, ...Array.from({ length: 20 }, () => counted(name)));
  };
  const held = (type: string): Lease => taken.find(({ effect }) => effect.type === type)!;
  return { ...world, decider, taken, reserved, calls, count, held };
};

const learnt = (lease: Lease, n = 1) => [{ ...aFact(n), id: inputIdOf(500 + n), effectId: lease.effect.id }];

describe('what was learnt under a lease', () => {
  test('is decided and settled by one commit that reads nothing before it', async () => {
    const { decider, held, calls, count, memory } = await carrying();
    count();
    const lease = held('build_candidate');

    expect(await decider.deliver(lease, learnt(lease))).toBe('settled');

    expect(calls).toEqual(['commit']);
    expect(await memory.settle(lease, [])).toBe(false);
  });

  test('is taken in together with what is learnt in the same turn', async () => {
    const { decider, taken, published } = await carrying();
    const before = published.length;
    expect(taken.length).toBeGreaterThan(1);

    const delivered = await Promise.all(taken.map((lease, n) => decider.deliver(lease, learnt(lease, n))));

    expect(new Set(delivered)).toEqual(new Set(['settled']));
    expect(published.length).toBe(before + 1);
  });

  test('is decided on what somebody else wrote meanwhile, after a refused try', async () => {
    const { decider, held, calls, count, rival } = await carrying();
    await rival({ writes: someWrites({ queue: aQueue({ wanted: 'paused' }) }) });
    count();
    const lease = held('build_candidate');

    expect(await decider.deliver(lease, learnt(lease))).toBe('settled');

    expect(calls).toEqual(['commit', 'load', 'commit']);
  });

  test('is decided at the time that the store told with the commit before', async () => {
    const { decider, taken, next, published } = await carrying();
    const [first, second] = taken as [Lease, Lease];
    next('commit', async (real) => ({ ...((await real()) as object), now: BUILT_AT + 400 }));

    await decider.deliver(first, learnt(first));
    await decider.deliver(second, learnt(second, 2));

    expect(published.at(-2)?.writes.queue?.decidedAt).toBe(BUILT_AT);
    expect(published.at(-1)?.writes.queue?.decidedAt).toBe(BUILT_AT + 400);
  });

  test('is read for where the clock of this process has moved', async () => {
    const { decider, held, calls, count, clock } = await carrying();
    count();
    await clock.advance(1_000);

    await decider.deliver(held('build_candidate'), []);

    expect(calls).toEqual(['load', 'commit']);
  });

  test('by somebody who held it too long is refused, and what others learnt is taken in all the same', async () => {
    const { decider, taken, clock, memory } = await carrying();
    await clock.advance(60_000);
    const [lost] = await memory.lease({ owner: 'other', forMs: 60_000, limit: 1 });
    const delivered = await Promise.all(
      taken.map(async (lease, n) => [lease.effect.id, await decider.deliver(lease, learnt(lease, n))]),
    );

    expect(delivered).toContainEqual([lost?.effect.id, 'lost']);
    expect(delivered.filter(([, what]) => what === 'settled')).toHaveLength(taken.length - 1);
    expect(await memory.settle(lost!, [])).toBe(true);
  });

  test('by somebody who held it too long does not keep what waits in the store from being decided', async () => {
    const { decider, held, clock, memory } = await carrying();
    await clock.advance(60_000);
    await memory.lease({ owner: 'other', forMs: 60_000, limit: 9 });
    await memory.push(queueIdOf(1), [{ id: inputIdOf(900), type: 'noticed', what: 'branch' }]);

    const delivered = decider.deliver(held('build_candidate'), learnt(held('build_candidate')));
    await decider.run();

    expect(await delivered).toBe('lost');
    expect((await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.inbox).toEqual([]);
  });

  test('by somebody who held it too long decides nothing by itself', async () => {
    const { decider, held, clock, memory, published } = await carrying();
    await clock.advance(60_000);
    await memory.lease({ owner: 'other', forMs: 60_000, limit: 9 });
    const before = published.length;

    expect(await decider.deliver(held('build_candidate'), learnt(held('build_candidate')))).toBe('lost');

    expect(published.length).toBe(before);
  });

  test('of a queue that was deleted meanwhile is wanted by nobody', async () => {
    const { decider, held, rival } = await carrying();
    await rival({ writes: someWrites({ queue: aQueue({ deletedAt: BUILT_AT }) }) });

    expect(await decider.deliver(held('build_candidate'), learnt(held('build_candidate')))).toBe('gone');
  });

  test('is settled once although the answer of the commit was lost', async () => {
    const { decider, held, next, reserved } = await carrying();
    next('commit', lostAfter);

    // Nobody can know who settled it: it is told as of somebody who held it too long, which does no harm.
    expect(await decider.deliver(held('build_candidate'), learnt(held('build_candidate')))).toBe('lost');
    expect(reserved()).toBe(0);
  });

  test('is told to have failed where the store stays unclear, and can be brought again', async () => {
    const { decider, held, next } = await carrying();
    next('commit', lostBefore, lostBefore, lostBefore, lostBefore);
    const lease = held('build_candidate');

    await expect(decider.deliver(lease, learnt(lease))).rejects.toThrow(/outcome of a commit is unknown/);
    expect(await decider.deliver(lease, learnt(lease))).toBe('settled');
  });

  test('does not keep what waits in the store from being seen later', async () => {
    const { decider, held, memory } = await carrying();
    await memory.push(queueIdOf(1), [{ id: inputIdOf(900), type: 'noticed', what: 'branch' }]);

    await decider.deliver(held('build_candidate'), learnt(held('build_candidate')));
    expect(await memory.due({ forMs: 1_000, limit: 9 })).toEqual([queueIdOf(1)]);
    await decider.run();

    expect((await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.inbox).toEqual([]);
  });

  test('is taken in by several decisions where there is more than one takes', async () => {
    const { decider, held, next } = await carrying();
    const taken: number[] = [];
    const counting: Fault = (real, [commit]) => {
      taken.push((commit as Commit).settled.length);
      return real();
    };
    next('commit', counting, counting);

    const lease = held('build_candidate');
    const others = Array.from({ length: WORK_PER_DECISION + 1 }, (_, n) => ({
      ...lease,
      effect: { ...lease.effect, id: effectIdOf(900 + n) },
    }));
    await Promise.all(others.map((other) => decider.deliver(other, [])));

    expect(taken).toEqual([WORK_PER_DECISION, 1]);
  });
});

test('wishes that nobody here has room for are told to be left to whoever asks the store', async () => {
  const world = await engineWorld({ wanted: 'running' });
  const one: EffectSink = { offer: () => ({ owner: 'me', forMs: 60_000, limit: 1 }), take: () => undefined };
  const none: EffectSink = { offer: () => null, take: () => undefined };

  await world.deciderOf(queueIdOf(1), one).ask(aSubmit(1));
  const wished = world.published[0]?.effects.length ?? 0;
  await world.deciderOf(queueIdOf(1), openSink().performer).ask(aSubmit(2));
  await world.deciderOf(queueIdOf(1), none).ask(aSubmit(3));

  expect(wished).toBeGreaterThan(1);
  expect(world.left).toEqual([wished - 1, 0, world.published[2]?.effects.length]);
});

test('the room that is kept for wishes is given back where their commit is refused, or stays unclear', async () => {
  const world = await engineWorld({ wanted: 'running' });
  const { performer, taken, reserved } = openSink();
  world.next('commit', async () => ({ kind: 'conflict' }), lostBefore);

  await world.deciderOf(queueIdOf(1), performer).ask(aSubmit(1));

  expect(taken).not.toEqual([]);
  expect(reserved()).toBe(0);
});
