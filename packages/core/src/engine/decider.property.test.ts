import { inputIdOf, queueIdOf } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCancel, aSubmit, engineWorld, type Fault, lostAfter, lostBefore } from '../../test/engine-world.js';
import type { Command, CommandResult } from '../model/input.js';

/** The ids of the executed commands, from the history. */
const executedIn = async ({ memory }: Awaited<ReturnType<typeof engineWorld>>) => {
  const { items } = await memory.history({ queueIds: [queueIdOf(1)], order: 'oldest_first', limit: 1_000 });
  return items.flatMap((row) => (row.type === 'commanded' ? [row.inputId] : []));
};

type Answer = { readonly command: Command; readonly result: CommandResult | 'unknown' };

const lostRace =
  (world: Awaited<ReturnType<typeof engineWorld>>): Fault =>
  async (real) => {
    await world.rival();
    return real();
  };
const faults = ['none', 'none', 'lost before', 'lost after', 'lost race'] as const;

/** A command with a key may be repeated; one without a key is new each time. */
const commands = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('submit', 'submit', 'cancel'),
      fc.constantFrom('key', null),
    ),
    { minLength: 1, maxLength: 10 },
  )
  .map((asked) =>
    asked.map(([pr, type, digest], index) => {
      const command = { ...(type === 'submit' ? aSubmit(pr) : aCancel(pr)), digest };
      return digest === null ? { ...command, id: inputIdOf(5_000 + index) } : command;
    }),
  );

describe('whatever is interleaved', () => {
  test('each command is answered once, with the same result for each caller, and executed at most once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        commands,
        fc.array(fc.constantFrom(...faults), { maxLength: 6 }),
        fc.array(fc.constantFrom(...faults), { maxLength: 6 }),
        fc.integer({ min: 1, max: 2 }),
        async (scheduler, asked, onCommit, onLoad, replicas) => {
          const world = await engineWorld();
          let isOver = false;
          const faultOf = (name: (typeof faults)[number], isCommit: boolean): Fault => {
            if (name === 'lost before') return lostBefore;
            if (name === 'lost after') return isCommit ? lostAfter : lostBefore;
            return name === 'lost race' && isCommit ? lostRace(world) : (real) => real();
          };
          const scheduled =
            (fault: Fault, what: string): Fault =>
            (real, args) =>
              isOver ? real() : scheduler.schedule(Promise.resolve(), what).then(() => fault(real, args));
          world.next('commit', ...onCommit.map((name) => scheduled(faultOf(name, true), `commit: ${name}`)));
          world.next('load', ...onLoad.map((name) => scheduled(faultOf(name, false), `load: ${name}`)));
          const deciders = Array.from({ length: replicas }, () => world.deciderOf());
          const answers: Answer[] = [];
          const asking = asked.map((command, index) =>
            scheduler.schedule(Promise.resolve(), `asking ${command.type}`).then(async () => {
              const decider = deciders[index % replicas];
              const result = await decider?.ask(command).catch(() => 'unknown' as const);
              if (result !== undefined) answers.push({ command, result });
            }),
          );
          const ticking = deciders.map((decider) =>
            scheduler.schedule(Promise.resolve(), 'tick').then(() => decider.run().catch(() => undefined)),
          );

          await scheduler.waitFor(Promise.all([...asking, ...ticking]));
          isOver = true;
          await scheduler.waitIdle();

          expect(answers.map(({ command }) => command.id).toSorted()).toEqual(
            asked.map(({ id }) => id).toSorted(),
          );
          const executed = await executedIn(world);
          expect(executed).toHaveLength(new Set(executed).size);
          for (const { command, result } of answers) {
            if (result === 'unknown') continue;
            const twins = answers.filter((one) => one.command.id === command.id && one.result !== 'unknown');
            expect(twins.every((one) => (one.result as CommandResult).ok === result.ok)).toBe(true);
            expect(executed.includes(command.id)).toBe(result.ok);
          }
          const repeated = asked.filter(({ digest }) => digest !== null);
          const again = await Promise.all(repeated.map((command) => deciders[0]?.ask(command)));
          const executedAfter = await executedIn(world);
          expect(executedAfter).toHaveLength(new Set(executedAfter).size);
          for (const [index, command] of repeated.entries())
            if (executed.includes(command.id)) expect(again[index]?.ok).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  }, 600_000);
});
