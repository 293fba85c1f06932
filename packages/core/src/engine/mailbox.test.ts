import { inputIdOf } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCancel } from '../../test/engine-world.js';
import type { Cancel, CommandResult } from '../model/input.js';
import { COMMANDS_PER_DECISION, Mailbox } from './mailbox.js';

const command = (n: number, digest: string | null = null): Cancel => ({
  ...aCancel(n, inputIdOf(n)),
  digest,
});
const saying = (detail: string): CommandResult => ({ ok: false, refusal: { code: 'NOT_ACTIVE', detail } });

describe('a mailbox', () => {
  test('gives what waits to one decision, and then nothing', async () => {
    const box = new Mailbox();
    const results = [box.put(command(1)), box.put(command(2))];

    expect(box.waiting).toBeGreaterThan(0);
    expect(box.take().map(({ id }) => id)).toEqual([inputIdOf(1), inputIdOf(2)]);
    expect(box.waiting).toBe(0);
    box.answer(inputIdOf(2), saying('two'));
    box.answer(inputIdOf(1), saying('one'));
    box.giveOut();
    expect(await Promise.all(results)).toEqual([saying('one'), saying('two')]);
    expect(box.take()).toEqual([]);
  });

  test('twins share the answer, also where the first is being decided', async () => {
    const box = new Mailbox();
    const results = [box.put(command(1, 'a')), box.put(command(1, 'a'))];
    expect(box.take()).toHaveLength(1);
    results.push(box.put(command(1, 'a')));
    expect(box.waiting).toBe(0);

    box.answer(inputIdOf(1), saying('once'));
    box.giveOut();

    expect(await Promise.all(results)).toEqual(Array(3).fill(saying('once')));
  });

  test('another request under the same id is refused, and the first is not harmed', async () => {
    const box = new Mailbox();
    const first = box.put(command(1, 'a'));

    expect(await box.put(command(1, 'b'))).toMatchObject({
      ok: false,
      refusal: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(box.take()).toHaveLength(1);
    box.answer(inputIdOf(1), saying('first'));
    box.giveOut();
    expect(await first).toEqual(saying('first'));
  });

  test('a failure reaches those that were taken, and nobody else', async () => {
    const box = new Mailbox();
    const taken = box.put(command(1));
    const commands = box.take();
    const waiting = box.put(command(2));

    box.fail(commands, new Error('gone'));

    await expect(taken).rejects.toThrow('gone');
    expect(box.take().map(({ id }) => id)).toEqual([inputIdOf(2)]);
    box.answer(inputIdOf(2), saying('two'));
    box.giveOut();
    expect(await waiting).toEqual(saying('two'));
  });

  test('gives nobody twice, and whoever is put back ahead of those who came since', async () => {
    const box = new Mailbox();
    const results = [box.put(command(1)), box.put(command(2))];
    const first = box.take();
    results.push(box.put(command(3)));
    const second = box.take();
    results.push(box.put(command(4)));
    expect(second.map(({ id }) => id)).toEqual([inputIdOf(3)]);

    box.putBack(second);

    expect(box.waiting).toBe(2);
    const again = box.take();
    expect(again.map(({ id }) => id)).toEqual([inputIdOf(3), inputIdOf(4)]);
    for (const { id } of [...first, ...again]) box.answer(id, saying(id));
    expect(box.giveOut()).toBe(4);
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4].map((n) => saying(inputIdOf(n))));
  });

  test('a failure passes over those who were taken beside, and those who were answered', async () => {
    const box = new Mailbox();
    const [one, two] = [box.put(command(1)), box.put(command(2))];
    const first = box.take();
    const beside = box.put(command(3));
    const second = box.take();
    box.answer(inputIdOf(1), saying('one'));

    box.fail(first, new Error('gone'));

    await expect(two).rejects.toThrow('gone');
    for (const { id } of second) box.answer(id, saying('three'));
    box.giveOut();
    expect(await Promise.all([one, beside])).toEqual([saying('one'), saying('three')]);
  });

  test('gives a bounded number at a time', () => {
    const box = new Mailbox();
    for (let n = 1; n <= COMMANDS_PER_DECISION + 1; n += 1) box.put(command(n));

    const taken = box.take();
    expect(taken).toHaveLength(COMMANDS_PER_DECISION);
    expect(box.waiting).toBeGreaterThan(0);
    for (const { id } of taken) box.answer(id, saying('done'));
    expect(box.take()).toHaveLength(1);
  });

  test('tells nobody before answers are given out, and each once', async () => {
    const box = new Mailbox();
    const told: string[] = [];
    const result = box.put(command(1)).then(() => told.push('one'));
    box.take();
    box.answer(inputIdOf(1), saying('one'));
    await Promise.resolve();
    expect(told).toEqual([]);

    box.giveOut();
    box.giveOut();

    await result;
    expect(told).toEqual(['one']);
  });

  test('while answers are still to be given out, so many go along that as many are asked for as are answered', () => {
    const box = new Mailbox();
    for (let n = 1; n <= 4; n += 1) box.put(command(n));
    for (const { id } of box.take()) box.answer(id, saying('done'));
    for (let n = 5; n <= 14; n += 1) box.put(command(n));

    const half = box.take().map(({ id }) => id);
    expect(half).toEqual([5, 6, 7, 8, 9, 10, 11].map((n) => inputIdOf(n)));
    box.giveOut();
    for (const id of half) box.answer(id, saying('done'));
    box.giveOut();
    expect(box.take()).toHaveLength(3);
  });

  test('whatever order things happen in, every command is answered once and twins alike', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
        async (scheduler, numbers) => {
          const box = new Mailbox();
          const answers: { n: number; result: CommandResult }[] = [];
          let decisions = 0;
          const decideOnce = async () => {
            const taken = box.take();
            if (taken.length === 0) return;
            decisions += 1;
            const decision = decisions;
            await scheduler.schedule(Promise.resolve(), 'committing');
            for (const { id } of taken) box.answer(id, saying(`${id} by ${decision}`));
            box.giveOut();
          };
          let running = Promise.resolve();
          const asked = numbers.map((n) =>
            scheduler.schedule(Promise.resolve(), `asking ${n}`).then(async () => {
              const result = box.put(command(n));
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
          expect(box.waiting).toBe(0);
          expect(box.take()).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });
});
