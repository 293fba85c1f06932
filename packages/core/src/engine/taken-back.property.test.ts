import { aQueue, BUILT_AT, inputIdOf, queueIdOf } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCancel, aSubmit } from '../../test/engine-world.js';
import { held, quiet } from '../../test/held-world.js';
import { defaultPace } from '../decide/context.js';
import { decide } from '../decide/decide.js';
import { viewOf } from '../explain/explain.js';
import type { Command } from '../model/input.js';
import type { Loaded } from './working-set.js';

const nothing = { prs: [], inputIds: [] };
const asked = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom('submit', 'submit', 'cancel')),
  {
    minLength: 1,
    maxLength: 5,
  },
);

describe('a state that a decision was taken back from', () => {
  test('is decided as one that was read anew', async () => {
    let ahead = 0;
    await fc.assert(
      fc.asyncProperty(
        asked,
        asked,
        asked,
        asked,
        fc.integer({ min: 1, max: 4 }),
        async (before, first, second, later, concurrency) => {
          let ids = 100;
          const commandsOf = (some: typeof before): readonly Command[] =>
            some.map(([pr, type]) => {
              ids += 1;
              return type === 'submit' ? aSubmit(pr, inputIdOf(ids)) : aCancel(pr, inputIdOf(ids));
            });
          const settings = { ...aQueue().settings, concurrency };
          const world = await held(null, { wanted: 'running', settings });
          const { decider } = world;
          await Promise.all(commandsOf(before).map((command) => decider.ask(command)));
          const letGo = world.hold(async (real) => {
            await world.rival();
            return real();
          });
          const some = commandsOf(first).map((command) => decider.ask(command));
          await quiet();
          const others = [...commandsOf(second), ...commandsOf(second)].map((command) =>
            decider.ask(command),
          );
          await quiet();
          letGo();
          await Promise.all([...some, ...others]);
          const context = {
            now: BUILT_AT + 5_000,
            seed: '0000000f-0000-4000-8000-000000000000',
            pace: defaultPace,
          };
          const inputs = commandsOf(later);
          const decided = ({ state, delta }: Loaded) => {
            const recalled = { ...context, recalled: delta.recalled };
            const { answers, effects, withdraw, writes, wakeAt } = decide(state, inputs, recalled, viewOf);
            const decision = structuredClone({ answers, effects, withdraw, writes });
            return { decision, wakesAt: wakeAt ?? Number.POSITIVE_INFINITY };
          };

          const here = await decider.see(nothing, decided);
          const anew = await world.deciderOf(queueIdOf(1)).see(nothing, decided);

          ahead += world.prepared.length;
          expect(here?.decision).toEqual(anew?.decision);
          // What is at rest may look again sooner than it has to.
          expect(here?.wakesAt).toBeLessThanOrEqual(anew?.wakesAt ?? 0);
        },
      ),
      { numRuns: 200 },
    );
    expect(ahead).toBeGreaterThan(100);
  });
});
