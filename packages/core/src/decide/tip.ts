import { mayFinish } from '../model/gates.js';
import type { RunId } from '../model/ids.js';
import { type Doubt, noTrust, statusOf, type TipTrust } from '../model/queue.js';
import { failedChecksOf, hasFailed, type Run } from '../model/run.js';
import type { Draft } from './draft.js';
import { beginRun } from './new-run.js';
import { pauseFor } from './pause.js';
import { freeToIsolate } from './slots.js';

/**
 * True where the tip is known to pass the checks that this run failed, so that who fails them on top of that tip may be
 * blamed. Else, or where somebody else has failed the same check on it before, it asks for a test of the tip; that is
 * awaited, by whoever fails that check meanwhile.
 */
export const requireSoundTip = (
  draft: Draft,
  pr: number,
  failed: Run,
  checks: readonly string[],
): boolean => {
  if (isTipRed(draft)) return false;
  // Each is asked for, also behind one that is in doubt.
  return checks.map((check) => requirePass(draft, pr, failed, check)).every(Boolean);
};

const requirePass = (draft: Draft, pr: number, failed: Run, check: string): boolean => {
  const trust = trustOf(draft);
  const first = trust.failedFor[check];
  const hasPassed = trust.passes.includes(check);
  const isAsked = doubts(draft).some((doubt) => doubt.check === check);
  if (hasPassed && first === undefined)
    changeTrust(draft, { failedFor: { ...trust.failedFor, [check]: pr } });
  const isSound = first === undefined || first === pr || trust.confirmed.includes(check);
  if (hasPassed && isSound && !isAsked) return true;
  if (!trust.asked.some((doubt) => doubt.check === check && doubt.failedBy === failed.id))
    changeTrust(draft, { asked: [...doubts(draft), { check, failedBy: failed.id }] });
  return false;
};

/** What the tip has to be tested for: somebody stands accused of it still. */
const doubts = (draft: Draft): readonly Doubt[] =>
  trustOf(draft).asked.filter(({ failedBy }) => draft.run(failedBy)?.closedAt === null);

/** The checks that the tip has to be tested for. */
export const doubtedChecks = (draft: Draft): readonly string[] => [
  ...new Set(doubts(draft).map(({ check }) => check)),
];

/** True while the queue stands still because the target itself is broken: nobody is blamed meanwhile. */
export const isTipRed = ({ queue }: Draft): boolean =>
  queue.wanted === 'paused' && queue.statusReason?.code === 'BASE_BROKEN';

/** What the target itself is to be tested for. A control has a slot among those that look for causes. */
export const controlTip = (draft: Draft): void => {
  const { head } = draft.queue.target;
  const trust = trustOf(draft);
  const names = doubtedChecks(draft);
  for (const run of controls(draft))
    if (!run.requiredChecks.some((name) => names.includes(name))) draft.closeRun(run, 'superseded');
  if (head === null || names.length === 0 || !mayFinish(statusOf(draft.queue))) return;
  if (controls(draft).length > 0 || freeToIsolate(draft) <= 0) return;
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

/** The tests of the target itself that are under way. */
export const controls = (draft: Draft): readonly Run[] =>
  draft.openRuns().filter(({ purpose }) => purpose.kind === 'control');

/** A red tip stops the queue: nobody who stands on it is to blame. One that comes to no verdict holds nobody up for long. */
export const learnOfTip = (draft: Draft, run: Run): void => {
  draft.closeRun(run, 'judged');
  if (run.base !== draft.queue.target.head) return;
  const names = run.requiredChecks;
  const trust = trustOf(draft);
  const asked = trust.asked.filter(({ check }) => !names.includes(check));
  if (hasFailed(run)) {
    const failed = failedChecksOf(run);
    changeTrust(draft, { asked, passes: trust.passes.filter((name) => !failed.includes(name)) });
    const told = failed.join(', ');
    const fault = run.decidedBy === null ? `does not end ${told} in time` : `fails ${told}`;
    pauseFor(
      draft,
      'BASE_BROKEN',
      `${draft.queue.branch} itself ${fault} at ${run.base}: repair it before the queue goes on.`,
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
