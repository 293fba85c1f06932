import { aFact, anEffect, aRepo, effectIdOf, inputIdOf, queueIdOf } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCancel } from '../../test/engine-world.js';
import type { Cancel, CommandResult } from '../model/input.js';
import type { Lease } from '../ports/store.js';
import { WORK_PER_DECISION, WorkQueue, withoutLost } from './work.js';

const command = (n: number, digest: string | null = null): Cancel => ({
  ...aCancel(n, inputIdOf(n)),
  digest,
});
const saying = (detail: string): CommandResult => ({ ok: false, refusal: { code: 'NOT_ACTIVE', detail } });
const leaseOf = (n: number): Lease => ({
  effect: anEffect(n),
  queueId: queueIdOf(1),
  repo: aRepo,
  tries: 1,
  token: `${n}`,
});

describe('work that waits to be decided', () => {
  test('waiting work of all kinds goes into one decision', async () => {
    const work = new WorkQueue();
    const results = [work.command(command(1)), work.command(command(2))];
    void work.delivery(leaseOf(1), [aFact(1)]);
    void work.inbox();

    const taken = work.take();
    expect(taken.commands.map(({ id }) => id)).toEqual([inputIdOf(1), inputIdOf(2)]);
    expect(taken.deliveries.map(({ facts }) => facts)).toEqual([[aFact(1)]]);
    expect(taken.inbox).not.toBeNull();
    expect(work.isEmpty).toBe(true);
    expect(work.take()).toEqual({ commands: [], deliveries: [], inbox: null });
    work.answer(inputIdOf(2), saying('two'));
    work.answer(inputIdOf(1), saying('one'));
    expect(await Promise.all(results)).toEqual([saying('one'), saying('two')]);
  });

  test('waiting work is taken in order of arrival, a bounded number at a time', () => {
    const work = new WorkQueue();
    for (let n = 1; n < WORK_PER_DECISION; n += 1) void work.command(command(n));
    void work.delivery(leaseOf(1), []);
    void work.inbox();
    void work.delivery(leaseOf(2), []);

    const [first, second] = [work.take(), work.take()];

    expect(first.commands).toHaveLength(WORK_PER_DECISION - 1);
    expect(first.deliveries).toHaveLength(1);
    expect([first.inbox, second.inbox]).toEqual([null, expect.anything()]);
    expect([second.commands.length, second.deliveries.length]).toEqual([0, 1]);
    expect(work.isEmpty).toBe(true);
  });

  test('commands with the same id share the answer, also while the first is being decided', async () => {
    const work = new WorkQueue();
    const results = [work.command(command(1, 'a')), work.command(command(1, 'a'))];
    expect(work.take().commands).toHaveLength(1);
    results.push(work.command(command(1, 'a')));
    expect(work.isEmpty).toBe(true);

    work.answer(inputIdOf(1), saying('once'));

    expect(await Promise.all(results)).toEqual(Array(3).fill(saying('once')));
  });

  test('another request with the same id is refused without affecting the first', async () => {
    const work = new WorkQueue();
    const first = work.command(command(1, 'a'));

    expect(await work.command(command(1, 'b'))).toMatchObject({
      ok: false,
      refusal: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(work.take().commands).toHaveLength(1);
    work.answer(inputIdOf(1), saying('first'));
    expect(await first).toEqual(saying('first'));
  });

  test('requests to read the inbox are shared until the read begins', () => {
    const work = new WorkQueue();
    const first = work.inbox();
    expect(work.inbox()).toBe(first);

    work.take();

    expect(work.inbox()).not.toBe(first);
  });

  test('a failure rejects only work that was taken and not answered', async () => {
    const work = new WorkQueue();
    const [answered, failed] = [work.command(command(1)), work.command(command(2))];
    const [delivered, read] = [work.delivery(leaseOf(1), []), work.inbox()];
    const taken = work.take();
    const waiting = work.command(command(3));
    work.answer(inputIdOf(1), saying('one'));

    work.fail(taken, new Error('gone'));

    for (const one of [failed, delivered, read]) await expect(one).rejects.toThrow('gone');
    expect(work.take().commands.map(({ id }) => id)).toEqual([inputIdOf(3)]);
    work.answer(inputIdOf(3), saying('three'));
    expect(await Promise.all([answered, waiting])).toEqual([saying('one'), saying('three')]);
  });

  test('lost leases are answered as lost, and the rest is decided again', async () => {
    const work = new WorkQueue();
    const [lost, kept] = [work.delivery(leaseOf(1), []), work.delivery(leaseOf(2), [])];
    const taken = work.take();

    const left = withoutLost(taken, [effectIdOf(1)]);

    expect(await lost).toBe('lost');
    expect(left?.deliveries.map(({ lease }) => lease)).toEqual([leaseOf(2)]);
    expect(withoutLost(left ?? taken, [effectIdOf(2)])).toBeNull();
    expect(await kept).toBe('lost');
  });

  test('a requested read of the inbox remains although every lease was lost', () => {
    const work = new WorkQueue();
    void work.delivery(leaseOf(1), []);
    void work.inbox();

    expect(withoutLost(work.take(), [effectIdOf(1)])?.inbox).not.toBeNull();
  });

  test('in any order of events every command is answered once, and equal ones alike', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
        async (scheduler, numbers) => {
          const work = new WorkQueue();
          const answers: { n: number; result: CommandResult }[] = [];
          let decisions = 0;
          const decideOnce = async () => {
            const { commands } = work.take();
            if (commands.length === 0) return;
            decisions += 1;
            const decision = decisions;
            await scheduler.schedule(Promise.resolve(), 'committing');
            for (const { id } of commands) work.answer(id, saying(`${id} by ${decision}`));
          };
          let running = Promise.resolve();
          const asked = numbers.map((n) =>
            scheduler.schedule(Promise.resolve(), `asking ${n}`).then(async () => {
              const result = work.command(command(n));
              running = running.then(decideOnce);
              answers.push({ n, result: await result });
            }),
          );

          await scheduler.waitFor(Promise.all(asked));

          expect(answers.map(({ n }) => n).sort()).toEqual([...numbers].sort());
          for (const { n, result } of answers)
            expect(result).toMatchObject({
              refusal: { detail: expect.stringMatching(`^${inputIdOf(n)} by`) },
            });
          expect(decisions).toBeLessThanOrEqual(numbers.length);
          expect(work.isEmpty).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
