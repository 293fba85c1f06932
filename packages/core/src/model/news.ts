import { type Queue, TIP_FRESH_MS } from './queue.js';
import { hasFailed, type Run } from './run.js';
import { isSameRow, isSameWithin } from './same.js';
import { isAdmitted, type Submission } from './submission.js';

/**
 * Who has to look again when a field of the queue's own row changes: the rules, these and whoever asks for the line, or
 * nobody. Whether the target is news is a matter of what has changed of it.
 */
const concerns = {
  id: 'nobody',
  repo: 'nobody',
  branch: 'nobody',
  settings: 'line',
  settingsVersion: 'nobody',
  wanted: 'line',
  cancelsPending: 'rules',
  isBisectionConcurrencySet: 'nobody',
  statusReason: 'rules',
  askedFor: 'nobody',
  nextMode: 'line',
  lastBeforeParallel: 'rules',
  goneFrom: 'nobody',
  tipTrust: 'rules',
  groundTrust: 'rules',
  isTipInDoubt: 'rules',
  machineryTrouble: 'rules',
  landing: 'line',
  landAfter: 'rules',
  landsSingly: 'rules',
  polls: 'nobody',
  hostTrouble: 'rules',
  standstills: 'rules',
  movingBase: 'rules',
  testDurations: 'nobody',
  refusedLanding: 'rules',
  notUnderstood: 'nobody',
  reportedChecks: 'nobody',
  lastSuccesses: 'nobody',
  lastPlace: 'nobody',
  receipts: 'nobody',
  sequence: 'nobody',
  createdAt: 'nobody',
  createdBy: 'nobody',
  decidedAt: 'nobody',
  deletedAt: 'rules',
} as const satisfies Readonly<Record<Exclude<keyof Queue, 'target'>, 'line' | 'rules' | 'nobody'>>;

/** Fields of which no change is news to anybody. */
export type QuietField = {
  [Field in keyof typeof concerns]: (typeof concerns)[Field] extends 'nobody' ? Field : never;
}[keyof typeof concerns];

/** Whether a change of the queue's own row is one that rules, or the line, have to look at. */
export const newsOf = (before: Queue, patch: Partial<Queue>): { forRules: boolean; forLine: boolean } => {
  let forRules = patch.target !== undefined && isNewsOfTarget(before, patch.target);
  let forLine = false;
  for (const key of keysOf(patch)) {
    if (key === 'target' || patch[key] === before[key] || concerns[key] === 'nobody') continue;
    forRules = true;
    if (concerns[key] === 'line') forLine = true;
  }
  return { forRules, forLine };
};

const keysOf = <Row extends object>(row: Row) => Object.keys(row) as (keyof Row)[];

/** That it was read again is news only where nobody began on a tip that was read too long ago. */
const isNewsOfTarget = (
  { decidedAt, target: before, movingBase }: Queue,
  after: Queue['target'],
): boolean => {
  if (before === after) return false;
  // Whether it has been still for a while shows only by reading it again.
  if ((movingBase?.rebuilds ?? 0) > 0) return true;
  const wasStale =
    before.readAt === null || after.readAt === null || decidedAt - before.readAt > TIP_FRESH_MS;
  return wasStale || !isSameRow(before, after, 'readAt');
};

/** What decides where one stands, whether it may be built on, and what it is. Its state does so only in part. */
const isOfLine: Readonly<Record<Exclude<keyof Submission, 'state'>, boolean>> = {
  id: true,
  pr: true,
  attempt: true,
  head: true,
  place: true,
  priority: true,
  skipTheLine: true,
  submittedAt: true,
  submittedRank: true,
  admittedAt: true,
  admittedRank: true,
  heldBy: true,
  asideSince: true,
  retryAt: true,
  stateSince: false,
  reason: false,
  reasonDetail: false,
  submittedBy: false,
  wasIncomplete: false,
  pull: false,
  noBatch: false,
  forceEnqueued: false,
  batch: false,
  goesWithUrgent: true,
  begunAt: false,
  alone: false,
  suspectedBy: false,
  suspectedDetail: false,
  suspectedChecks: false,
  isRepeated: false,
  reruns: false,
  missingSince: false,
  isGone: false,
  fault: true,
  message: false,
  retries: false,
  timesPutOff: false,
  refusedLandings: false,
  failedRunId: false,
  landed: false,
  verifiedBy: false,
};

/** Of a row that was patched, only what is of these fields is compared. */
export const isElsewhereInLine = (
  before: Submission | undefined,
  after: Submission,
  isIsolating: boolean,
  patched: readonly (keyof Submission)[] = lineKeys,
): boolean => {
  if (before === undefined) return true;
  if (before.state !== after.state) {
    const [from, to] = [before.state, after.state];
    if (!isAdmitted(before) || !isAdmitted(after)) return true;
    if (from === 'pending_failure' || to === 'pending_failure' || isIsolating) return true;
  }
  for (const key of patched)
    if (key !== 'state' && isOfLine[key] && !isSameWithin(before[key], after[key])) return true;
  return false;
};

const lineKeys = keysOf(isOfLine).filter((key) => isOfLine[key]);

/** Failed runs and batches that are looked into decide who is built on. */
export const tellsOfLine = (run: Run | undefined): boolean =>
  run !== undefined && (run.isolation !== null || hasFailed(run));

/** What the tests of a run bring. All else that it has is read by other rules than those of the tests. */
const isOfTests: Readonly<Record<Exclude<keyof Run, 'state'>, boolean>> = {
  trial: true,
  checks: true,
  known: true,
  startedChecks: true,
  testingSince: true,
  checksReadAt: true,
  rerunSince: true,
  deadlineAt: true,
  expired: true,
  building: true,
  starting: true,
  id: false,
  purpose: false,
  batch: false,
  stack: false,
  without: false,
  base: false,
  onto: false,
  landed: false,
  beside: false,
  overtakenBy: false,
  isOvertakerKnown: false,
  isTrialKept: false,
  isDirect: false,
  method: false,
  outcome: false,
  decidedBy: false,
  failure: false,
  requiredChecks: false,
  createdAt: false,
  endedAt: false,
  closedAt: false,
  closedBecause: false,
  witnesses: false,
  isolation: false,
};
const keysOfOthers = keysOf(isOfTests).filter((key) => !isOfTests[key]);

/** True where a run was under way, and still is: its trial was built, tests were begun, or more is known of them. */
export const isOnlyFurther = (
  before: Run,
  after: Run,
  patched: readonly (keyof Run)[] = keysOfOthers,
): boolean => {
  if (before.state === 'ended' || after.state === 'ended') return false;
  for (const key of patched)
    if (key !== 'state' && !isOfTests[key] && before[key] !== after[key]) return false;
  return true;
};
