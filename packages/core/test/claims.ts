import type { Story } from '@mq/testkit';
import type { Cause, RunView, SubmittedView, Waiting } from '../src/index.js';

/** A statement about what would happen, and the way to check it. */
export interface Claim {
  readonly name: string;
  readonly pr: number;
  /** Does what the statement names. Answers how it did not come true; null if it did, or if there was nothing to try. */
  readonly tried: () => Promise<string | null>;
}

/** A pull request with its wait. */
export interface Observed {
  readonly q: Story;
  readonly pr: number;
  readonly waiting: Waiting;
  readonly nearest: Cause;
}

export const viewOf = (q: Story, pr: number): SubmittedView | undefined => q.world.seen.submissions.get(pr);

export const stateOf = (q: Story, pr: number): string => viewOf(q, pr)?.submission.state ?? 'unknown';

export const codeOf = (q: Story, pr: number): string => viewOf(q, pr)?.waiting?.causes[0]?.code ?? 'nothing';

export const isOver = (q: Story, pr: number): boolean => viewOf(q, pr)?.waiting == null;

export const isLanding = (q: Story, pr: number): boolean =>
  ['merged', 'tests_passed'].includes(stateOf(q, pr));

export const runsOf = async (q: Story, pr?: number): Promise<readonly RunView[]> =>
  q.world.mq.listRuns({ ...q.world.ref, ...(pr === undefined ? {} : { pr }) });

/** The content under test at the CI for a pull request; null without one. */
export const contentOf = async (q: Story, pr: number): Promise<string | null> => {
  const runs = await runsOf(q, pr);
  const run = runs.findLast(
    ({ run: { candidate, state } }) => candidate !== null && state === 'testing',
  )?.run;
  return run === undefined ? null : contentUnderTest(q, run);
};

export const contentUnderTest = (q: Story, { candidate }: RunView['run']): string | null => {
  if (candidate === null) return null;
  const content = q.world.contentOf(candidate.commit);
  const running = q.world.checks().filter(({ isRunning }) => isRunning);
  return running.some(({ commit }) => q.world.contentOf(commit) === content) ? content : null;
};

/** The pull requests that a sentence names. */
export const named = (text: string): readonly number[] =>
  [...text.matchAll(/#(\d+)/g)].map(([, number]) => Number(number));

/** The state and the wait of a pull request, for the message of a failed claim. */
export const statusOf = (q: Story, pr: number): string => {
  const view = viewOf(q, pr);
  const { state, reason } = view?.submission ?? { state: 'unknown', reason: null };
  return `#${pr} is ${state} (${reason}): ${view?.waiting?.sentence ?? ''} >> ${view?.waiting?.remedy ?? ''}`;
};

/** Advances the clock to this instant. */
export const waitsUntil = async (q: Story, at: number): Promise<void> => {
  const seconds = Math.ceil((at - q.world.clock.now()) / 1_000);
  await q.after(`${Math.max(1, seconds)}s`);
};

export const isInRun = async (q: Story, pr: number): Promise<boolean> => (await runsOf(q, pr)).length > 0;
