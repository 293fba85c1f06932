import { aFact, anEffect, inputIdOf, queueIdOf } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCancel, aSubmit, engineWorld, type Fault, lostAfter, lostBefore } from '../../test/engine-world.js';
import { countingHands } from '../../test/held-world.js';
import type { Submission } from '../model/submission.js';

type World = Awaited<ReturnType<typeof engineWorld>>;
const nothing = { prs: [], inputIds: [] };

const faults = ['none', 'none', 'none', 'lost before', 'lost after', 'lost race'] as const;
const faultOf = (world: World, name: (typeof faults)[number]): Fault => {
  if (name === 'lost before') return lostBefore;
  if (name === 'lost after') return lostAfter;
  return async (real) => {
    if (name === 'lost race') await world.rival();
    return real();
  };
};

const deeds = fc.array(
  fc.tuple(
    fc.constantFrom(
      'submit',
      'submit',
      'submit',
      'cancel',
      'deliver',
      'deliver',
      'see',
      'run',
      'nobody hears',
    ),
    fc.integer({ min: 1, max: 5 }),
  ),
  { minLength: 4, maxLength: 20 },
);

const attemptOf = ({ pr, attempt }: Submission): string => `#${pr}, attempt ${attempt}`;

/** What was ever submitted, and the commands that were obeyed. */
const storedIn = ({ memory }: World) => {
  const record = memory.dump().queues.find(({ queue }) => queue.id === queueIdOf(1));
  if (record === undefined) throw new Error('the queue is gone');
  const obeyed = record.history.flatMap((row) => (row.type === 'commanded' ? [row.inputId] : []));
  const rows = record.submissions.flatMap((row) =>
    Array.from({ length: row.attempt }, (_, before) => attemptOf({ ...row, attempt: before + 1 })),
  );
  return { rows, obeyed };
};

/** A queue with leases on some of its wishes, all that happens to which is put in order by a scheduler. */
const scheduledWorld = async (scheduler: fc.Scheduler, onCommit: readonly (typeof faults)[number][]) => {
  const { hands, kept } = countingHands();
  const world = await engineWorld();
  const decider = world.deciderOf(queueIdOf(1), hands);
  await decider.ask(aSubmit(9));
  await world.rival({ effects: Array.from({ length: 20 }, (_, n) => anEffect(500 + n)) });
  const leases = [...(await world.memory.lease({ owner: 'x', forMs: 60_000, limit: 20 }))];
  await decider.run();
  const inOrder =
    (fault: Fault, what: string): Fault =>
    (real, args) =>
      scheduler.schedule(Promise.resolve(), what).then(() => fault(real, args));
  const later = Array.from({ length: 40 }, (): Fault => (real) => real());
  const faulty = onCommit.map((name) => faultOf(world, name));
  world.next('commit', ...[...faulty, ...later].map((fault) => inOrder(fault, 'commit')));
  world.next('load', ...later.map((fault) => inOrder(fault, 'load')));
  return { ...world, decider, leases, kept };
};

describe('whatever is decided ahead, sent or taken back', () => {
  test('each is answered once it is durable, sees what is durable, and all room is given back', async () => {
    let ahead = 0;
    const orders = [fc.scheduler(), deeds, fc.array(fc.constantFrom(...faults), { maxLength: 8 })] as const;
    await fc.assert(
      fc.asyncProperty(...orders, async (scheduler, asked, onCommit) => {
        const world = await scheduledWorld(scheduler, onCommit);
        const { decider, leases, memory, published, kept } = world;
        world.store.prepare = () => {
          ahead += 1;
        };
        const failed = () => null;
        const carryOut = async (what: (typeof asked)[number][0], pr: number, n: number): Promise<void> => {
          const id = inputIdOf(100 + n);
          if (what === 'submit' || what === 'cancel') {
            const command = what === 'submit' ? aSubmit(pr, id) : aCancel(pr, id);
            const result = await decider.ask(command).catch(failed);
            if (result !== null) expect(storedIn(world).obeyed.includes(id)).toBe(result.ok);
          } else if (what === 'deliver') {
            const lease = leases.pop();
            if (lease === undefined) return;
            const delivered = await decider.deliver(lease, [aFact(700 + n)]).catch(failed);
            if (delivered === 'settled') expect(await memory.settle(lease, [])).toBe(false);
          } else if (what === 'see') {
            await decider.see(nothing, ({ state }) =>
              expect(storedIn(world).rows).toEqual(
                expect.arrayContaining([...state.submissions.values()].map(attemptOf)),
              ),
            );
          } else if (what === 'run') await decider.run().catch(failed);
          else
            published.push = () => {
              Reflect.deleteProperty(published, 'push');
              throw new Error('nobody hears of it');
            };
        };
        const done = asked.map(([what, pr], n) =>
          scheduler.schedule(Promise.resolve(), what).then(() => carryOut(what, pr, n)),
        );

        await scheduler.waitFor(Promise.all(done));
        await scheduler.waitIdle();

        const { obeyed } = storedIn(world);
        expect(obeyed).toHaveLength(new Set(obeyed).size);
        expect(kept()).toBe(0);
      }),
      { numRuns: 300 },
    );
    expect(ahead).toBeGreaterThan(50);
  }, 600_000);
});
