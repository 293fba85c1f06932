import { aFact, aQueue, BUILT_AT, effectIdOf, inputIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aSubmit, engineWorld, type Fault, lostAfter, lostBefore } from '../../test/engine-world.js';
import type { Commit, Lease, LeaseRequest } from '../ports/store.js';
import type { EffectSink } from './decider.js';
import { WORK_PER_DECISION } from './work.js';

/** A performer that accepts all leases. */
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

/** A running queue with one submission whose first effects were leased in the commit. */
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
  test('the result of an effect is decided and settled by one commit without a read', async () => {
    const { decider, held, calls, count, memory } = await carrying();
    count();
    const lease = held('build_candidate');

    expect(await decider.deliver(lease, learnt(lease))).toBe('settled');

    expect(calls).toEqual(['commit']);
    expect(await memory.settle(lease, [])).toBe(false);
  });

  test('results of the same turn are decided together', async () => {
    const { decider, taken, published } = await carrying();
    const before = published.length;
    expect(taken.length).toBeGreaterThan(1);

    const delivered = await Promise.all(taken.map((lease, n) => decider.deliver(lease, learnt(lease, n))));

    expect(new Set(delivered)).toEqual(new Set(['settled']));
    expect(published.length).toBe(before + 1);
  });

  test('a result is decided on the state of another process after a refused try', async () => {
    const { decider, held, calls, count, rival } = await carrying();
    await rival({ writes: someWrites({ queue: aQueue({ wanted: 'paused' }) }) });
    count();
    const lease = held('build_candidate');

    expect(await decider.deliver(lease, learnt(lease))).toBe('settled');

    expect(calls).toEqual(['commit', 'load', 'commit']);
  });

  test('a result is decided at the time of the store from the previous commit', async () => {
    const { decider, taken, next, published } = await carrying();
    const [first, second] = taken as [Lease, Lease];
    next('commit', async (real) => ({ ...((await real()) as object), now: BUILT_AT + 400 }));

    await decider.deliver(first, learnt(first));
    await decider.deliver(second, learnt(second, 2));

    expect(published.at(-2)?.writes.queue?.decidedAt).toBe(BUILT_AT);
    expect(published.at(-1)?.writes.queue?.decidedAt).toBe(BUILT_AT + 400);
  });

  test('a result is decided after a read if the clock of this process has jumped', async () => {
    const { decider, held, calls, count, clock } = await carrying();
    count();
    await clock.advance(1_000);

    await decider.deliver(held('build_candidate'), []);

    expect(calls).toEqual(['load', 'commit']);
  });

  test('the result of a lost lease is refused, and other results are decided', async () => {
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

  test('the result of a lost lease does not keep waiting facts from being decided', async () => {
    const { decider, held, clock, memory } = await carrying();
    await clock.advance(60_000);
    await memory.lease({ owner: 'other', forMs: 60_000, limit: 9 });
    await memory.push(queueIdOf(1), [{ id: inputIdOf(900), type: 'noticed', what: 'branch' }]);

    const delivered = decider.deliver(held('build_candidate'), learnt(held('build_candidate')));
    await decider.run();

    expect(await delivered).toBe('lost');
    expect((await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.inbox).toEqual([]);
  });

  test('the result of a lost lease causes no decision on its own', async () => {
    const { decider, held, clock, memory, published } = await carrying();
    await clock.advance(60_000);
    await memory.lease({ owner: 'other', forMs: 60_000, limit: 9 });
    const before = published.length;

    expect(await decider.deliver(held('build_candidate'), learnt(held('build_candidate')))).toBe('lost');

    expect(published.length).toBe(before);
  });

  test('the result of an effect of a deleted queue is answered as gone', async () => {
    const { decider, held, rival } = await carrying();
    await rival({ writes: someWrites({ queue: aQueue({ deletedAt: BUILT_AT }) }) });

    expect(await decider.deliver(held('build_candidate'), learnt(held('build_candidate')))).toBe('gone');
  });

  test('a result is settled once although the answer of the commit was lost', async () => {
    const { decider, held, next, reserved } = await carrying();
    next('commit', lostAfter);

    // It is unknown which process settled it, so it counts as lost, which does no harm.
    expect(await decider.deliver(held('build_candidate'), learnt(held('build_candidate')))).toBe('lost');
    expect(reserved()).toBe(0);
  });

  test('a result with an unknown outcome is rejected, and can be delivered again', async () => {
    const { decider, held, next } = await carrying();
    next('commit', lostBefore, lostBefore, lostBefore, lostBefore);
    const lease = held('build_candidate');

    await expect(decider.deliver(lease, learnt(lease))).rejects.toThrow(/outcome of a commit is unknown/);
    expect(await decider.deliver(lease, learnt(lease))).toBe('settled');
  });

  test('a result does not keep waiting facts from being decided later', async () => {
    const { decider, held, memory } = await carrying();
    await memory.push(queueIdOf(1), [{ id: inputIdOf(900), type: 'noticed', what: 'branch' }]);

    await decider.deliver(held('build_candidate'), learnt(held('build_candidate')));
    expect(await memory.due({ forMs: 1_000, limit: 9 })).toEqual([queueIdOf(1)]);
    await decider.run();

    expect((await memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.inbox).toEqual([]);
  });

  test('more results than one decision takes are decided in several', async () => {
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

test('effects beyond the capacity of this process are counted as left to others', async () => {
  const world = await engineWorld({ wanted: 'running' });
  const one: EffectSink = { offer: () => ({ owner: 'me', forMs: 60_000, limit: 1 }), take: () => undefined };
  const none: EffectSink = { offer: () => null, take: () => undefined };

  await world.deciderOf(queueIdOf(1), one).ask(aSubmit(1));
  const requested = world.published[0]?.effects.length ?? 0;
  await world.deciderOf(queueIdOf(1), openSink().performer).ask(aSubmit(2));
  await world.deciderOf(queueIdOf(1), none).ask(aSubmit(3));

  expect(requested).toBeGreaterThan(1);
  expect(world.left).toEqual([requested - 1, 0, world.published[2]?.effects.length]);
});

test('capacity reserved for effects is released if their commit is refused or unclear', async () => {
  const world = await engineWorld({ wanted: 'running' });
  const { performer, taken, reserved } = openSink();
  world.next('commit', async () => ({ kind: 'conflict' }), lostBefore);

  await world.deciderOf(queueIdOf(1), performer).ask(aSubmit(1));

  expect(taken).not.toEqual([]);
  expect(reserved()).toBe(0);
});
