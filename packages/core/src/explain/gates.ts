import type { Draft } from '../decide/draft/draft.js';
import { isUnsettled } from '../decide/entry/switch-mode.js';
import { passedFromTheFront } from '../decide/landing/land.js';
import { actorName } from '../model/actor.js';
import { frozenUntil, gateOf, mayBegin, mayLand, mayTest } from '../model/gates.js';
import type { EffectId } from '../model/ids.js';
import { heldByTrouble, NO_REASON, type Queue, type StatusReason } from '../model/queue.js';
import { neverReported } from '../model/required-checks.js';
import type { QueueSettings } from '../model/settings.js';
import type { Submission } from '../model/submission.js';
import type { WaitCode } from '../model/waits.js';
import { type Explained, endsWith, explained, type Step } from './explained.js';
import { checksOf, durationOf, prOf, prsOf, quoted, timeOf } from './words.js';

/** What of the queue itself keeps a test from being started. */
export const startGate = (draft: Draft, submission: Submission): Step | null => {
  const status = gateOf(draft.queue);
  if (mayTest(status, draft, submission)) return null;
  // Without a place, and with a state in which tests begin, only a freeze is in its way.
  if (submission.place === null && mayBegin(status)) return frozen(draft, submission);
  const gate = closedGate(draft, submission);
  const { wanted, nextMode } = draft.queue;
  if (wanted !== 'paused' || nextMode === null) return gate;
  // Once it goes on, it has to change its mode before anything starts.
  return { ...gate, causes: [...gate.causes, switchingTo(draft, submission, nextMode)] };
};

export const landingGate = (draft: Draft, submission: Submission): Step | null =>
  mayLand(gateOf(draft.queue)) ? frozen(draft, submission) : closedGate(draft, submission);

/** What a freeze keeps from being started or landed; null where none applies to it. */
const frozen = (draft: Draft, submission: Submission): Step | null => {
  const told = freezeOf(draft, submission);
  return told === null ? null : endsWith(told);
};

const freezeOf = (draft: Draft, submission: Submission): Explained | null => {
  const untilAt = frozenUntil(draft, submission);
  if (untilAt === null) return null;
  const { freezeReason, freezeAllowsUrgent } = draft.queue.settings;
  const values = {
    it: prOf(submission.pr),
    until: timeOf(untilAt),
    words: quoted(freezeReason, 'no reason was given'),
    except: freezeAllowsUrgent ? ', but for urgent pull requests' : '',
    urgent: freezeAllowsUrgent ? `, or make ${prOf(submission.pr)} urgent` : '',
  };
  return explained('queue_frozen', values, { untilAt });
};

export const closedGate = (draft: Draft, submission: Pick<Submission, 'pr'>): Step => {
  const { queue } = draft;
  const held = holding(draft);
  if (queue.wanted !== 'paused' && held !== null) return endsWith(held);
  if (queue.wanted === 'paused') return endsWith(...paused(queue, repairOfTip(draft)));
  if (queue.nextMode === null) return endsWith(draining(queue));
  const told = switchingTo(draft, submission, queue.nextMode);
  // Once it has another mode, it is what its owner asked for: then that keeps everybody from starting.
  const after = queue.wanted === 'draining' ? [draining(queue)] : [];
  return { causes: [told, ...after], because: unsettledIn(draft), otherwise: [aboutToDecide(submission)] };
};

const unsettledIn = (draft: Draft): readonly Submission[] =>
  draft.memo('unsettled', () => draft.liveSubmissions().filter((one) => isUnsettled(draft, one)));

const switchingTo = (
  draft: Draft,
  { pr }: Pick<Submission, 'pr'>,
  next: QueueSettings['mode'],
): Explained => {
  const unsettled = unsettledIn(draft);
  const members = unsettled.length === 0 ? 'nothing is left' : prsOf(unsettled);
  const values = { it: prOf(pr), mode: draft.queue.settings.mode, next, members };
  return explained('queue_switching_modes', values, { pr: unsettled[0]?.pr ?? null });
};

/** What the queue stands still for; where it has stopped by itself, also what its owner had asked for. */
const paused = (queue: Reasoned, tipRepair: string): readonly Explained[] => {
  const { askedFor, createdAt } = queue;
  const told = explained('queue_paused', { ...statusReasonOf(queue), repair: repairOf(queue, tipRepair) });
  if (askedFor === null) return [told];
  const asked = { statusReason: askedFor.statusReason, createdAt, askedFor: null };
  return [told, ...(askedFor.wanted === 'draining' ? [draining(asked)] : paused(asked, tipRepair))];
};

const draining = (queue: Reasoned): Explained => explained('queue_draining', statusReasonOf(queue));

type Reasoned = Pick<Queue, 'statusReason' | 'createdAt' | 'askedFor'>;

const reasonGiven = (given: StatusReason | null): string | null =>
  given === null || given.sentence === NO_REASON ? null : given.sentence;

const statusReasonOf = ({ statusReason, createdAt }: Reasoned) => ({
  since: timeOf(statusReason?.at ?? createdAt),
  actor: quoted(statusReason === null ? null : actorName(statusReason.actor), 'somebody'),
  words: quoted(reasonGiven(statusReason), 'no reason was given'),
});

