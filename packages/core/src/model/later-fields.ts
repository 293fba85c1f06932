import type { Effect } from './effect.js';
import type { HistoryRow, Moved, RunChanged } from './history.js';
import { noTrust, type Polls, type Queue } from './queue.js';
import type { Run } from './run.js';
import { defaultSettings } from './settings.js';
import type { Submission } from './submission.js';

/**
 * Fields that rows of the first release do not have, each with what its absence means. A release that adds a field to a
 * row adds it here: rows are read with it from then on, and written with it when they are next written.
 */
type Later<Row> = { readonly [Field in keyof Row]?: (row: Row) => Row[Field] };

const ofSubmission: Later<Submission> = {
  // Within one millisecond they are told apart by their numbers, and all of them came before what has a rank.
  submittedRank: () => 0,
  admittedRank: ({ admittedAt }) => (admittedAt === null ? null : 0),
  wasIncomplete: () => true,
  // Everybody was tested alone: the place was its own.
  batch: ({ place }) => place,
  begunAt: ({ place, admittedAt }) => (place === null ? null : admittedAt),
  goesWithUrgent: () => false,
  alone: () => false,
  suspectedBy: () => null,
  suspectedDetail: () => null,
  timesPutOff: () => 0,
  refusedLandings: () => null,
  isGone: () => false,
};

const ofRun: Later<Run> = {
  purpose: () => ({ kind: 'test' }),
  isDirect: () => false,
  landed: (run) => run.stack.slice(0, landedCountOf(run)).map(({ pr }) => pr),
  beside: () => [],
  isTrialKept: () => true,
  overtakenBy: () => null,
  // It may have been any of those that landed beside it.
  isOvertakerKnown: () => false,
  witnesses: () => [],
  isolation: () => null,
};

/** What the first release wrote in place of `landed`: so many from the front of the stack. */
const landedCountOf = (run: Run): number => {
  const { landedCount = 0 }: { readonly landedCount?: number } = run as Run & { landedCount?: number };
  return landedCount;
};

const ofQueue: Later<Queue> = {
  askedFor: () => null,
  cancelsPending: () => false,
  isBisectionConcurrencySet: () => true,
  // It was a time before: whoever is there was submitted before it.
  lastBeforeParallel: (row) => ('parallelSince' in row && row.parallelSince !== null ? row.sequence : null),
  goneFrom: () => null,
  tipTrust: ({ target }) => noTrust(target.head),
  groundTrust: () => [],
  createdBy: () => null,
  isTipInDoubt: () => false,
  machineryTrouble: () => null,
  landAfter: () => null,
  standstills: () => [],
  movingBase: () => null,
  testDurations: () => [],
  refusedLanding: () => null,
  notUnderstood: () => [],
  reportedChecks: () => [],
};

const ofMove: Later<Moved> = { reasonBefore: () => null };
const ofRunChange: Later<RunChanged> = { purpose: () => 'test', isTested: () => true };

/** The row itself where nothing is absent: rows are compared by what they are. */
const withLater = <Row extends object>(row: Row, later: Later<Row>): Row => {
  let whole = row;
  for (const field of Object.keys(later) as (keyof Row)[])
    if (row[field] === undefined) whole = { ...whole, [field]: later[field]?.(row) };
  return whole;
};

export const submissionOfAnyRelease = (row: Submission): Submission => withLater(row, ofSubmission);

export const runOfAnyRelease = (row: Run): Run => withLater(row, ofRun);

/** Every question asked after all there was. */
const pollsInOnePart = ({ branch, pullRequests, checks }: Polls): Polls => ({
  branch: { ...branch, upTo: null },
  pullRequests: { ...pullRequests, upTo: null },
  checks: { ...checks, upTo: null },
});

export const queueOfAnyRelease = (row: Queue): Queue => {
  const queue = withLater(row, ofQueue);
  const { settings, landing } = queue;
  const isComplete = Object.keys(defaultSettings).every((key) => key in settings);
  const isVouched = landing === null || landing.members.every(({ verifiedBy }) => verifiedBy !== undefined);
  const { machineryTrouble: trouble } = queue;
  const isWholeTrouble = trouble === null || trouble.earlier !== undefined;
  const isWholePoll = queue.polls.pullRequests.upTo !== undefined;
  const isWholeTrust = queue.tipTrust.fails !== undefined;
  if (isComplete && isVouched && isWholePoll && isWholeTrouble && isWholeTrust) return queue;
  return {
    ...queue,
    tipTrust: isWholeTrust ? queue.tipTrust : { ...queue.tipTrust, fails: [] },
    machineryTrouble: isWholeTrouble ? trouble : { ...trouble, earlier: [] },
    polls: isWholePoll ? queue.polls : pollsInOnePart(queue.polls),
    settings: { ...defaultSettings, ...settings },
    landing:
      landing === null
        ? null
        : {
            ...landing,
            members: landing.members.map((one) => ({ ...one, verifiedBy: one.verifiedBy ?? landing.runId })),
          },
  };
};

export const historyOfAnyRelease = <Row extends HistoryRow>(row: Row): Row => {
  if (row.type === 'moved') return withLater(row as Moved, ofMove) as Row;
  return row.type === 'run' ? (withLater(row as RunChanged, ofRunChange) as Row) : row;
};

/** Year 9999: earlier releases set no bound to the dates of commits. */
const LATEST_INSTANT = 253_402_300_799_000;

export const effectOfAnyRelease = (effect: Effect): Effect =>
  effect.type === 'build_trial'
    ? withLater(effect, { isDirect: () => false, decidedAt: () => LATEST_INSTANT })
    : effect;
