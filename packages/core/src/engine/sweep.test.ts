import { aClosedRun, aRepo, aRun, runIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { engineWorld, lostBefore } from '../../test/engine-world.js';
import type { TestRunId } from '../model/ids.js';
import type { CodeHost } from '../ports/code-host.js';
import { type Logger, silentLogger } from '../ports/logger.js';
import { SWEEP_EVERY_MS, Sweep } from './sweep.js';
import { ANSWER_LIMIT_MS } from './timeout.js';

type SweptHost = Pick<CodeHost, 'hasRepository' | 'listCandidates' | 'dropCandidate'>;
const sweeping = async (
  kept: readonly number[],
  {
    failures = 0,
    override = {},
  }: { readonly failures?: number; readonly override?: Partial<SweptHost> } = {},
) => {
  const world = await engineWorld();
  await world.rival({ writes: someWrites({ runs: [aRun(1), aClosedRun(2)] }) });
  const candidates = new Set<TestRunId>(kept.map(runIdOf));
  let left = failures;
  const dropped = { one: (): void => undefined };
  const host: SweptHost = {
    hasRepository: async () => true,
    listCandidates: async () => {
      if (left-- > 0) throw new Error('unreachable');
      return [...candidates];
    },
    dropCandidate: async ({ runId }) => {
      candidates.delete(runId);
      dropped.one();
    },
    ...override,
  };
  const { store, clock } = world;
  const said: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    info: (_, sentence) => void said.push(`info: ${sentence}`),
    warn: (_, sentence) => void said.push(`warn: ${sentence}`),
  };
  const sweep = new Sweep({ store, clock, logger, hostOf: () => host as CodeHost });
  return { sweep, world, clock, candidates, dropped, said };
};

describe('after the store went back to what it was', () => {
  test('a sweep drops candidates of lost test runs and keeps those of open ones', async () => {
    const { sweep, candidates } = await sweeping([1, 3, 4]);

    sweep.wantAll('2');
    await sweep.run();

    expect([...candidates]).toEqual([runIdOf(1)]);
  });

  test('a sweep drops the candidate of a closed test run, since its build may be lost', async () => {
    const { sweep, candidates } = await sweeping([2]);

    sweep.wantAll('2');
    await sweep.run();

    expect([...candidates]).toEqual([]);
  });

  test('a sweep checks the candidate of an unbuilt test run again later', async () => {
    const { sweep, world, clock, candidates } = await sweeping([5]);
    await world.rival({ writes: someWrites({ runs: [aRun(5, { state: 'building', candidate: null })] }) });
    sweep.wantAll('2');
    await sweep.run();
    expect([...candidates]).toEqual([runIdOf(5)]);
    await world.rival({ writes: someWrites({ runs: [aClosedRun(5)] }) });

    await clock.advance(10_000);
    await sweep.run();

    expect([...candidates]).toEqual([]);
  });

  test('a sweep drops nothing without a request', async () => {
    const { sweep, candidates } = await sweeping([3]);

    await sweep.run();

    expect([...candidates]).toEqual([runIdOf(3)]);
  });

  test('a sweep retries an unreachable host after a pause', async () => {
    const { sweep, clock, candidates } = await sweeping([3], { failures: 1 });
    sweep.wantAll('2');
    await sweep.run();

    await sweep.run();
    expect([...candidates]).toEqual([runIdOf(3)]);
    await clock.advance(10_000);
    await sweep.run();
    expect([...candidates]).toEqual([]);
  });

  test('a sweep retries the list of repositories', async () => {
    const { sweep, candidates, clock, world } = await sweeping([3]);
    world.next('queues', lostBefore);
    sweep.wantAll('2');
    await sweep.run();
    expect([...candidates]).toEqual([runIdOf(3)]);

    await clock.advance(10_000);
    await sweep.run();

    expect([...candidates]).toEqual([]);
  });

  test('a sweep of everything runs once per incarnation, however many queues notice it', async () => {
    const { sweep, candidates } = await sweeping([3]);
    sweep.wantAll('2');
    await Promise.all([sweep.run(), sweep.run()]);
    candidates.add(runIdOf(4));

    sweep.wantAll('2');
    await sweep.run();
    expect([...candidates]).toEqual([runIdOf(4)]);

    sweep.wantAll('3');
    await sweep.run();
    expect([...candidates]).toEqual([]);
  });

  test('everything is swept every ten minutes, since calls without a lease may have built candidates', async () => {
    const { sweep, clock, candidates } = await sweeping([1, 3]);
    await sweep.run();
    await clock.advance(SWEEP_EVERY_MS - 1);
    await sweep.run();
    expect([...candidates]).toEqual([1, 3].map(runIdOf));

    await clock.advance(1);
    await sweep.run();
    expect([...candidates]).toEqual([runIdOf(1)]);

    candidates.add(runIdOf(4));
    await sweep.run();
    expect([...candidates]).toEqual([1, 4].map(runIdOf));
    await clock.advance(SWEEP_EVERY_MS);
    await sweep.run();
    expect([...candidates]).toEqual([runIdOf(1)]);
  });

  test('a stopped sweep ends after the current candidate, and continues after a restart', async () => {
    const { sweep, candidates, dropped } = await sweeping([3, 4]);
    const stopped = new AbortController();
    dropped.one = () => stopped.abort();
    sweep.wantAll('2');

    await sweep.run(stopped.signal);
    expect([...candidates]).toEqual([runIdOf(4)]);

    await sweep.run();
    expect([...candidates]).toEqual([]);
  });

  test('candidates of a deleted queue are dropped', async () => {
    const { sweep, candidates } = await sweeping([3]);

    sweep.want(aRepo);
    await sweep.run();

    expect([...candidates]).toEqual([]);
  });
});

