import { mayFinish } from '../model/gates.js';
import type { RunId } from '../model/ids.js';
import { noTrust, statusOf, type TipTrust } from '../model/queue.js';
import { hasFailed, type Run } from '../model/run.js';
import type { Draft } from './draft.js';
import { beginRun } from './new-run.js';
import { pauseFor } from './pause.js';
import { freeToIsolate } from './slots.js';

/**
 * True where the tip is known to pass a check, so that who fails it on top of that tip may be blamed. Else, or where
 * somebody else has failed the same check on it before, it asks for a test of the tip; that is awaited.
 */
export const requireSoundTip = (draft: Draft, pr: number, check: string): boolean => {
  if (isTipRed(draft)) return false;
  const trust = trustOf(draft);
  const first = trust.failedFor[check];
  const isKnown = trust.passes.includes(check);
  if (isKnown && first === undefined) changeTrust(draft, { failedFor: { ...trust.failedFor, [check]: pr } });
  if (isKnown && (first === undefined || first === pr || trust.confirmed.includes(check))) return true;
  if (!trust.asked.includes(check)) changeTrust(draft, { asked: [...trust.asked, check] });
  return false;
};

/** True while the queue stands still because the target itself is broken: nobody is blamed meanwhile. */
export const isTipRed = ({ queue }: Draft): boolean =>
  queue.wanted === 'paused' && queue.statusReason?.code === 'BASE_BROKEN';

/** What the target itself is to be tested for. A control has a slot among those that look for causes. */
export const controlTip = (draft: Draft): void => {
  const { head } = draft.queue.target;
  const trust = trustOf(draft);
  const names = trust.asked;
  if (head === null || names.length === 0 || !mayFinish(statusOf(draft.queue))) return;
  if (draft.liveRuns().some((run) => run.purpose.kind === 'control') || freeToIsolate(draft) <= 0) return;
  const isFresh = names.some((name) => trust.failedFor[name] !== undefined);
  beginRun(draft, draft.newId<RunId>(), {
    purpose: { kind: 'control', isFresh },
    batch: [],
    stack: [],
    without: [],
    base: head,
    requiredChecks: names,
  });
};

/** A red tip stops the queue: nobody who stands on it is to blame. One that comes to no verdict holds nobody up for long. */
export const learnOfTip = (draft: Draft, run: Run): void => {
  draft.closeRun(run, 'judged');
  if (run.base !== draft.queue.target.head) return;
  const names = run.requiredChecks;
  const trust = trustOf(draft);
  const asked = trust.asked.filter((name) => !names.includes(name));
  if (hasFailed(run)) {
    changeTrust(draft, { asked, passes: trust.passes.filter((name) => !names.includes(name)) });
    const check = run.decidedBy?.name ?? names.join(', ');
    pauseFor(
      draft,
      'BASE_BROKEN',
      `${draft.queue.branch} itself fails ${check} at ${run.base}: repair it, then set the queue running.`,
    );
    return;
  }
  // What was shown of it before says that it passed once; only a test that was made for this confirms it.
  const isShownOnly = run.outcome === 'passed' && run.purpose.kind === 'control' && !run.purpose.isFresh;
  const confirmed = isShownOnly ? names.filter((name) => run.startedChecks.includes(name)) : names;
  if (run.outcome !== 'passed' && trust.tries < draft.context.pace.retryLimit)
    return changeTrust(draft, { tries: trust.tries + 1 });
  changeTrust(draft, {
    asked,
    passes: [...new Set([...trust.passes, ...names])],
    confirmed: [...new Set([...trust.confirmed, ...confirmed])],
    tries: 0,
  });
};

const trustOf = ({ queue }: Draft): TipTrust =>
  queue.tipTrust.head === queue.target.head ? queue.tipTrust : noTrust(queue.target.head);

const changeTrust = (draft: Draft, patch: Partial<TipTrust>): void =>
  draft.changeQueue({ tipTrust: { ...trustOf(draft), ...patch } });
