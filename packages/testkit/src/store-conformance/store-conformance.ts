import type { Retention, Store } from '@mq/core';
import { absence } from './absent.js';
import { answers } from './answers.js';
import { closing } from './closing.js';
import { commits } from './commit.js';
import { deltas } from './delta.js';
import { due } from './due.js';
import { effects } from './effects.js';
import { history } from './history.js';
import { inbox } from './inbox.js';
import { processes } from './processes.js';
import { littleRetention, pruning } from './pruning.js';
import { queues } from './queues.js';
import { races } from './races.js';
import { receipts } from './receipts.js';
import { rows } from './rows.js';
import { steps } from './steps.js';
import { submissions } from './submissions.js';
import { targets } from './targets.js';
import { time } from './time.js';
import { verdicts } from './verdicts.js';
import { withdrawals } from './withdrawals.js';
import type { ContractTests, StoreUnderTest, TestRunner, World } from './world.js';

const chapters: Readonly<Record<string, ContractTests>> = {
  queues,
  rows,
  commits,
  absence,
  withdrawals,
  deltas,
  inbox,
  due,
  time,
  effects,
  steps,
  submissions,
  history,
  answers,
  verdicts,
  targets,
  receipts,
  pruning,
  races,
  processes,
  closing,
};

const DUMP_CHARS_LIMIT = 20_000;

/**
 * Registers tests of the whole contract of the `Store` port, which they use only through the port. `makeStore` is called
 * once per test and returns a new empty store with at least the given retention. No test can be skipped: a store that fails
 * one cannot be used by the engine.
 */
export const storeConformance = (
  runner: TestRunner,
  makeStore: (asked: { readonly retention: Partial<Retention> }) => Promise<StoreUnderTest>,
): void => {
  for (const [chapter, tests] of Object.entries(chapters))
    runner.describe(`a store: ${chapter}`, () => {
      for (const [title, run] of Object.entries(tests))
        runner.test(title, async () => {
          const retention = tests === pruning ? littleRetention : {};
          await runClosing(run, runner, await makeStore({ retention }));
        });
    });
};

/** Runs a test and closes every store that it opened, also if it fails. */
const runClosing = async (
  run: (world: World) => Promise<void>,
  { expect }: TestRunner,
  made: StoreUnderTest,
): Promise<void> => {
  const opened = [made.store];
  const opening = async (open: () => Promise<Store>): Promise<Store> => {
    const store = await open();
    opened.push(store);
    return store;
  };
  const { another, backUp } = made;
  const world: World = {
    ...made,
    expect,
    ...(another !== undefined && { another: () => opening(() => another.call(made)) }),
    ...(backUp !== undefined && {
      backUp: async () => {
        const restore = await backUp.call(made);
        return () => opening(restore);
      },
    }),
  };
  try {
    await run(world);
  } catch (error) {
    if (error instanceof Error && made.dump !== undefined)
      error.message += `\n\nThe store holds:\n${JSON.stringify(made.dump(), null, 1).slice(0, DUMP_CHARS_LIMIT)}`;
    throw error;
  } finally {
    await Promise.all(opened.map((store) => store.close()));
    await made.end?.();
  }
};
