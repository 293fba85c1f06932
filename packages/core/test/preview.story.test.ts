import { type Story, stories } from '@mq/testkit';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type {
  Estimate,
  HistoryItem,
  MergeQueue,
  Preview,
  PreviewRequest,
  QueueSettings,
  TestRun,
} from '../src/index.js';

const story = stories(afterEach);

const MINUTE = 60_000;
const tenMinutes = { mode: 'automatic', durationMs: 10 * MINUTE } as const;

type Command =
  | {
      readonly operation: 'updateQueue';
      readonly settings: Partial<QueueSettings> & { readonly state?: 'paused' | 'running' };
    }
  | {
      readonly operation: 'submit';
      readonly pr: number;
      readonly priority?: number;
      readonly skipTheLine?: boolean;
    }
  | { readonly operation: 'cancel' | 'restartTests'; readonly pr: number };

const requestOf = (q: Story, command: Command): PreviewRequest => {
  if (command.operation !== 'updateQueue') return { ...q.world.ref, ...command };
  return { ...q.world.ref, operation: command.operation, ...command.settings };
};

const previews = (q: Story, command: Command, withEstimates = false): Promise<Preview> =>
  q.world.mq.preview({ ...requestOf(q, command), withEstimates });

const carryOut = async (mq: MergeQueue, request: PreviewRequest): Promise<string | null> => {
  const { operation, ...rest } = request;
  const run = mq[operation] as (asked: object) => Promise<unknown>;
  return run(rest).then(
    () => null,
    (error: { readonly code: string }) => error.code,
  );
};

/** Estimates need durations of earlier tests. */
const landsFive = async (q: Story): Promise<void> => {
  for (const pr of [101, 102, 103, 104, 105]) {
    await q.submit(pr);
    await q.after('11m');
  }
};

describe('a preview says what a command would do, and does nothing', () => {
  test('an urgent pull request cancels the test run in the only slot, and its CI time is lost', async () => {
    const q = await story({ concurrency: 1 }, { ci: tenMinutes });
    await q.submit(1, 2);
    await q.opens(3);
    await q.after('4m');

    const preview = await previews(q, { operation: 'submit', pr: 3, skipTheLine: true });
    expect(preview).toMatchObject({
      refusal: null,
      cancelled: [{ purpose: 'test', prs: [1], hadPassed: false }],
      started: [{ purpose: 'test', prs: [3], testedOnTopOf: [] }],
      positions: [
        { pr: 3, from: null, to: 1 },
        { pr: 1, from: 1, to: 2 },
        { pr: 2, from: 2, to: 3 },
      ],
    });
    expect(preview.ciMsLost).toBeGreaterThan(3 * MINUTE);
    expect(preview.ciMsLost).toBeLessThanOrEqual(4 * MINUTE);
    q.isTesting('main+1');
    await q.isRefused('NOT_SUBMITTED', async () => {
      await q.world.mq.explain({ ...q.world.ref, pr: 3 });
    });
  });

  test('a command that would be refused is previewed with the reason', async () => {
    const q = await story();
    await q.submit(1);
    await q.passes('main+1');

    expect(await previews(q, { operation: 'cancel', pr: 1 })).toMatchObject({
      refusal: { code: 'ALREADY_MERGED' },
      movesCount: 0,
      cancelledCount: 0,
    });
  });

  test('expected merges are estimated before and after, for those at the front', async () => {
    const q = await story({}, { ci: tenMinutes });
    await landsFive(q);
    await q.configures({ concurrency: 1 });
    await q.submit(1, 2);
    await q.after('1m');

    const { merges } = await previews(q, { operation: 'cancel', pr: 1 }, true);
    const [first, second] = [1, 2].map((pr) => merges.find((one) => one.pr === pr));
    expect(first?.after).toMatchObject({ status: 'unavailable', reason: 'ended' });
    const at = (estimate: Estimate | null | undefined): number =>
      estimate?.status === 'available' ? (estimate.expectedMergeAt ?? 0) : 0;
    expect(at(second?.after)).toBeGreaterThan(q.world.clock.now());
    expect(at(second?.after)).toBeLessThan(at(second?.before));
  });

  test('a pause is previewed with the expected merges that it delays, although it moves no pull request', async () => {
    const q = await story({}, { ci: tenMinutes });
    await landsFive(q);
    await q.submit(1, 2);
    await q.after('1m');

    const preview = await previews(q, { operation: 'updateQueue', settings: { state: 'paused' } }, true);

    expect(preview).toMatchObject({ cancelledCount: 0, movesCount: 0, positionsCount: 0 });
    expect(preview.merges).toMatchObject(
      [1, 2].map((pr) => ({
        pr,
        before: { status: 'available' },
        after: { status: 'unavailable', reason: 'paused' },
      })),
    );
  });
});

const prs = fc.integer({ min: 1, max: 6 });
const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ operation: fc.constant('submit' as const), pr: prs }) },
  fc.record({ operation: fc.constant('submit' as const), pr: prs, skipTheLine: fc.boolean() }),
  fc.record({
    operation: fc.constant('submit' as const),
    pr: prs,
    priority: fc.integer({ min: 0, max: 255 }),
  }),
  fc.record({ operation: fc.constantFrom('cancel' as const, 'restartTests' as const), pr: prs }),
  fc.record({
    operation: fc.constant('updateQueue' as const),
    settings: fc.record(
      {
        concurrency: fc.integer({ min: 1, max: 4 }),
        batch: fc.boolean(),
        mode: fc.constantFrom('single' as const, 'parallel' as const),
        pendingFailureDepth: fc.integer({ min: 0, max: 2 }),
        state: fc.constantFrom('paused' as const, 'running' as const),
      },
      { requiredKeys: [] },
    ),
  }),
);
const walk = fc.array(fc.tuple(commands, fc.constantFrom('0m', '1m', '4m', '11m')), {
  minLength: 4,
  maxLength: 14,
});

