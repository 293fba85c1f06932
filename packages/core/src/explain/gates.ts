import type { Draft } from '../decide/draft/draft.js';
import { isUnsettled } from '../decide/entry/switch-mode.js';
import { passedFromTheFront } from '../decide/landing/land.js';
import { actorName } from '../model/actor.js';
import { gateOf, type HoldCode, landingHolds, mayBegin, mayLand, mayTest } from '../model/gates.js';
import type { EffectId } from '../model/ids.js';
import { heldByTrouble, NO_REASON, type Queue, type StatusReason } from '../model/queue.js';
import { neverReported } from '../model/required-checks.js';
import type { QueueSettings } from '../model/settings.js';
import type { Submission } from '../model/submission.js';
import type { WaitCode, WaitValues } from '../model/waits.js';
import { type ChainStep, causeOf, type ExplainedCause, endOfChain } from './chain-step.js';
import { checksOf, durationOf, prOf, prsOf, quoted, timeOf } from './phrases.js';

/** Why the queue itself starts no test of this pull request; null if it does. */
export const startGate = (draft: Draft, submission: Submission): ChainStep | null => {
  const status = gateOf(draft.queue);
  if (mayTest(status, draft, submission)) return null;
  // It has not started, and the state lets tests start: only a freeze is left.
  if (submission.place === null && mayBegin(status))
    return endOfChain(...holdsOf(draft, submission).filter(({ code }) => code === 'queue_frozen'));
  const gate = closedGate(draft, submission);
  const { wanted, nextMode } = draft.queue;
  if (wanted !== 'paused' || nextMode === null) return gate;
  // After the pause the queue changes its mode before tests start.
  return { ...gate, causes: [...gate.causes, switchingTo(draft, submission, nextMode)] };
};

export const landingGate = (draft: Draft, submission: Submission): ChainStep | null =>
  mayLand(gateOf(draft.queue)) ? held(draft, submission) : closedGate(draft, submission);

/** The wait for the end of the last hold to end; null without any. */
const held = (draft: Draft, submission: Submission): ChainStep | null => {
  const [last] = holdsOf(draft, submission);
  return last === undefined ? null : endOfChain(last);
};

const holdsOf = (draft: Draft, submission: Submission): readonly ExplainedCause[] =>
  landingHolds(draft, submission).map(({ code, untilAt }) => {
    const { freezeReason, freezeAllowsUrgent } = draft.queue.settings;
    const values: WaitValues<HoldCode> = {
      it: prOf(submission.pr),
      until: timeOf(untilAt),
      words: quoted(freezeReason, 'no reason was given'),
      except: freezeAllowsUrgent ? ', but for urgent pull requests' : '',
      urgent: freezeAllowsUrgent ? `, or make ${prOf(submission.pr)} urgent` : '',
    };
    return causeOf(code, values, { untilAt });
  });

export const closedGate = (draft: Draft, submission: Pick<Submission, 'pr'>): ChainStep => {
  const { queue } = draft;
  const hold = holding(draft);
  if (queue.wanted !== 'paused' && hold !== null) return endOfChain(hold);
  if (queue.wanted === 'paused') return endOfChain(...paused(queue, repairOfTip(draft)));
  if (queue.nextMode === null) return endOfChain(draining(queue));
  const change = switchingTo(draft, submission, queue.nextMode);
  // After the change of mode the queue is in the state that its owner set, which may start nothing either.
  const after = queue.wanted === 'draining' ? [draining(queue)] : [];
  return { causes: [change, ...after], waitsOf: unsettledIn(draft), fallback: [aboutToDecide(submission)] };
};

const unsettledIn = (draft: Draft): readonly Submission[] =>
  draft.memo('unsettled', () => draft.liveSubmissions().filter((one) => isUnsettled(draft, one)));