const FAILED = 'warn: candidates could not be swept; retrying';

describe('a host that never answers', () => {
  const never = () => new Promise<never>(() => undefined);
  const unanswered: readonly (keyof SweptHost)[] = ['hasRepository', 'listCandidates', 'dropCandidate'];

  test.each(unanswered)(
    'a host that never answers %s ends the sweep at the timeout, and is asked again',
    async (question) => {
      const override: Partial<SweptHost> = { [question]: never };
      const { sweep, clock, candidates, said } = await sweeping([3], { override });
      sweep.want(aRepo);
      let isOver = false;
      void sweep.run().then(() => {
        isOver = true;
      });

      await clock.advance(ANSWER_LIMIT_MS - 1);
      expect(isOver).toBe(false);
      await clock.advance(1);
      expect(isOver).toBe(true);
      expect(said).toEqual([FAILED]);
      expect(clock.waiting).toBe(0);
      expect([...candidates]).toEqual([runIdOf(3)]);

      await clock.advance(10_000);
      void sweep.run();
      await clock.advance(ANSWER_LIMIT_MS);
      expect(said).toHaveLength(2);
    },
  );

  test('a host gets no more calls once the sweep is stopped', async () => {
    const stopped = new AbortController();
    const override: Partial<SweptHost> = {
      hasRepository: async () => {
        stopped.abort();
        return true;
      },
      listCandidates: never,
    };
    const { sweep, clock } = await sweeping([3], { override });
    sweep.want(aRepo);

    await sweep.run(stopped.signal);

    expect(clock.waiting).toBe(0);
  });
});

describe('the log of a sweep', () => {
  const NEWS = 'candidates without an open test run were dropped';

  test('dropped candidates are logged at info if no commits were lost', async () => {
    const { sweep, clock, said } = await sweeping([2]);
    sweep.wantAll('1');
    await sweep.run();
    expect(said).toEqual([`info: ${NEWS}`]);

    const later = await sweeping([2]);
    await later.sweep.run();
    await later.clock.advance(SWEEP_EVERY_MS);
    await later.sweep.run();
    expect(later.said).toEqual([`info: ${NEWS}`]);
    expect(clock.waiting).toBe(0);
  });

  test('dropped candidates are logged as a warning only after the store was restarted', async () => {
    const { sweep, clock, candidates, said } = await sweeping([3], { failures: 1 });
    sweep.wantAll('1');
    sweep.wantAll('2');
    await sweep.run();
    expect(said).toEqual([FAILED]);

    await clock.advance(10_000);
    await sweep.run();
    expect(said.slice(1)).toEqual([`warn: the store was restarted; ${NEWS}`]);

    candidates.add(runIdOf(4));
    await clock.advance(SWEEP_EVERY_MS);
    await sweep.run();
    expect(said.slice(2)).toEqual([`info: ${NEWS}`]);
  });
});
