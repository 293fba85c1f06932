import { firstBatchSize, firstConcurrency } from '../../../model/adaptation.js';
import { freezeEndOf } from '../../../model/gates.js';
import type { Configure } from '../../../model/input.js';
import {
  isHalted,
  mentions,
  NO_REASON,
  type StatusReason,
  type WantedStatus,
  withNote,
} from '../../../model/queue.js';
import { overrideAsked, type StatusesAsked } from '../../../model/required-checks.js';
import type { QueueSettings } from '../../../model/settings.js';
import { settingsTagOf } from '../../../model/settings-tag.js';
import { withFreeze } from '../../../model/standstill.js';
import type { Draft } from '../../draft/draft.js';
import { unstamped } from '../../draft/history-rows.js';
import { resetDeadlines } from '../../entry/expire.js';
import { withdrawLanding } from '../../moves/landing.js';
import { doubtBeside } from '../../verdicts/after-landing.js';
import { lowerWitnessCount } from '../../verdicts/blame.js';
import { applyRulesRead } from '../facts/branch.js';
import { type AppliedCommand, accepted, refused, refusedSetting } from './results.js';

/** Changes settings and the wanted status. Another mode is entered later, once no test depends on the old one. */
export const configure = (draft: Draft, command: Configure): AppliedCommand => {
  if (command.rules !== undefined) applyRulesRead(draft, command.rules);
  const { queue } = draft;
  if (command.ifSettings?.includes(settingsTagOf(queue)) === false)
    return refused('SETTINGS_CHANGED', `The settings are at version ${queue.settingsVersion} now.`);
  const { mode, requiredStatuses: _, ...plain } = command.settings;
  const override = overrideAsked(queue, statusesOf(command));
  if (override.kind === 'fault') return refusedSetting(override.field, override.message);
  if (override.kind === 'unknown')
    return refused(
      'HOST_UNREACHABLE',
      'The required checks of the branch have not been read yet. Try again in a moment.',
    );
  const willDrain = (command.wanted ?? queue.wanted) === 'draining';
  if (command.cancelPending === true && !willDrain)
    return refusedSetting('cancelPending', 'needs the state "draining", in the request or in force');

  const requested = override.kind === 'set' ? { ...plain, requiredStatuses: override.names } : plain;
  const changed = changedSettings(queue.settings, requested);
  if (Object.keys(changed).length > 0)
    draft.changeQueue({
      settings: { ...queue.settings, ...changed },
      settingsVersion: queue.settingsVersion + 1,
    });
  // A landing was decided under the old settings, so it is withdrawn. A changed merge method withdraws it as stale.
  if ('requiredStatuses' in changed) withdrawLanding(draft);
  if ('trustForkTargets' in changed) doubtBeside(draft, () => true);
  if ('freezeUntil' in changed) freeze(draft);
  startAdapting(draft, changed);
  if ('testingTimeoutMinutes' in changed) resetDeadlines(draft);
  if ((changed.pendingFailureDepth ?? Number.POSITIVE_INFINITY) < queue.settings.pendingFailureDepth)
    lowerWitnessCount(draft);
  if ('mergeMethod' in changed) forgetMessages(draft);
  if (mode !== undefined) draft.changeQueue({ nextMode: mode === queue.settings.mode ? null : mode });
  setWantedStatus(draft, command);
  cancelPending(draft, command);
  if (plain.bisectionConcurrency !== undefined) draft.changeQueue({ isBisectionConcurrencySet: true });
  draft.record({
    ...unstamped,
    type: 'configured',
    actor: command.actor,
    settings: { ...changed, ...(mode === undefined ? {} : { mode }) },
    wanted: command.wanted,
  });
  return accepted(null);
};

const statusesOf = ({ settings, ...command }: Configure): StatusesAsked => ({
  names: settings.requiredStatuses,
  source: command.requiredStatusesSource,
  allowsNone: command.allowNoRequiredStatuses,
});

/** A landing waits for the end of the freeze, unless a performer may hold it. */
const freeze = (draft: Draft): void => {
  const { standstills, settings } = draft.queue;
  draft.changeQueue({ standstills: withFreeze(standstills, settings.freezeUntil, draft.now) });
  if (freezeEndOf(draft) !== null) withdrawLanding(draft);
};

const startAdapting = (draft: Draft, { autoConcurrency, autoBatching }: Partial<QueueSettings>): void =>
  draft.changeQueue({
    adaptation: {
      ...draft.queue.adaptation,
      ...(autoConcurrency ? firstConcurrency : {}),
      ...(autoBatching ? firstBatchSize : {}),
    },
  });

/** Applies only while the queue is draining. */
const cancelPending = (draft: Draft, command: Configure): void => {
  const { wanted, cancelsPending } = draft.queue;
  draft.changeQueue({ cancelsPending: wanted === 'draining' && (command.cancelPending ?? cancelsPending) });
};

/** Pull requests that have begun are rebuilt with a commit message for the new method. */
const forgetMessages = (draft: Draft): void => {
  for (const submission of [...draft.ordered('begun')]) draft.change(submission, { message: null });
};

/** Asking for the current status keeps the reason, unless another is given. */
const setWantedStatus = (draft: Draft, command: Configure): void => {
  const { queue } = draft;
  const { wanted, stateReason } = command;
  const next = wanted ?? queue.wanted;
  if (next === 'paused' && isHalted(queue)) return keepBesideOwnReason(draft, command);
  if (next === queue.wanted && (stateReason === null || stateReason === queue.statusReason?.sentence)) return;
  draft.changeQueue({ wanted: next, statusReason: reasonFor(draft, next, command), askedFor: null });
  if (next === 'paused') withdrawLanding(draft);
};

/**
 * Keeps the reason for which the queue has paused itself. The status and reason that a user asks for meanwhile are
 * stored beside it.
 */
const keepBesideOwnReason = (draft: Draft, command: Configure): void => {
  const { statusReason, askedFor } = draft.queue;
  const { stateReason } = command;
  if (stateReason !== null && statusReason !== null && mentions(statusReason, stateReason)) return;
  if (command.wanted === null && askedFor === null) return keepNote(draft, stateReason);
  const wanted = (command.wanted === null ? askedFor?.wanted : null) ?? 'paused';
  const isNew = stateReason !== null || askedFor?.wanted !== wanted;
  if (isNew) draft.changeQueue({ askedFor: { wanted, statusReason: reasonFor(draft, wanted, command) } });
};

/** A reason without a status changes only the note. */
const keepNote = (draft: Draft, note: string | null): void => {
  const { statusReason } = draft.queue;
  if (note !== null && statusReason !== null)
    draft.changeQueue({ statusReason: withNote(statusReason, note) });
};

const reasonFor = (
  { now: at }: Draft,
  wanted: WantedStatus,
  { stateReason, actor }: Configure,
): StatusReason => ({ code: 'ASKED_FOR', sentence: stateReason ?? defaultSentence[wanted], actor, at });

const defaultSentence = {
  running: 'It was set running.',
  paused: NO_REASON,
  draining: NO_REASON,
} as const;

const changedSettings = (before: QueueSettings, requested: Partial<QueueSettings>): Partial<QueueSettings> =>
  Object.fromEntries(
    Object.entries(requested).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof QueueSettings]),
    ),
  );
