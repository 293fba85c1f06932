import { commitMessage } from '../model/commit-message.js';
import type { TrialPart } from '../model/effect.js';
import type { RunId } from '../model/ids.js';
import type { Member, Run } from '../model/run.js';
import type { Draft } from './draft.js';

type Planned = Pick<Run, 'purpose' | 'batch' | 'stack' | 'without' | 'base' | 'requiredChecks'> & {
  readonly isDirect?: boolean;
  readonly overtaken?: Pick<Run, 'overtakenBy' | 'isOvertakerKnown'>;
  /** What landed since its base, where that is not the tip any more. */
  readonly beside?: Run['beside'];
};

const notOvertaken = { overtakenBy: null, isOvertakerKnown: false } as const;

/** Begins a run: what is to be tested is built first. */
export const beginRun = (draft: Draft, runId: RunId, planned: Planned): void => {
  const { isDirect = false, beside = [], overtaken = notOvertaken, ...plan } = planned;
  const method = draft.queue.settings.mergeMethod;
  const { branch, target } = draft.queue;
  const parts = [...plan.stack, ...plan.batch].map((member) => partOf(draft, member));
  draft.addRun({
    ...plan,
    id: runId,
    isDirect,
    method,
    landed: [],
    onto: target.head ?? plan.base,
    beside,
    overtakenBy: overtaken.overtakenBy,
    isOvertakerKnown: overtaken.isOvertakerKnown,
    state: 'building',
    outcome: null,
    decidedBy: null,
    failure: null,
    trial: null,
    isTrialKept: true,
    checks: [],
    known: [],
    startedChecks: [],
    createdAt: draft.now,
    testingSince: null,
    checksReadAt: null,
    deadlineAt: null,
    expired: null,
    endedAt: null,
    closedAt: null,
    closedBecause: null,
    witnesses: [],
    isolation: null,
    building: draft.wish({ type: 'build_trial', runId, branch, base: plan.base, parts, method, isDirect }),
    starting: null,
  });
};

const partOf = (draft: Draft, { submissionId, pr, head }: Member): TrialPart => {
  const submission = draft.submission(submissionId);
  if (submission === undefined) throw new Error(`#${pr} is in a stack but not in the queue`);
  const message = submission.message ?? commitMessage(submission.pull, draft.queue.settings.mergeMethod);
  return { pr, head, message };
};
