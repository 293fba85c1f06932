import { aFact, BUILT_AT, effectIdOf, inputIdOf, queueIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aSubmit, engineWorld } from '../../test/engine-world.js';
import { aQuietQueue } from '../../test/rules.js';
import { NOT_UNDERSTOOD_LIMIT, REREAD_MS } from '../decide/inputs/newer-facts.js';
import type { Fact } from '../model/input.js';

type EngineWorld = Awaited<ReturnType<typeof engineWorld>>;

describe('a fact of a newer release', () => {
  const ofType = (n: number) => ({ id: inputIdOf(n), effectId: effectIdOf(n), type: 'weather_seen' });
  const strange = [
    ofType(60),
    { id: inputIdOf(61), type: 'noticed', what: 'weather' },
    { id: inputIdOf(62), type: 'noticed', what: 'toString' },
  ] as unknown as readonly Fact[];
  const looksAt = (world: EngineWorld) => world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
  const alarms = async (world: EngineWorld) => {
    const asked = { queueIds: [queueIdOf(1)], types: ['alarm' as const], order: 'oldest_first' as const };
    return (await world.memory.history({ ...asked, limit: 9 })).items;
  };

  test('a fact of a newer release waits for a replica that understands it, and blocks nothing', async () => {
    const world = await engineWorld({ wanted: 'running' });
    await world.memory.push(queueIdOf(1), strange);
    await world.memory.push(queueIdOf(1), strange.slice(1));

    expect(await world.deciderOf().ask(aSubmit(1))).toMatchObject({ ok: true });

    const left = await looksAt(world);
    expect(left).toMatchObject({ inbox: [], queue: { wanted: 'running', notUnderstood: strange } });
    expect(await alarms(world)).toEqual([]);
    expect(world.published[0]?.wakeAt).toBeLessThanOrEqual(BUILT_AT + REREAD_MS);
  });

  test('a fact of a newer release is logged once, not with each decision', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    await world.memory.push(queueIdOf(1), strange);

    await decider.ask(aSubmit(1));
    await decider.ask(aSubmit(2));

    expect(world.warned).toEqual([expect.stringContaining('of a newer release')]);
  });

  test('a fact of a newer release is applied by the first replica that understands it', async () => {
    const known = { ...aFact(2), type: 'noticed', what: 'branch' } as Fact;
    const world = await engineWorld({ notUnderstood: [...strange, known], polls: aQuietQueue().polls });

    await world.deciderOf().run();

    const left = await looksAt(world);
    expect(left?.queue.notUnderstood).toEqual(strange);
    expect(left?.queue.polls.branch).toMatchObject({ dueAt: BUILT_AT });
  });

  test('a fact of a newer release raises an alarm if too many wait', async () => {
    const many = Array.from({ length: NOT_UNDERSTOOD_LIMIT + 1 }, (_, n) => ofType(100 + n));
    const world = await engineWorld();
    await world.memory.push(queueIdOf(1), many as unknown as readonly Fact[]);

    await world.deciderOf().run();

    expect((await looksAt(world))?.queue.notUnderstood).toHaveLength(NOT_UNDERSTOOD_LIMIT);
    expect(await alarms(world)).toMatchObject([
      { code: 'POISONED_INPUT', sentence: expect.stringContaining('of a newer release') },
    ]);
  });
});
