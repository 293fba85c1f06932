import type { Draft } from '../decide/draft/draft.js';
import { lineOf } from '../decide/line/line.js';
import type { Instant, SubmissionId } from '../model/ids.js';
import { targetsAt } from '../model/impacted-targets.js';
import { readinessOf } from '../model/readiness.js';
import { isLive, type Submission } from '../model/submission.js';
import { CAUSES_LIMIT, type Cause, type SubmissionView, type Waiting } from '../model/view.js';
import { type Wait, type WaitCode, waits } from '../model/waits.js';
import { causesOf } from './causes.js';
import type { ExplainedCause } from './chain-step.js';
import { aboutToDecide, holdsBesides, hostTrouble, pausedBesides, untilHostAnswers } from './gates.js';
import { runOf, timeOf } from './phrases.js';
import { NO_DEADLINE } from './under-test.js';

/** A submission with everything that depends on the rest of the queue and on the time. */
export const viewOf = (draft: Draft, submission: Submission): SubmissionView => ({
  submission,
  readiness: readinessOf(draft.queue, submission, targetsAt(draft.targets(submission.pr), submission.head)),
  runId: isLive(submission) ? (draft.runsOf(submission).at(-1)?.id ?? null) : null,
  waiting: explain(draft, submission),
});

/** Why a pull request waits: the whole chain of causes, and the remedy. Null in terminal states. */
export const explain = (draft: Draft, submission: Submission): Waiting | null => {
  if (!isLive(submission)) return null;
  const chain = chainOf(draft, submission);
  const [nearest = aboutToDecide(submission)] = chain;
  const actionable = chain.find(({ code }) => waits[code].chain === 'needs_action');
  const untilAt = chain.find((cause) => cause.untilAt !== null)?.untilAt ?? null;
  let { sentence } = nearest;
  for (const cause of chain)
    if (cause !== nearest && (cause === actionable || blocksWholeQueue(cause)))
      sentence += ` ${cause.sentence}`;
  return {
    code: nearest.code,
    sentence,
    behindPr: behindOf(chain, submission),
    untilAt,
    causes: chain.map(withoutRemedy),
    remedy: actionable?.remedy ?? remedyInTime(draft, chain, nearest, untilAt),
  };
};

/** True for causes that keep every pull request of the queue from merging. */
const blocksWholeQueue = ({ code }: ExplainedCause): boolean => {
  const wait: Wait = waits[code];
  return wait.blocksQueue === true;
};

/**
 * The remedy of the nearest cause, for a chain without an action of a person. Adds the timeout or the time of the next
 * step, or that there is none, unless it contains that already.
 */
const remedyInTime = (
  draft: Draft,
  chain: readonly ExplainedCause[],
  nearest: ExplainedCause,
  next: Instant | null,
): string => {
  if (next === null) return nearest.remedy + withoutDeadline(chain, nearest);
  const time = cachedTimeOf(draft, next);
  if (nearest.remedy.includes(time)) return nearest.remedy;
  return isTimeout(chain, next)
    ? `${nearest.remedy} The test run that it waits for times out at ${time}.`
    : `${nearest.remedy} The next step comes by ${time}.`;
};

/** True if this time is the end of a test run that reaches no verdict. */
const isTimeout = (chain: readonly ExplainedCause[], at: Instant): boolean =>
  chain.some(({ code, untilAt }) => untilAt === at && hasTimeout.has(code));

const hasTimeout: ReadonlySet<WaitCode> = new Set(['checks', 'queued_checks', 'check_run_again']);

/** Formats each instant once per decision: most pull requests wait for the same test run. */
const cachedTimeOf = (draft: Draft, at: Instant): string => {
  const cache = draft.memo('formatted times', () => new Map<Instant, string>());
  const cached = cache.get(at);
  if (cached !== undefined) return cached;
  const time = timeOf(at);
  cache.set(at, time);
  return time;
};

const withoutDeadline = (chain: readonly ExplainedCause[], nearest: ExplainedCause): string => {
  const run = chain.find(({ remedy }) => remedy.includes(NO_DEADLINE))?.runId ?? null;
  return run === null || nearest.remedy.includes(NO_DEADLINE)
    ? ''
    : ` Test run ${runOf(run)} ${NO_DEADLINE}.`;
};

/**
 * Follows the wait of a pull request to the waits that cause it, up to a cause that is not the wait of another pull request.
 * If pull requests wait for each other, the chain ends with something else that one of them waits for.
 */
const chainOf = (draft: Draft, submission: Submission): readonly ExplainedCause[] => {
  const chain: ExplainedCause[] = [];
  let visited: Set<SubmissionId> | null = null;
  let skipped: readonly ExplainedCause[] = [];
  let besides: readonly ExplainedCause[] = [];
  let next: Submission | undefined = submission;
  while (next !== undefined) {
    const { causes, waitsOf, fallback } = causesOf(draft, next);
    skipped = chain.length + causes.length > CAUSES_LIMIT - ROOM_FOR_THE_END ? causes : [];
    if (skipped.length === 0) chain.push(...causes);
    if (besides.length === 0 || fallback.some(isInformative)) besides = fallback;
    if (waitsOf.length > 0) visited = (visited ?? new Set<SubmissionId>()).add(next.id);
    next = waitsOf.find(({ id }) => visited?.has(id) !== true);
    if (next === undefined) chain.push(...skipped, ...(waitsOf.length === 0 ? [] : besides));
  }
  const trouble = hostTrouble(draft, chain);
  const timed = trouble === null ? chain : [...chain.map(untilHostAnswers), trouble];
  const whole = timed.concat(pausedBesides(draft, chain), holdsBesides(draft, submission, chain));
  return withoutRepeats(whole).slice(0, CAUSES_LIMIT);
};

/** Removes repeated sentences. The last cause stays last; of others the first stays. */
const withoutRepeats = (chain: readonly ExplainedCause[]): readonly ExplainedCause[] => {
  const isRepeated = ({ sentence }: ExplainedCause, at: number): boolean =>
    chain.findIndex((one) => one.sentence === sentence) < at;
  if (!chain.some(isRepeated)) return chain;
  const [nearest, end] = [chain[0], chain.at(-1)];
  const early = chain.filter((one) => one === nearest || one.sentence !== end?.sentence);
  return [...new Map([...early, ...chain.slice(-1)].map((one) => [one.sentence, one])).values()];
};

const isInformative = ({ code }: ExplainedCause): boolean => code !== 'decision';

/** Causes that the last step may add. */
const ROOM_FOR_THE_END = 6;

const behindOf = (chain: readonly ExplainedCause[], { pr }: Submission): number | null =>
  chain.find((cause) => waits[cause.code].chain === 'goes_on' && cause.pr !== null && cause.pr !== pr)?.pr ??
  null;

const withoutRemedy = ({ code, sentence, pr, runId, checks, untilAt }: ExplainedCause): Cause => ({
  code,
  sentence,
  pr,
  runId,
  checks,
  untilAt,
});

const isPending = ({ state }: Submission): boolean => state === 'pending';

/** The queue as shown to users: pull requests under test first, then waiting ones; separately those that are not ready. */
export const queueOrder = (
  draft: Draft,
): { enqueued: readonly Submission[]; notReady: readonly Submission[] } => ({
  enqueued: [...lineOf(draft)].sort((one, other) => Number(isPending(one)) - Number(isPending(other))),
  notReady: draft
    .liveSubmissions()
    .filter((submission) => submission.state === 'not_ready')
    .sort((one, other) => one.submittedAt - other.submittedAt || one.pr - other.pr),
});