/** The freeze that applies to it whatever else holds it up: no step of it comes by the end of that alone. */
export const frozenBesides = (
  draft: Draft,
  submission: Submission,
  told: readonly Explained[],
): readonly Explained[] => {
  const freeze = freezeOf(draft, submission);
  const isSaid = told.some(({ code }) => code === 'queue_frozen' || code === 'landing');
  return freeze === null || isSaid ? [] : [{ ...freeze, untilAt: null }];
};

/** Whatever holds one up, a paused queue lands nothing: nothing where that has been told, or nothing else is in the way. */
export const pausedBesides = (draft: Draft, told: readonly Explained[]): readonly Explained[] => {
  const { queue } = draft;
  if (queue.wanted !== 'paused') return [];
  return told.some(({ code }) => isToldWithoutPause.has(code)) ? [] : paused(queue, repairOfTip(draft));
};

const isToldWithoutPause: ReadonlySet<WaitCode> = new Set(['queue_paused', 'decision', 'landing']);

const repairs: Readonly<Record<StatusReason['code'], string>> = {
  ASKED_FOR: 'Set the queue running when what it was paused for is over',
  BASE_BROKEN: 'Repair the target branch',
  HOST_REFUSED: 'Change what the code host objects to',
  REPOSITORY_GONE: 'Restore the repository, or create a queue where it has moved to',
  TREE_MISMATCH:
    'Find out how it came that something else than what was tested was landed, or only a part of it',
  POISONED_INPUT: 'Report what the alarm names to whoever runs the service',
};

/** The state that the owner asked for is what the queue is to return to. */
const returns = {
  running: 'then set the queue running',
  draining: 'then set the queue draining, as it was',
  paused: 'and set the queue running when what it was paused for besides is over too',
} as const;

const repairOf = ({ statusReason, askedFor }: Reasoned, tipRepair: string): string => {
  const code = statusReason?.code ?? 'ASKED_FOR';
  if (code === 'ASKED_FOR') return repairs[code];
  const repair = code === 'BASE_BROKEN' ? tipRepair : repairs[code];
  return `${repair}, ${returns[askedFor?.wanted ?? 'running']}`;
};

/** What the tip fails, and no run has ever shown, nobody may ever report, whatever is done to the target. */
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
 * What has passed on a broken target passed what it fails: it is a repair of it. One that is urgent is tested as soon as the queue runs,
 * and to its end also where the queue stops again meanwhile.
 */
const repairersPhrase = (draft: Draft): string => {
  const passed = draft.memo('passed from the front', () => passedFromTheFront(draft));
  if (passed.length === 0) return ' (by a push to it, or by a pull request that you make urgent)';
  const [has, are] = passed.length === 1 ? ['has', 'is'] : ['have', 'are'];
  const members = prsOf(passed.map(({ member }) => member));
  return ` (${members} ${has} passed on it, and ${are} the next to land once the queue runs)`;
};

const reported = (checks: readonly string[]): string =>
  `the CI report ${checksOf(checks)} for the commits that the queue tests, or take ${checksOf(checks)} out of the required checks`;

/** Everything is as it has to be: the queue has only to decide. */
export const aboutToDecide = ({ pr }: Pick<Submission, 'pr'>): Explained =>
  explained('decision', { it: prOf(pr) }, { pr });

/**
 * What the code host has failed to do for as long as it has not done it. Who waits for a paused queue to go on, and for no
 * answer of the host, is not held up by that.
 */
export const hostTrouble = ({ queue, now }: Draft, told: readonly Explained[]): Explained | null => {
  const { hostTrouble: trouble, wanted } = queue;
  if (trouble === null) return null;
  const held = holding({ queue, now });
  if (held !== null) return held;
  if (wanted === 'paused' && !told.some(({ code }) => isAnswerOfHost.has(code))) return null;
  const words = quoted(trouble.message, 'no reason was given');
  return explained('host_trouble', { words, age: durationOf(now - trouble.since) });
};

/** Why the queue holds by itself, though its owner has it run; null while it does not. */
const holding = ({ queue, now }: Pick<Draft, 'queue' | 'now'>): Explained | null => {
  const trouble = heldByTrouble(queue);
  if (trouble === null) return null;
  const words = quoted(trouble.message, 'no reason was given');
  const { owner, name } = queue.repo;
  return explained('queue_held', { words, age: durationOf(now - trouble.since), repo: `${owner}/${name}` });
};

/** What ends by an answer of the code host. */
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

/** What is over at its time by the clock alone, also while the code host does not answer. */
const isByTheClock: ReadonlySet<WaitCode> = new Set([
  'reopening',
  'base_branch',
  'target_branch',
  'ready_for_review',
  'impacted_targets',
  'mergeability_unknown',
  'mergeable',
]);

/** When it is over hangs on when the code host answers again. */
export const untilHostAnswers = (told: Explained): Explained =>
  isByTheClock.has(told.code) ? told : { ...told, untilAt: null };

/** When a question to the host is put next: in words. */
export const nextAsked = ({ queue, now }: Draft, topic: keyof Queue['polls']): string => {
  const { asked, dueAt }: { asked: EffectId | null; dueAt: number } = queue.polls[topic];
  if (asked !== null) return 'at this moment';
  return dueAt <= now ? 'with the next decision' : `at ${timeOf(dueAt)}`;
};
