import type { Actor } from './actor.js';
import { firstAdaptation } from './adaptation.js';
import type { Instant, QueueId } from './ids.js';
import { noTrust, type Queue, type StatusReason, type Target, type WantedStatus } from './queue.js';
import { emptyChain } from './receipt.js';
import type { RepoRef } from './repo.js';
import { defaultSettings, type QueueSettings } from './settings.js';
import { withFreeze } from './standstill.js';

/** A new, empty queue. All polls of the host are due at once. */
export const newQueue = (given: {
  readonly id: QueueId;
  readonly repo: RepoRef;
  readonly branch: string;
  readonly settings: Partial<QueueSettings>;
  readonly wanted: WantedStatus;
  readonly cancelsPending?: boolean;
  readonly statusReason: StatusReason | null;
  readonly target: Target;
  readonly createdBy: Actor;
  readonly now: Instant;
}): Queue => {
  const poll = { asked: null, upTo: null, askedAt: given.now, dueAt: given.now, again: false };
  return {
    id: given.id,
    repo: given.repo,
    branch: given.branch,
    settings: startSettings(given.settings),
    settingsVersion: 1,
    wanted: given.wanted,
    cancelsPending: given.cancelsPending ?? false,
    isBisectionConcurrencySet: given.settings.bisectionConcurrency !== undefined,
    statusReason: given.statusReason,
    askedFor: null,
    nextMode: null,
    lastBeforeParallel: given.settings.mode === 'parallel' ? 0 : null,
    target: given.target,
    goneFrom: null,
    tipTrust: noTrust(given.target.head),
    groundTrust: [],
    isTipInDoubt: false,
    infrastructureFailure: null,
    landing: null,
    landAfter: null,
    landsSingly: false,
    polls: { branch: poll, pullRequests: poll, checks: poll },
    hostTrouble: null,
    standstills: withFreeze([], given.settings.freezeUntil ?? null, given.now),
    movingBase: null,
    adaptation: firstAdaptation,
    testDurations: [],
    refusedLanding: null,
    notUnderstood: [],
    reportedChecks: [],
    lastSuccesses: {},
    lastPlace: 0,
    receipts: emptyChain,
    sequence: 0,
    createdAt: given.now,
    createdBy: given.createdBy,
    decidedAt: given.now,
    deletedAt: null,
  };
};

/**
 * `bisectionConcurrency` starts with the value of `concurrency`, so that changing `concurrency` later has no other
 * effect.
 */
const startSettings = (given: Partial<QueueSettings>): QueueSettings => {
  const { concurrency } = { ...defaultSettings, ...given };
  return { ...defaultSettings, bisectionConcurrency: concurrency, ...given };
};
