import type { EffectId } from '../../model/ids.js';
import type { Command, EffectDelayed, Fact, Input, Noticed } from '../../model/input.js';
import { HOST_TROUBLES_LIMIT, type HostTrouble } from '../../model/queue.js';
import type { Draft } from '../draft/draft.js';
import { commandedRow } from '../draft/history-rows.js';
import { pauseFor } from '../moves/pause.js';
import { askSoon, setPoll, topics } from '../moves/polls.js';
import { noteHold } from '../moves/standstill.js';
import { cancel } from './commands/cancel.js';
import { configure } from './commands/configure.js';
import { deleteQueue } from './commands/delete-queue.js';
import { restartTests } from './commands/restart-tests.js';
import type { AppliedCommand } from './commands/results.js';
import { refused } from './commands/results.js';
import { setImpactedTargets } from './commands/set-impacted-targets.js';
import { submit } from './commands/submit.js';
import { applyBranchRead } from './facts/branch.js';
import { applyCandidateBuilt } from './facts/candidate.js';
import { applyChecksRead, applyChecksStarted, applyEffectFailed } from './facts/checks.js';
import { applyLandFinished } from './facts/land.js';
import { applyPullRequestsRead } from './facts/pull-requests.js';

const commandTypes = new Set<string>([
  'submit',
  'cancel',
  'restart_tests',
  'set_impacted_targets',
  'configure',
  'delete_queue',
] satisfies Command['type'][]);

export const isCommand = (input: Input): input is Command => commandTypes.has(input.type);

/**
 * Applies a command at once, or refuses it without a change. Its history row comes before the rows of its
 * consequences.
 */
export const applyCommand = (draft: Draft, command: Command): AppliedCommand => {
  if (draft.queue.deletedAt !== null)
    return refused('QUEUE_NOT_FOUND', 'The queue was deleted in the meantime.');
  const before = draft.history.count;
  const applied = applyOne(draft, command);
  if (applied.ok && command.type !== 'configure') draft.record(commandedRow(command), before);
  return applied;
};

const applyOne = (draft: Draft, command: Command): AppliedCommand => {
  switch (command.type) {
    case 'submit':
      return submit(draft, command);
    case 'cancel':
      return cancel(draft, command);
    case 'restart_tests':
      return restartTests(draft, command);
    case 'set_impacted_targets':
      return setImpactedTargets(draft, command);
    case 'configure':
      return configure(draft, command);
    case 'delete_queue':
      return deleteQueue(draft);
  }
};

/** Applies a fact. Facts are never refused; a stale or repeated fact changes nothing. */
export const applyFact = (draft: Draft, fact: Fact): void => {
  noteHostTrouble(draft, fact);
  switch (fact.type) {
    case 'pull_requests_seen':
      return applyPullRequestsRead(draft, fact);
    case 'branch_seen':
      return applyBranchRead(draft, fact);
    case 'candidate_built':
      return applyCandidateBuilt(draft, fact);
    case 'checks_started':
      return applyChecksStarted(draft, fact);
    case 'checks_seen':
      return applyChecksRead(draft, fact);
    case 'land_finished':
      return applyLandFinished(draft, fact);
    case 'effect_failed':
      return applyEffectFailed(draft, fact);
    case 'effect_delayed':
      return applyEffectDelayed(draft, fact);
    case 'noticed':
      return applyHint(draft, fact);
  }
};

/** Max pull requests that are read one by one because of hints. Beyond it, all are read. */
export const NOTICED_LIMIT = 100;

const applyHint = (draft: Draft, { what, pr }: Noticed): void => {
  if (what === 'pull_requests' && pr !== undefined && noteHintedPull(draft, pr)) return;
  if (what === 'branch') draft.changeQueue({ isTipInDoubt: true });
  askSoon(draft, hintedTopic[what]);
  setPoll(draft, hintedTopic[what], { isHinted: true });
};

/** False if so many have changed that all are read. */
const noteHintedPull = (draft: Draft, pr: number): boolean => {
  if (draft.liveSubmission(pr) === undefined) return true;
  const { noticed: before = [] } = draft.queue.polls.pullRequests;
  const after = [...new Set([...before, pr])];
  if (after.length > NOTICED_LIMIT) return false;
  setPoll(draft, 'pullRequests', { noticed: after });
  return true;
};

export const hintedTopic = { branch: 'branch', pull_requests: 'pullRequests', checks: 'checks' } as const;

/** A host failure is over once the host has answered the same effect. The oldest open failure is shown. */
const noteHostTrouble = (draft: Draft, fact: Fact): void => {
  if (fact.type === 'noticed') return;
  const troubles = unansweredTroubles(draft);
  const openTroubles = new Map([...troubles].filter(([id]) => isAwaited(draft, id)));
  if (fact.type === 'effect_delayed' && isAwaited(draft, fact.effectId)) {
    const { effectId, message, reach } = fact;
    const since = openTroubles.get(effectId)?.since ?? draft.now;
    openTroubles.set(effectId, { effectId, message, since, ...(reach === undefined ? {} : { reach }) });
  } else if (!openTroubles.delete(fact.effectId) && openTroubles.size === troubles.size) return;
  const [oldest = null, ...later] = [...openTroubles.values()].slice(0, HOST_TROUBLES_LIMIT);
  draft.changeQueue({ hostTrouble: oldest && later.length > 0 ? { ...oldest, later } : oldest });
  noteHold(draft);
};

/** False for an effect that was withdrawn or whose answer is not needed: no answer would ever end its trouble. */
const isAwaited = (draft: Draft, id: EffectId): boolean =>
  topics.some((topic) => draft.queue.polls[topic].asked === id) ||
  draft.queue.landing?.effectId === id ||
  draft.openRuns().some(({ building, starting }) => building === id || starting === id);

/**
 * Pauses the queue if the repository is gone. A single answer may be wrong, so the same read has to fail twice in a
 * row.
 */
const applyEffectDelayed = (draft: Draft, { effectId, message, reach, tries = 0 }: EffectDelayed): void => {
  const isRead = topics.some((topic) => draft.queue.polls[topic].asked === effectId);
  if (reach !== 'repository' || tries < 2 || !isRead) return;
  if (draft.queue.wanted === 'paused' && draft.queue.statusReason?.code === 'REPOSITORY_GONE') return;
  const { owner, name } = draft.queue.repo;
  pauseFor(draft, 'REPOSITORY_GONE', `The code host has no repository ${owner}/${name} any more: ${message}`);
};

/** Failed effects that the host has not answered since, oldest first. */
const unansweredTroubles = ({ queue: { hostTrouble } }: Draft): Map<EffectId, HostTrouble> => {
  if (hostTrouble === null) return new Map();
  const { later = [], ...oldest } = hostTrouble;
  return new Map([oldest, ...later].map((one) => [one.effectId, one]));
};
