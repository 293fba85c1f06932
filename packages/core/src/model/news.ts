import { FRESH_MS, type Queue } from './queue.js';
import { hasFailed, type Run } from './run.js';
import { isSameRow } from './same.js';
import { isAdmitted, type Submission } from './submission.js';

/** What rules read of the queue's own row, besides the target. */
const ruledBy: readonly (keyof Queue)[] = ['settings', 'nextMode', 'wanted', 'tipTrust', 'landing'];

const lineRuledBy: readonly (keyof Queue)[] = ['settings', 'nextMode', 'wanted', 'landing'];

/** Whether a change of the queue's own row is one that rules, or the line, have to look at. */
export const newsOf = (before: Queue, patch: Partial<Queue>): { forRules: boolean; forLine: boolean } => {
  const isNews = (key: keyof Queue) => key in patch && patch[key] !== before[key];
  const isOfTarget = patch.target !== undefined && isNewsOfTarget(before, patch.target);
  return { forRules: isOfTarget || ruledBy.some(isNews), forLine: lineRuledBy.some(isNews) };
};

/** That it was read again is news only where nobody began on a tip that was read too long ago. */
const isNewsOfTarget = ({ decidedAt, target: before }: Queue, after: Queue['target']): boolean => {
  if (before === after) return false;
  const wasStale = before.readAt === null || after.readAt === null || decidedAt - before.readAt > FRESH_MS;
  return wasStale || !isSameRow(before, after, ['readAt']);
};

/** What decides where one stands, whether it may be built on, and what it is. */
const lineKeys = [
  'attempt',
  'head',
  'place',
  'priority',
  'skipTheLine',
  'admittedAt',
  'heldBy',
  'asideSince',
  'retryAt',
] as const satisfies (keyof Submission)[];

export const isElsewhereInLine = (
  before: Submission | undefined,
  after: Submission,
  isIsolating: boolean,
): boolean => {
  if (before === undefined) return true;
  if (before.state !== after.state) {
    const [from, to] = [before.state, after.state];
    if (!isAdmitted(before) || !isAdmitted(after)) return true;
    if (from === 'pending_failure' || to === 'pending_failure' || isIsolating) return true;
  }
  return lineKeys.some((key) => before[key] !== after[key]);
};

/** Failed runs and batches that are looked into decide who is built on. */
export const tellsOfLine = (run: Run | undefined): boolean =>
  run !== undefined && (run.isolation !== null || hasFailed(run));

/** What a run has besides its tests: a change of it is one that other rules than those of the tests look at. */
const runKeys = [
  'closedAt',
  'onto',
  'landed',
  'beside',
  'overtakenBy',
  'isolation',
  'witnesses',
] as const satisfies (keyof Run)[];

/** True where a run was under way, and still is: its trial was built, tests were begun, or more is known of them. */
export const isOnlyFurther = (before: Run, after: Run): boolean =>
  before.state !== 'ended' && after.state !== 'ended' && runKeys.every((key) => before[key] === after[key]);