const switchingTo = (
  draft: Draft,
  { pr }: Pick<Submission, 'pr'>,
  next: QueueSettings['mode'],
): ExplainedCause => {
  const unsettled = unsettledIn(draft);
  const members = unsettled.length === 0 ? 'nothing is left' : prsOf(unsettled);
  const values = { it: prOf(pr), mode: draft.queue.settings.mode, next, members };
  return causeOf('queue_switching_modes', values, { pr: unsettled[0]?.pr ?? null });
};

/** Why the queue is paused. If it paused by itself, also the state that its owner had set before. */
const paused = (queue: Reasoned, tipRepair: string): readonly ExplainedCause[] => {
  const { askedFor, createdAt } = queue;
  const pause = causeOf('queue_paused', { ...statusReasonOf(queue), repair: repairOf(queue, tipRepair) });
  if (askedFor === null) return [pause];
  const requested = { statusReason: askedFor.statusReason, createdAt, askedFor: null };
  return [pause, ...(askedFor.wanted === 'draining' ? [draining(requested)] : paused(requested, tipRepair))];
};

const draining = (queue: Reasoned): ExplainedCause => causeOf('queue_draining', statusReasonOf(queue));

type Reasoned = Pick<Queue, 'statusReason' | 'createdAt' | 'askedFor'>;

const reasonGiven = (given: StatusReason | null): string | null =>
  given === null || given.sentence === NO_REASON ? null : given.sentence;

const statusReasonOf = ({ statusReason, createdAt }: Reasoned) => ({
  since: timeOf(statusReason?.at ?? createdAt),
  actor: quoted(statusReason === null ? null : actorName(statusReason.actor), 'a user'),
  words: quoted(reasonGiven(statusReason), 'no reason was given'),
});

/** Further causes that end by time alone. Without a time: their end alone brings no next step. */
export const holdsBesides = (
  draft: Draft,
  submission: Submission,
  chain: readonly ExplainedCause[],
): readonly ExplainedCause[] =>
  chain.some(({ code }) => code === 'landing')
    ? []
    : holdsOf(draft, submission)
        .filter((hold) => !chain.some(({ code }) => code === hold.code))
        .map((hold) => ({ ...hold, untilAt: null }));

/**
 * The pause as a further cause: a paused queue lands nothing. Empty if the chain contains it, or has nothing else to
 * wait for.
 */
export const pausedBesides = (draft: Draft, chain: readonly ExplainedCause[]): readonly ExplainedCause[] => {
  const { queue } = draft;
  if (queue.wanted !== 'paused') return [];
  return chain.some(({ code }) => needsNoPause.has(code)) ? [] : paused(queue, repairOfTip(draft));
};

const needsNoPause: ReadonlySet<WaitCode> = new Set(['queue_paused', 'decision', 'landing']);

const repairs: Readonly<Record<StatusReason['code'], string>> = {
  ASKED_FOR: 'Set the queue running when the reason for the pause is gone',
  BASE_BROKEN: 'Fix the target branch',
  HOST_REFUSED: 'Fix what the code host objects to',
  REPOSITORY_GONE: 'Restore the repository, or create a queue for its new location',
  TREE_MISMATCH: 'Find out why something other than the tested commit was merged, or only a part of it',
  POISONED_INPUT: 'Report what the alarm names to the operator of the service',
};

/** How to return to the state that the owner had set. */
const returns = {
  running: 'then set the queue running',
  draining: 'then set the queue back to draining',
  paused: 'and set the queue running when the earlier reason for a pause is gone too',
} as const;

const repairOf = ({ statusReason, askedFor }: Reasoned, tipRepair: string): string => {
  const code = statusReason?.code ?? 'ASKED_FOR';
  if (code === 'ASKED_FOR') return repairs[code];
  const repair = code === 'BASE_BROKEN' ? tipRepair : repairs[code];
  return `${repair}, ${returns[askedFor?.wanted ?? 'running']}`;
};