/** What a command did, from the events of its commit. */
const recorded = (mq: MergeQueue) => {
  const rows: HistoryItem[] = [];
  const runs: TestRun[] = [];
  const ends = [mq.on('history', (row) => rows.push(row)), mq.on('run.changed', ({ run }) => runs.push(run))];
  const stop = () => {
    for (const end of ends) end();
  };
  return { rows, runs, stop };
};

/** Closed because its work was used; the test run is not lost. */
const usedCauses: ReadonlySet<string | null> = new Set(['landed', 'vouched_for', 'judged', 'isolated']);

/** The CI time of these test runs when they were closed. */
const ciMsIn = (rows: readonly HistoryItem[], runIds: ReadonlySet<string>): number =>
  rows.reduce((sum, row) => {
    const isCounted = row.type === 'run' && row.change === 'closed' && runIds.has(row.runId);
    return isCounted ? sum + (row.ciMs ?? 0) : sum;
  }, 0);

/** The world has built candidates and started checks since, which the preview only expected. */
const MERGE_TOLERANCE_MS = 1_000;

/** Returns how many expected merges were compared. */
const mergesAsPreviewed = async ({ world: { mq, ref } }: Story, { merges }: Preview): Promise<number> => {
  const found = await mq.estimates({ ...ref, prs: merges.map(({ pr }) => pr) });
  const at = (estimate: Estimate | null | undefined) =>
    estimate?.status === 'available' ? estimate.expectedMergeAt : null;
  for (const { pr, after } of merges) {
    const [expected, now] = [at(after), at(found.get(pr))];
    if (expected === null || now === null) expect([pr, now]).toEqual([pr, expected]);
    else expect(Math.abs(expected - now)).toBeLessThanOrEqual(MERGE_TOLERANCE_MS);
  }
  return merges.filter(({ after }) => at(after) !== null).length;
};

/** The ranks of the line, as getQueue answers them. */
const ranksOf = async ({ world: { mq, ref } }: Story): Promise<ReadonlyMap<number, number>> =>
  new Map((await mq.getQueue(ref)).enqueued.map(({ submission: { pr } }, index) => [pr, index + 1]));

const kindOf = (command: Command): string =>
  'priority' in command && command.priority !== undefined ? 'priority' : command.operation;

test('on the same state, each of the five commands does what its preview says', async () => {
  const carriedOut = new Set<string>();
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(walk, async (steps) => {
      const q = await story({ concurrency: 2 }, { ci: tenMinutes });
      await landsFive(q);
      await q.opens(1, 2, 3, 4, 5, 6);
      for (const [step, [command, duration]] of steps.entries()) {
        const { mq } = q.world;
        const preview = await previews(q, command, step === steps.length - 1);
        const seen = recorded(mq);
        const before = await ranksOf(q);
        const refusal = await carryOut(mq, requestOf(q, command));
        seen.stop();
        const then = await ranksOf(q);
        if (refusal === null) carriedOut.add(kindOf(command));
        const moves = [...new Set([...then.keys(), ...before.keys()])].flatMap((pr) => {
          const [from, to] = [before.get(pr) ?? null, then.get(pr) ?? null];
          return from === to ? [] : [{ pr, from, to }];
        });
        expect(preview.positions).toEqual(moves);
        expect(preview.refusal?.code ?? null).toBe(refusal);
        const moved = seen.rows.flatMap((row) =>
          row.type === 'moved' ? [`${row.pr} ${row.from} ${row.to} ${row.reason}`] : [],
        );
        expect(preview.moves.map(({ pr, from, to, reason }) => `${pr} ${from} ${to} ${reason}`)).toEqual(
          moved,
        );
        const created = seen.rows.flatMap((row) =>
          row.type === 'run' && row.change === 'created' ? [row] : [],
        );
        const isKept = (id: string) => seen.runs.some((run) => run.id === id && run.closedAt === null);
        expect(preview.started.map(({ prs: batch, testedOnTopOf }) => [batch, testedOnTopOf])).toEqual(
          created.filter(({ runId }) => isKept(runId)).map((row) => [row.prs, row.stack]),
        );
        const createdIds = new Set(created.map(({ runId }) => runId));
        const lost = seen.runs.filter(
          ({ id, closedAt, closedBecause, outcome, purpose }) =>
            closedAt !== null &&
            !createdIds.has(id) &&
            !usedCauses.has(closedBecause) &&
            (outcome === null || outcome === 'passed') &&
            purpose.kind !== 'compose',
        );
        expect(new Set(preview.cancelled.map(({ runId }) => runId))).toEqual(
          new Set(lost.map(({ id }) => id)),
        );
        expect(preview.ciMsLost).toBe(ciMsIn(seen.rows, new Set(lost.map(({ id }) => id))));
        if (refusal === null) compared += await mergesAsPreviewed(q, preview);
        await q.after(duration);
      }
    }),
    { numRuns: 10 },
  );
  expect(compared).toBeGreaterThan(0);
  expect([...carriedOut].sort()).toEqual(['cancel', 'priority', 'restartTests', 'submit', 'updateQueue']);
}, 120_000);
