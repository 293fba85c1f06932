// Stories of checks that are reported from outside.
import { type CheckSource, MergeQueueError, type ReportCheckRequest, type TestRunId } from '@mq/core';
import { memoryCheckStore } from '@mq/store-memory';
import type { Story, stories } from '@mq/testkit';

type StartStory = ReturnType<typeof stories>;

export const unit = {
  name: 'unit',
  source: 'external',
  reporters: ['jenkins'],
  startTimeoutMs: null,
} as const satisfies CheckSource;

/** Starts stories in which #1 is under test, and the check `unit` of it is reported from outside. */
export const externalStory =
  (story: StartStory) =>
  async (
    settings: Parameters<StartStory>[0] = {},
    { sources = [unit], ...setup }: Parameters<StartStory>[1] & { sources?: readonly CheckSource[] } = {},
  ) => {
    const externalChecks = { store: memoryCheckStore(), sources: () => sources, tokenSecret: 's'.repeat(32) };
    const q = await story(settings, { checks: [], showsTip: false, ...setup, externalChecks });
    await q.submit(1);
    return { q, ...(await expectedOf(q)) };
  };

export const expectedOf = async (q: Story, reporter = 'jenkins') => {
  const expected = await q.world.mq.listExpectedChecks({ reporter });
  const [first] = expected;
  if (first === undefined) throw new Error('No check is expected.');
  return { expected, first };
};

export const reporting = (q: Story, { testRunId }: { readonly testRunId: TestRunId }) => {
  const { repo } = q.world.ref;
  return (report: Partial<ReportCheckRequest>) =>
    q.world.act(() =>
      q.world.mq.reportCheck({
        repo,
        reporter: 'jenkins',
        check: 'unit',
        testRunId,
        status: 'running',
        ...report,
      }),
    );
};

export const refusalOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MergeQueueError)) throw new Error(`It was not refused: ${String(error)}`);
  return error.code;
};
