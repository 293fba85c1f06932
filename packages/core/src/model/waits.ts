/** What a live submission waits for, with the sentence that people read. The details are added by `explain`. */
export const waits = {
  base_branch: 'Its base branch is not the branch of this queue.',
  ready_for_review: 'It is a draft.',
  reopening: 'It is closed.',
  impacted_targets: 'Its impacted targets have not been uploaded for its present head.',
  mergeability_unknown: 'The code host has not said yet whether it can be merged.',
  mergeable: 'The code host says that it cannot be merged.',
  target_branch: 'The target branch has not been read, or does not exist.',
  turn: 'It waits for a free slot, behind those ahead of it.',
  stack_limit: 'Too many undecided submissions are ahead of it to build on all of them.',
  conflict_ahead: 'It conflicts with an undecided submission ahead of it.',
  change_ahead: 'An undecided submission ahead of it already brings its change.',
  host: 'The code host asked to wait; it is tried again.',
  queued_checks: 'Its required checks wait for a free place in the CI.',
  trial: 'The commit to be tested is being built.',
  checks: 'Its required checks are running.',
  retry: 'Its tests ended without a verdict and will be repeated.',
  verdicts_ahead: 'Its tests failed; whose fault that is shows when those ahead of it are decided.',
  landing_turn: 'Its tests passed; it lands when those ahead of it are decided.',
  landing: 'It is being landed.',
  queue_paused: 'The queue is paused.',
  queue_draining: 'The queue is draining: nothing new starts testing.',
  queue_switching_modes: 'The queue is changing its mode: nothing new starts testing.',
} as const;

export type WaitCode = keyof typeof waits;