/** Checks that the tip fails and that no test run has ever shown may never be reported, whatever is done to the target. */
const repairOfTip = (draft: Draft): string => {
  const { queue } = draft;
  const { head, fails } = queue.tipTrust;
  const never = head === queue.target.head ? neverReported(queue) : [];
  const unseen = never.filter((name) => fails.includes(name));
  if (unseen.length > 0 && unseen.length === fails.length) return `Have ${reported(unseen)}`;
  const repair = repairs.BASE_BROKEN + repairersPhrase(draft);
  return unseen.length === 0 ? repair : `${repair}, and have ${reported(unseen)}`;
};

/**
 * A pull request that passed on a broken target fixes it. An urgent one is tested as soon as the queue runs, and to its end even
 * if the queue is paused again meanwhile.
 */
const repairersPhrase = (draft: Draft): string => {
  const passed = draft.memo('passed from the front', () => passedFromTheFront(draft));
  if (passed.length === 0) return ' (push to it, or make the pull request with the fix urgent)';
  const [has, merge] = passed.length === 1 ? ['has', 'merges'] : ['have', 'merge'];
  const members = prsOf(passed.map(({ member }) => member));
  return ` (${members} ${has} passed on it, and ${merge} next once the queue runs)`;
};

const reported = (checks: readonly string[]): string =>
  `the CI report ${checksOf(checks)} for the commits that the queue tests, or remove ${checksOf(checks)} from the required checks`;

/** Nothing is missing: the next decision handles it. */
export const aboutToDecide = ({ pr }: Pick<Submission, 'pr'>): ExplainedCause =>
  causeOf('decision', { it: prOf(pr) }, { pr });

/**
 * The failure of the code host, while it lasts. Null if the queue is paused and nothing in the chain waits for an answer of the
 * host.
 */
export const hostTrouble = (
  { queue, now }: Draft,
  chain: readonly ExplainedCause[],
): ExplainedCause | null => {
  const { hostTrouble: trouble, wanted } = queue;
  if (trouble === null) return null;
  const hold = holding({ queue, now });
  if (hold !== null) return hold;
  if (wanted === 'paused' && !chain.some(({ code }) => isAnswerOfHost.has(code))) return null;
  const words = quoted(trouble.message, 'no reason was given');
  return causeOf('host_trouble', { words, age: durationOf(now - trouble.since) });
};

/** Why the queue is on hold by itself; null if it is not. */
const holding = ({ queue, now }: Pick<Draft, 'queue' | 'now'>): ExplainedCause | null => {
  const trouble = heldByTrouble(queue);
  if (trouble === null) return null;
  const words = quoted(trouble.message, 'no reason was given');
  const { owner, name } = queue.repo;
  return causeOf('queue_held', { words, age: durationOf(now - trouble.since), repo: `${owner}/${name}` });
};

/** Waits that an answer of the code host ends. */
const isAnswerOfHost: ReadonlySet<WaitCode> = new Set([
  'missing',
  'mergeability_unknown',
  'target_unread',
  'trial',
  'queued_checks',
  'checks',
  'landing',
  'composition',
]);

/** Waits that end at their time even if the code host does not answer. */
const isByTheClock: ReadonlySet<WaitCode> = new Set([
  'reopening',
  'base_branch',
  'target_branch',
  'ready_for_review',
  'impacted_targets',
  'mergeability_unknown',
  'mergeable',
]);

/** Removes the time of a wait that lasts until the code host answers again. */
export const untilHostAnswers = (cause: ExplainedCause): ExplainedCause =>
  isByTheClock.has(cause.code) ? cause : { ...cause, untilAt: null };

/** When the host is read next, as part of a sentence. */
export const nextAsked = ({ queue, now }: Draft, topic: keyof Queue['polls']): string => {
  const { asked, dueAt }: { asked: EffectId | null; dueAt: number } = queue.polls[topic];
  if (asked !== null) return 'now';
  return dueAt <= now ? 'with the next decision' : `at ${timeOf(dueAt)}`;
};
