import type { Draft } from '../decide/draft/draft.js';
import { lineOf } from '../decide/line/line.js';
import type { Instant, SubmissionId } from '../model/ids.js';
import { targetsAt } from '../model/impacted-targets.js';
import { readinessOf } from '../model/readiness.js';
import { isLive, type Submission } from '../model/submission.js';
import { CAUSES_LIMIT, type Cause, type SubmissionView, type Waiting } from '../model/view.js';
import { waits } from '../model/waits.js';
import { causesOf } from './causes.js';
import type { Explained } from './explained.js';
import { aboutToDecide, frozenBesides, hostTrouble, pausedBesides, untilHostAnswers } from './gates.js';
import { NO_DEADLINE } from './under-test.js';
import { runOf, timeOf } from './words.js';

/** A submission with everything that depends on its neighbours and on the hour. */
export const viewOf = (draft: Draft, submission: Submission): SubmissionView => ({
  submission,
  readiness: readinessOf(draft.queue, submission, targetsAt(draft.targets(submission.pr), submission.head)),
  runId: isLive(submission) ? (draft.runsOf(submission).at(-1)?.id ?? null) : null,
  waiting: explain(draft, submission),
});

/** Why it is not further on: the whole chain of causes, and what would change it. Null in terminal states. */
export const explain = (draft: Draft, submission: Submission): Waiting | null => {
  if (!isLive(submission)) return null;
  const chain = chainOf(draft, submission);
  const [nearest = aboutToDecide(submission)] = chain;
  const somebodys = chain.find(({ code }) => waits[code].chain === 'needs_somebody');
  const untilAt = chain.find((told) => told.untilAt !== null)?.untilAt ?? null;
  let { sentence } = nearest;
  for (const told of chain)
    if (told !== nearest && (told === somebodys || isOfTheWholeQueue(told))) sentence += ` ${told.sentence}`;
  return {
    code: nearest.code,
    sentence,
    behindPr: behindOf(chain, submission),
    untilAt,
    causes: chain.map(causeOf),
    remedy: somebodys?.remedy ?? remedyInTime(draft, chain, nearest, untilAt),
  };
};

/** Nothing lands before it is over. */
const isOfTheWholeQueue = ({ code }: Explained): boolean =>
  code === 'host_trouble' || code === 'queue_held' || code === 'queue_paused' || code === 'queue_frozen';

/** Where nobody has to act: that of the nearest cause, with the time by which the next step comes, or why none is set, unless it tells that. */
const remedyInTime = (
  draft: Draft,
  chain: readonly Explained[],
  nearest: Explained,
  next: Instant | null,
): string => {
  if (next === null) return nearest.remedy + withoutDeadline(chain, nearest);
  const time = timeTold(draft, next);
  if (nearest.remedy.includes(time)) return nearest.remedy;
  return `${nearest.remedy} The next step comes at ${time} at the latest.`;
};

/** Most of those who wait wait for the same run. */
const timeTold = (draft: Draft, at: Instant): string => {
  const told = draft.memo('times told', () => new Map<Instant, string>());
  const known = told.get(at);
  if (known !== undefined) return known;
  const time = timeOf(at);
  told.set(at, time);
  return time;
};

const withoutDeadline = (chain: readonly Explained[], nearest: Explained): string => {
  const run = chain.find(({ remedy }) => remedy.includes(NO_DEADLINE))?.runId ?? null;
  return run === null || nearest.remedy.includes(NO_DEADLINE) ? '' : ` Run ${runOf(run)} ${NO_DEADLINE}.`;
};

/**
 * From its own wait to that of whoever is the reason for it, and so on, to something that is nobody else's wait. Where
 * those wait for each other, one of them waits for something besides, and that is the end.
 */
const chainOf = (draft: Draft, submission: Submission): readonly Explained[] => {
  const told: Explained[] = [];
  let seen: Set<SubmissionId> | null = null;
  let skipped: readonly Explained[] = [];
  let besides: readonly Explained[] = [];
  let next: Submission | undefined = submission;
  while (next !== undefined) {
    const { causes, because, otherwise } = causesOf(draft, next);
    skipped = told.length + causes.length > CAUSES_LIMIT - ROOM_FOR_THE_END ? causes : [];
    if (skipped.length === 0) told.push(...causes);
    if (besides.length === 0 || otherwise.some(isOfSubstance)) besides = otherwise;
    if (because.length > 0) seen = (seen ?? new Set<SubmissionId>()).add(next.id);
    next = because.find(({ id }) => seen?.has(id) !== true);
    if (next === undefined) told.push(...skipped, ...(because.length === 0 ? [] : besides));
  }
  const trouble = hostTrouble(draft, told);
  const timed = trouble === null ? told : [...told.map(untilHostAnswers), trouble];
  const whole = timed.concat(pausedBesides(draft, told), frozenBesides(draft, submission, told));
  return withoutRepeats(whole).slice(0, CAUSES_LIMIT);
};

/** Each sentence once: at the end where it ends the chain, else in the place of the first. Most chains repeat nothing. */
const withoutRepeats = (told: readonly Explained[]): readonly Explained[] => {
  const isRepeated = ({ sentence }: Explained, at: number): boolean =>
    told.findIndex((one) => one.sentence === sentence) < at;
  if (!told.some(isRepeated)) return told;
  const [nearest, end] = [told[0], told.at(-1)];
  const early = told.filter((one) => one === nearest || one.sentence !== end?.sentence);
  return [...new Map([...early, ...told.slice(-1)].map((one) => [one.sentence, one])).values()];
};

const isOfSubstance = ({ code }: Explained): boolean => code !== 'decision';

/** What the last step and its end may add. */
const ROOM_FOR_THE_END = 6;

const behindOf = (chain: readonly Explained[], { pr }: Submission): number | null =>
  chain.find((cause) => waits[cause.code].chain === 'goes_on' && cause.pr !== null && cause.pr !== pr)?.pr ??
  null;

const causeOf = ({ code, sentence, pr, runId, checks, untilAt }: Explained): Cause => ({
  code,
  sentence,
  pr,
  runId,
  checks,
  untilAt,
});

const isPending = ({ state }: Submission): boolean => state === 'pending';

/** The line as people are shown it: under test first, then waiting; and those that have not entered it. */
export const queueOrder = (
  draft: Draft,
): { enqueued: readonly Submission[]; notReady: readonly Submission[] } => ({
  enqueued: [...lineOf(draft)].sort((one, other) => Number(isPending(one)) - Number(isPending(other))),
  notReady: draft
    .liveSubmissions()
    .filter((submission) => submission.state === 'not_ready')
    .sort((one, other) => one.submittedAt - other.submittedAt || one.pr - other.pr),
});
