import {
  type Clock,
  type ExpectedCheckView,
  type Instant,
  type MergeQueue,
  MergeQueueError,
  type Queue,
  type TestRunId,
} from '@mq/core';
import type { Rights } from './rights.js';

/** The data about a test run that an external CI needs, with the secrets that the rights allow. */
export type Briefing = (
  queue: Queue,
  testRunId: string,
  rights: Rights,
) => Promise<{
  readonly deadlineAt: Instant | null;
  readonly checks: readonly Pick<ExpectedCheckView, 'check' | 'reportToken'>[];
}>;

/** The checks of a test run are asked for right after it is announced; a start that takes longer is not waited for. */
export const START_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
const CHECKS_LIMIT = 1_000;

/** Whether the same question may be answered later: the store is out, or the engine is being closed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof MergeQueueError && (error.code === 'STORE_UNREACHABLE' || error.code === 'CLOSED');

/** Rejects only if `isPassing`, or with what `listExpectedChecks` rejects. */
export const briefingBy =
  (mq: Pick<MergeQueue, 'getRun' | 'listExpectedChecks'>, clock: Clock): Briefing =>
  async ({ repo, branch }, id, { scopes, reporter, checks: allowed }) => {
    const testRunId = id as TestRunId;
    const read = async () => {
      const view = await mq.getRun({ repo, targetBranch: branch, testRunId }).catch((error: unknown) => {
        if (isPassing(error)) throw error;
        // Nothing is reported about a test run that no longer exists.
        return null;
      });
      return view?.run ?? null;
    };
    let run = await read();
    if (!scopes.includes('checks')) return { deadlineAt: run?.deadlineAt ?? null, checks: [] };
    const until = clock.now() + START_LIMIT_MS;
    while (run !== null && run.starting !== null && run.closedAt === null && clock.now() < until) {
      await clock.wait(clock.now() + LOOK_EVERY_MS, new AbortController().signal);
      run = await read();
    }
    const expected = await mq.listExpectedChecks({
      ...{ repo, reporter, take: CHECKS_LIMIT },
      ...(allowed === null ? {} : { checks: allowed }),
    });
    return {
      deadlineAt: run?.deadlineAt ?? null,
      checks: expected.filter((one) => one.testRunId === testRunId),
    };
  };
