import type { Schemas } from '../command.js';
import { priorityText } from './priority.js';

type Enqueued = Schemas['EnqueuedPullRequest'];

/** A pull request that is before another in the queue, and why. */
export interface Ahead {
  readonly prNumber: number;
  readonly why: string;
}

const AHEAD_LIMIT = 10;
const underTest: ReadonlySet<string> = new Set(['testing', 'tests_passed', 'pending_failure']);

/** Why one pull request comes before another in the order of the queue. */
const whyBefore = (one: Enqueued, other: Enqueued): string => {
  if (one.skipTheLine && !other.skipTheLine) return 'urgent';
  if (underTest.has(one.state) && !underTest.has(other.state)) return 'under test already';
  return one.priorityValue < other.priorityValue ? `priority ${priorityText(one)}` : 'came earlier';
};

/** The pull requests before this one in the order of the queue, first to merge first. */
export const aheadOf = (prNumber: number, enqueued: readonly Enqueued[]): readonly Ahead[] => {
  const index = enqueued.findIndex((one) => one.prNumber === prNumber);
  const [own] = enqueued.slice(index === -1 ? enqueued.length : index);
  if (own === undefined) return [];
  return enqueued.slice(0, index).map((one) => ({ prNumber: one.prNumber, why: whyBefore(one, own) }));
};

/** "#8 and #9 (under test already), #13 (priority medium 12)". */
export const aheadLine = ({ ahead }: { readonly ahead: readonly Ahead[] }): readonly string[] => {
  if (ahead.length === 0) return [];
  const groups: { why: string; prs: number[] }[] = [];
  for (const { prNumber, why } of ahead.slice(0, AHEAD_LIMIT)) {
    const last = groups.at(-1);
    if (last?.why === why) last.prs.push(prNumber);
    else groups.push({ why, prs: [prNumber] });
  }
  const texts = groups.map(({ why, prs }) => `${prs.map((pr) => `#${pr}`).join(', ')} (${why})`);
  const more = ahead.length > AHEAD_LIMIT ? `, and ${ahead.length - AHEAD_LIMIT} more` : '';
  return [`Before it in the queue: ${texts.join(', ')}${more}.`];
};
