import { aQueue, BUILT_AT, effectIdOf, runIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { lostBefore } from '../../test/engine-world.js';
import { aHost, build, candidate, drop, performing } from '../../test/performer-world.js';
import type { Effect } from '../model/effect.js';
import { type CodeHost, HostError } from '../ports/code-host.js';
import { backoffMs } from './backoff.js';
import { EFFECTS_AT_ONCE, LEASE_MS, RENEW_EVERY_MS } from './performer.js';
import { ANSWER_LIMIT_MS } from './timeout.js';

describe('a slow effect', () => {
  const begun = async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const world = await performing([drop], aHost({ dropCandidate: () => answered }));
    await world.performer.begin();
    return { ...world, answer: () => answer() };
  };

  test('a lease is renewed while its effect is performed, and no timer is left', async () => {
    const world = await begun();

    for (let ms = 0; ms < ANSWER_LIMIT_MS - RENEW_EVERY_MS; ms += RENEW_EVERY_MS)
      expect(await world.offeredAfter(RENEW_EVERY_MS)).toBe(0);
    world.answer();
    await world.performer.idle();

    expect(await world.offeredAfter(ANSWER_LIMIT_MS)).toBe(0);
    expect(world.clock.waiting).toBe(0);
  });

  test('a lease is renewed also after an earlier effect was settled', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const second: Effect = { ...drop, id: effectIdOf(2), runId: runIdOf(2) };
    const host = aHost({ dropCandidate: async ({ runId }) => (runId === drop.runId ? undefined : answered) });
    const world = await performing([drop], host);
    await world.pass();
    await world.rival({ effects: [second] });
    await world.performer.begin();

    for (let ms = 0; ms < 2 * LEASE_MS; ms += RENEW_EVERY_MS)
      expect(await world.offeredAfter(RENEW_EVERY_MS)).toBe(0);

    answer();
    await world.performer.idle();
    expect(world.clock.waiting).toBe(0);
  });

  test('a lease is renewed although the store fails in between', async () => {
    const world = await begun();
    world.next('renew', lostBefore);

    expect(await world.offeredAfter(RENEW_EVERY_MS)).toBe(0);
    expect(await world.offeredAfter(RENEW_EVERY_MS)).toBe(0);
    expect(await world.offeredAfter(LEASE_MS - 1)).toBe(0);
  });

  test('an effect is offered to others soon after its process has died', async () => {
    const world = await begun();
    for (let n = 0; n < 9; n += 1) world.next('renew', lostBefore);

    expect(await world.offeredAfter(LEASE_MS - 1)).toBe(0);
    expect(await world.offeredAfter(1)).toBe(1);
  });
});

describe('a lease that was lost', () => {
  const slow = (effect: Effect) => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const host = aHost({
      buildCandidate: async () => {
        await answered;
        return { kind: 'built', candidate };
      },
      dropCandidate: () => answered,
      startChecks: () => answered,
    });
    return { host, effect, answer: () => answer() };
  };
  const start = { ...drop, type: 'start_checks', commit: candidate.commit, names: ['build'] } as const;

  const learntAfterLosing = async (given: Effect) => {
    const { host, effect, answer } = slow(given);
    const world = await performing([effect], host);
    await world.performer.begin();
    world.next('settle', async () => false);

    answer();
    await world.performer.idle();

    return world.learnt();
  };

  test.each([
    ['tells of what it may have left at the host', build, 1],
    ['says nothing if it left nothing', drop, 0],
  ] as const)('%s', async (_, effect, count) => {
    expect(await learntAfterLosing(effect)).toHaveLength(count);
  });

  test('a lost lease reports checks that it may have started, so that they can be cancelled', async () => {
    expect(await learntAfterLosing(start)).toMatchObject([{ type: 'checks_started', runId: start.runId }]);
  });
});

test('a candidate built by an earlier try for a deleted queue is dropped as soon as the host allows it', async () => {
  const dropped: string[] = [];
  const usual = aHost({ dropCandidate: async ({ runId }) => void dropped.push(runId) });
  const forbid = async () => Promise.reject(new HostError('forbidden', 'never'));
  const answers: readonly Partial<CodeHost>[] = [
    { getChecks: async () => Promise.reject(new Error('the connection was lost')) },
    { buildCandidate: forbid, dropCandidate: forbid },
    { buildCandidate: forbid },
  ];
  const host = { ...usual };
  const world = await performing([build], host, true);
  await world.rival({ writes: someWrites({ queue: aQueue({ deletedAt: BUILT_AT }) }) });
  for (const [tries, answer] of answers.entries()) {
    expect(dropped).toEqual([]);
    Object.assign(host, usual, answer);
    await world.pass();
    await world.clock.advance(backoffMs(tries + 1));
  }

  expect(dropped).toEqual([runIdOf(1)]);
  expect(await world.offeredAfter(2 * LEASE_MS)).toBe(0);
});

test('freed capacity starts a search for effects, also after an effect without facts', async () => {
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const effects = Array.from({ length: EFFECTS_AT_ONCE }, (_, n) => ({
    ...drop,
    id: effectIdOf(100 + n),
    runId: runIdOf(100 + n),
  }));
  const world = await performing(effects, aHost({ dropCandidate: () => answered }));
  await world.performer.begin();
  expect(world.performer.isFull).toBe(true);

  answer();
  await world.performer.idle();

  expect(world.finishedCount()).toBe(1);
});

test('offered capacity is reserved, and a performer that is not running offers none', async () => {
  const running = (await performing([], aHost(), true)).performer;
  const stopped = (await performing([], aHost())).performer;

  const first = running.offer(EFFECTS_AT_ONCE - 1);
  expect(first?.limit).toBe(EFFECTS_AT_ONCE - 1);
  expect(running.offer(5)?.limit).toBe(1);
  expect(running.offer(1)).toBeNull();
  running.take(first!, []);
  expect(running.offer(1)?.limit).toBe(1);
  expect(stopped.offer(1)).toBeNull();
});
