import { type CommitMessage, commitMessage } from '../../model/commit-message.js';
import type { CandidatePart } from '../../model/effect.js';
import type { TestRunId } from '../../model/ids.js';
import type { Member, TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';

export type RunPlan = Pick<TestRun, 'purpose' | 'batch' | 'stack' | 'without' | 'base' | 'requiredChecks'> & {
  readonly isDirect?: boolean;
  readonly overtaken?: Pick<TestRun, 'overtakenBy' | 'isOvertakerKnown'>;
  /** What landed since its base, if that is not the tip any more. */
  readonly beside?: TestRun['beside'];
};

const notOvertaken = { overtakenBy: null, isOvertakerKnown: false } as const;

/** Opens a test run and requests its candidate. */
export const beginRun = (draft: Draft, runId: TestRunId, plan: RunPlan): void => {
  const { purpose, batch, stack, without, base, requiredChecks, beside = [] } = plan;
  const { isDirect = false, overtaken = notOvertaken } = plan;
  const { branch, target, settings } = draft.queue;
  const method = settings.mergeMethod;
  const parts = [...stack, ...batch].map((member) => candidatePartOf(draft, member));
  draft.addRun({
    id: runId,
    purpose,
    batch,
    stack,
    without,
    base,
    isDirect,
    method,
    landed: [],
    onto: target.head ?? base,
    beside,
    overtakenBy: overtaken.overtakenBy,
    isOvertakerKnown: overtaken.isOvertakerKnown,
    state: 'building',
    outcome: null,
    decidedBy: null,
    failure: null,
    candidate: null,
    isCandidateKept: true,
    checks: [],
    known: [],
    requiredChecks,
    startedChecks: [],
    createdAt: draft.now,
    testingSince: null,
    rerunSince: null,
    checksReadAt: null,
    deadlineAt: null,
    expired: null,
    endedAt: null,
    closedAt: null,
    closedBecause: null,
    witnesses: [],
    bisection: null,
    building: draft.request({
      ...{ type: 'build_candidate', runId, branch, base, parts, method, isDirect },
      decidedAt: draft.now,
    }),
    starting: null,
  });
};

const candidatePartOf = (draft: Draft, member: Member): CandidatePart => {
  const submission = draft.submission(member.submissionId);
  if (submission === undefined) throw new Error(`#${member.pr} is in a stack but not in the queue`);
  const message = messageOf(draft, submission);
  const { begunAt, pull } = submission;
  return {
    ...{ pr: member.pr, head: member.head, message, author: pull.author },
    ...(pull.authorIdentity === undefined ? {} : { authorIdentity: pull.authorIdentity }),
    begunAt: begunAt ?? draft.now,
  };
};

/** The commit message, fixed when its first test begins: a later change of the title does not change it. */
export const messageOf = ({ queue }: Draft, { message, pull }: Submission): CommitMessage =>
  message ?? commitMessage(pull, queue.settings.mergeMethod);
