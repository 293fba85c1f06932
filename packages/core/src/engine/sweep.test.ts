import { aClosedRun, aRepo, aRun, runIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { engineWorld } from '../../test/engine-world.js';
import type { RunId } from '../model/ids.js';
import type { CodeHost } from '../ports/code-host.js';
import { silentLogger } from '../ports/logger.js';
import { SWEEP_EVERY_MS, Sweep } from './sweep.js';

const sweeping = async (kept: readonly number[], failures = 0) => {
  const world = await engineWorld();
  await world.rival({ writes: someWrites({ runs: [aRun(1), aClosedRun(2)] }) });
  const trials = new Set<RunId>(kept.map(runIdOf));
  let left = failures;
  const dropped = { one: (): void => undefined };
  const host: Pick<CodeHost, 'hasRepository' | 'listTrials' | 'dropTrial'> = {
    hasRepository: async () => true,
    listTrials: async () => {
      if (left-- > 0) throw new Error('unreachable');
      return [...trials];
    },
    dropTrial: async ({ runId }) => {
      trials.delete(runId);
      dropped.one();
    },
  };
  const { store, clock } = world;
  const sweep = new Sweep({ store, clock, logger: silentLogger, hostOf: () => host as CodeHost });
  return { sweep, world, clock, trials, dropped };
};

describe('after the store went back to what it was', () => {
  test('trials of runs that it has lost are dropped, and those of open runs are left to their queue', async () => {
    const { sweep, trials } = await sweeping([1, 3, 4]);

    sweep.wantAll('2');
    await sweep.run();

    expect([...trials]).toEqual([runIdOf(1)]);
  });

  test('the trial of a run that is over is dropped: that it was built may be lost', async () => {
    const { sweep, trials } = await sweeping([2]);

    sweep.wantAll('2');
    await sweep.run();

    expect([...trials]).toEqual([]);
  });

  test('a trial of a run that is yet to be built is looked at again: it may be over before that is known', async () => {
    const { sweep, world, clock, trials } = await sweeping([5]);
    await world.rival({ writes: someWrites({ runs: [aRun(5, { state: 'building', trial: null })] }) });
    sweep.wantAll('2');
    await sweep.run();
    expect([...trials]).toEqual([runIdOf(5)]);
    await world.rival({ writes: someWrites({ runs: [aClosedRun(5)] }) });

    await clock.advance(10_000);
    await sweep.run();

    expect([...trials]).toEqual([]);
  });

  test('nothing is dropped that nobody wants dropped', async () => {
    const { sweep, trials } = await sweeping([3]);

    await sweep.run();

    expect([...trials]).toEqual([runIdOf(3)]);
  });

  test('a host that is not reached is asked again, and not at once', async () => {
    const { sweep, clock, trials } = await sweeping([3], 1);
    sweep.wantAll('2');
    await sweep.run();

    await sweep.run();
    expect([...trials]).toEqual([runIdOf(3)]);
    await clock.advance(10_000);
    await sweep.run();
    expect([...trials]).toEqual([]);
  });

  test('that is done once, however many queues notice it', async () => {
    const { sweep, trials } = await sweeping([3]);
    sweep.wantAll('2');
    await Promise.all([sweep.run(), sweep.run()]);
    trials.add(runIdOf(4));

    sweep.wantAll('2');
    await sweep.run();
    expect([...trials]).toEqual([runIdOf(4)]);

    sweep.wantAll('3');
    await sweep.run();
    expect([...trials]).toEqual([]);
  });

  test('everything is swept every ten minutes: what was begun without a lease may have built one for nobody', async () => {
    const { sweep, clock, trials } = await sweeping([1, 3]);
    await sweep.run();
    await clock.advance(SWEEP_EVERY_MS - 1);
    await sweep.run();
    expect([...trials]).toEqual([1, 3].map(runIdOf));

    await clock.advance(1);
    await sweep.run();
    expect([...trials]).toEqual([runIdOf(1)]);

    trials.add(runIdOf(4));
    await sweep.run();
    expect([...trials]).toEqual([1, 4].map(runIdOf));
    await clock.advance(SWEEP_EVERY_MS);
    await sweep.run();
    expect([...trials]).toEqual([runIdOf(1)]);
  });

  test('once it is stopped it ends with the trial at hand, and goes on when it is started again', async () => {
    const { sweep, trials, dropped } = await sweeping([3, 4]);
    const stopped = new AbortController();
    dropped.one = () => stopped.abort();
    sweep.wantAll('2');

    await sweep.run(stopped.signal);
    expect([...trials]).toEqual([runIdOf(4)]);

    await sweep.run();
    expect([...trials]).toEqual([]);
  });

  test('trials of a queue that is gone are dropped with it', async () => {
    const { sweep, trials } = await sweeping([3]);

    sweep.want(aRepo);
    await sweep.run();

    expect([...trials]).toEqual([]);
  });
});
