/** How a chain of causes continues after one of them: with another cause, not at all, or with an action of a person. */
type Chain = 'goes_on' | 'ends' | 'needs_action';

export interface Wait {
  /** One sentence. `{it}` is the pull request that waits; the other names are filled in with current values. */
  readonly sentence: string;
  /** What happens next, and what the reader can do about it. */
  readonly remedy: string;
  readonly chain: Chain;
  /** True if it keeps every pull request of the queue from merging: each wait then says so. */
  readonly blocksQueue?: true;
}

/** What a live submission waits for. The messages that users read and a page of the reference are made from this table. */
export const waits = {
  missing: {
    sentence: 'The code host has not found {it} for {age}.',
    remedy: 'Restore {it} at the code host {until}, or it is cancelled.',
    chain: 'needs_action',
  },
  reopening: {
    sentence: '{it} is closed.',
    remedy: 'Reopen {it}{deadline}.',
    chain: 'needs_action',
  },
  base_branch: {
    sentence: 'The base branch of {it} is {base}, but this queue merges into {branch}.',
    remedy: 'Change the base branch of {it} to {branch}{deadline}.',
    chain: 'needs_action',
  },
  target_branch: {
    sentence: 'The target branch {branch} does not exist (read {age} ago).',
    remedy: 'Create or restore {branch}{deadline}.',
    chain: 'needs_action',
  },
  ready_for_review: {
    sentence: '{it} is a draft.',
    remedy: 'Mark {it} as ready for review{deadline}.',
    chain: 'needs_action',
  },
  impacted_targets: {
    sentence:
      '{it} has no impacted targets for its head {head}{others}, and a queue in parallel mode needs them.',
    remedy: 'Upload the impacted targets of {head} with setImpactedTargets{deadline}{otherwise}.',
    chain: 'needs_action',
  },
  mergeability_unknown: {
    sentence: 'The code host has not reported yet whether {it} can be merged{computing}.',
    remedy: '{it} is read again {next}{deadline}.',
    chain: 'ends',
  },
  host_fault: {
    sentence:
      'The code host fails on {it}, but not on other pull requests: {words} (try {tries} of {limit}).',
    remedy:
      'The queue retries {it} {until} and fails it after the last try. To end this now, push a head that the code host can read and merge.',
    chain: 'needs_action',
  },
  not_computable_ahead: {
    sentence: 'The code host cannot compute the merge of {it} with {holder}, which is ahead of it.',
    remedy: 'The queue retries {it} once {holder} has merged or has left the queue.',
    chain: 'goes_on',
  },
  mergeable: {
    sentence: 'The code host reports that {it} cannot be merged: {words}.',
    remedy: 'Fix what the code host reports{push}{deadline}.',
    chain: 'needs_action',
  },
  queue_paused: {
    sentence: 'The queue is paused (by {actor}, since {since}): {words}.',
    remedy: '{repair}.',
    chain: 'needs_action',
    blocksQueue: true,
  },
  queue_held: {
    sentence: 'The queue is on hold: the code host has refused to answer for {repo} for {age} ({words}).',
    remedy:
      'Give the queue access to {repo} at the code host. The queue continues by itself as soon as the host answers; no deadline passes until then.',
    chain: 'needs_action',
    blocksQueue: true,
  },
  queue_frozen: {
    sentence: 'Frozen until {until}: {words}. Nothing starts or merges before then{except}.',
    remedy: '{it} goes on at {until}. To end the freeze earlier, set freezeUntil to null{urgent}.',
    chain: 'ends',
    blocksQueue: true,
  },
  queue_draining: {
    sentence: 'The queue is draining and starts no new tests (by {actor}, since {since}): {words}.',
    remedy: 'Set the queue running.',
    chain: 'needs_action',
  },
  queue_switching_modes: {
    sentence:
      'The queue is changing from {mode} to {next} mode and starts no new tests until what has started is settled: {members}.',
    remedy: '{it} is handled in {next} mode after that.',
    chain: 'goes_on',
  },
  required_checks: {
    sentence:
      'No required checks are known, neither to the queue nor to the code host: {it} will fail when its turn to be tested comes.',
    remedy:
      'Before that, name the required checks in the rules of the branch or as requiredStatuses of the queue.',
    chain: 'needs_action',
  },
  target_unread: {
    sentence: 'Waiting for a fresh read of {branch}: it {read}.',
    remedy: '{branch} is read {next}.',
    chain: 'ends',
  },
  moving_base: {
    sentence:
      '`{branch}` keeps moving: {rebuilds} in {age}. {it} starts once no push from outside the queue has moved it for {still}.',
    remedy:
      'Submit these changes to the queue instead of pushing them to `{branch}`, or push them together and less often.',
    chain: 'needs_action',
  },
  turn: {
    sentence: '{it} waits for a test slot ({used} of {slots} in use, by {holders}); {before}.',
    remedy: '{it} starts when its turn comes{once}{sooner}.',
    chain: 'goes_on',
  },
  bisection_first: {
    sentence: '{it} waits for the bisection of {members}: the queue has {slots}, and bisections come first.',
    remedy:
      '{it} starts in its turn when the bisection ends{sooner}. To start it without that wait, raise concurrency to at least {enough} (now {concurrency}).',
    chain: 'goes_on',
  },
  interrupted: {
    sentence: 'The tests of {it} were preempted by {urgent}, which is urgent.',
    remedy: '{it} keeps its place and is tested again when a slot is free for it.',
    chain: 'goes_on',
  },
  lane_ahead: {
    sentence: '{it} is behind {holder}{others} in its lane: {shared}.',
    remedy:
      '{it} starts after {holder} has started; it no longer depends on {holder} once that has merged or left the queue.',
    chain: 'goes_on',
  },
  stack_limit: {
    sentence:
      '{it} has at least {limit} undecided pull requests ahead of it in its lane, and a test run includes at most {limit}.',
    remedy: '{it} starts when some of those ahead of it are decided.',
    chain: 'goes_on',
  },
  conflict_ahead: {
    sentence: '{it} conflicts with {holder}, which is ahead of it and not decided yet.',
    remedy:
      'The queue retries {it} once {holder} is decided: if {holder} merges and the conflict remains, {it} fails; if {holder} leaves the queue, {it} is tested.',
    chain: 'goes_on',
  },
  change_ahead: {
    sentence: '{holder}, which is ahead of {it} and not decided yet, already contains the change of {it}.',
    remedy:
      'The queue retries {it} once {holder} is decided: if {holder} merges, nothing is left to merge; if {holder} leaves the queue, {it} is tested.',
    chain: 'goes_on',
  },
  batch: {
    sentence: '{it} waits for its batch to fill: {count} of {size} ({members}).',
    remedy: 'The batch starts when it is full, or at {until} at the latest{slot}{alone}.',
    chain: 'ends',
  },
  host: {
    sentence: 'The code host asked the queue to wait before merging {what}: {words}.',
    remedy: 'The queue retries {it} at {until}.',
    chain: 'ends',
  },
  retry: {
    sentence:
      'The last test of {it} ended without a verdict: {words}; {used} of {budget} retries of this attempt are used.',
    remedy: '{it} is tested again in its place at {until}{slot}.',
    chain: 'ends',
  },
  check_run_again: {
    sentence:
      'All checks of {it} had passed (test run {run}), but {names} {were} started again {age} ago: {progress}.',
    remedy:
      '{it} is merged once the rerun has passed; if it fails, test run {run} counts as failed. The test run {end}.',
    chain: 'ends',
  },
  stack: {
    sentence:
      'The tests of {it} on top of {ahead} ended without a verdict (test run {run}): {words}; this uses up no retry of {it}.',
    remedy:
      'Once {ahead} {have} merged, {it} is tested again, which uses up a retry; if one of them leaves the queue, {it} is tested again without it.',
    chain: 'goes_on',
  },
  repeated: {
    sentence:
      'The last test of {it} ended without a verdict: {words}. It was {why}, so it uses up no retry of {it}.',
    remedy: '{it} is tested again in its place at {until}{slot}.',
    chain: 'ends',
  },
  rebuild: {
    sentence: 'The commit to test {it} could not be built: {words}; this uses up no retry of {it}.',
    remedy: 'It is built again at {until}{slot}.',
    chain: 'ends',
  },
  machinery: {
    sentence:
      'The CI is failing: {rounds} tests in a row, of unrelated pull requests, ended without a verdict, the last of them for {last}: {words}; this uses up no retries.',
    remedy:
      'Repair the CI; {it} is tested again at {until}{slot}, and so on until a test comes to a verdict.',
    chain: 'needs_action',
  },
  trial: {
    sentence:
      'The commit to test {it} (test run {run}) is being built on {branch} at {base}{below}, started {age} ago.',
    remedy: 'Its checks start as soon as the commit is built.',
    chain: 'ends',
  },
  queued_checks: {
    sentence: '{it} waits for a free CI runner (test run {run}, queued for {age}): {names}.',
    remedy: 'More CI runners would start these checks earlier; the test run {end}.',
    chain: 'ends',
  },
  checks: {
    sentence: '{it} is in test run {run}{below}: {progress}.',
    remedy: 'These checks decide; the test run {end}.',
    chain: 'ends',
  },
  unreported_check: {
    sentence:
      'No test run of this queue has ever reported {names}, which {are} required, and more than half of the time of test run {run} is over.',
    remedy:
      'Have the CI report {names} for the commits that the queue tests, or remove {names} from the required checks.',
    chain: 'needs_action',
  },
  confirmation: {
    sentence:
      'The tests of {it} failed{times} ({failure}), and run once more to confirm that before it is failed.',
    remedy: '{it} merges if they pass now{ahead}; if they fail again, {then}.',
    chain: 'goes_on',
  },
  incomplete_stack: {
    sentence:
      'The tests of {it} failed ({failure}) without a pull request on which those below {it} build. That one has merged since, and the tests of {it} run once more.',
    remedy: '{it} merges if they pass now; if they fail again, {then}.',
    chain: 'goes_on',
  },
  isolation: {
    sentence:
      'The batch of {it} ({members}) {failed} in test run {run}, and the queue searches for the culprit: {progress}.',
    remedy: '{next}.',
    chain: 'goes_on',
  },
  isolation_retry: {
    sentence:
      'The last bisection test of the batch of {it} ended without a verdict; {used} of {budget} retries of the bisection are used.',
    remedy:
      'The next test starts at {until}; when no retry is left, each pull request of the batch is tested alone.',
    chain: 'ends',
  },
  isolation_slot: {
    sentence:
      'The test that is to find the culprit waits for a bisection slot: {used} of {slots} in use, by {holders}.',
    remedy:
      'It starts when one of them is free; to start it sooner, raise bisectionConcurrency (now {slots}).',
    chain: 'goes_on',
  },
  control: {
    sentence:
      'The tests of {it} failed ({check}, test run {run}); before a pull request is failed for that, {branch} itself is tested for {names} at {tip}{again}.',
    remedy: 'If {branch} passes, {next}; if {branch} fails, {otherwise}{past}.',
    chain: 'goes_on',
  },
  control_retry: {
    sentence:
      'The last test of {branch} itself ended without a verdict; {used} of {budget} retries {are} used.',
    remedy: '{branch} is tested again at {until}; after the last retry the queue goes on without the result.',
    chain: 'ends',
  },
  witnesses: {
    sentence: 'The tests of {it} failed ({check}, test run {run}), and its verdict waits for {tests}.',
    remedy: '{remedy}.',
    chain: 'goes_on',
  },
  passed_without: {
    sentence:
      'The tests of {it} failed ({check}, test run {run}), and {others}, which passed without it, {merge} before it is tested once more.',
    remedy: 'As it is urgent, {it} then goes first again and is tested on top of what has merged.',
    chain: 'goes_on',
  },
  verdicts_ahead: {
    sentence:
      'The tests of {it} failed ({check}, test run {run}) on top of {ahead}, ahead of it and not decided yet; the culprit is known after that.',
    remedy:
      'If all ahead of it merge as they were tested, {next}; if one of them leaves the queue, or one behind it{others} merges before it, {it} is tested again on what is there then{cleared}.',
    chain: 'goes_on',
  },
  landing_turn: {
    sentence: '{it} passed its tests{run} and merges when {ahead}{which} can merge too.',
    remedy: '{it} merges {when}, and is tested again if one of them leaves the queue{others}.',
    chain: 'goes_on',
  },
  landing_delay: {
    sentence: '{what} merged into {branch} a moment ago{why}, and {it} waits for the next try.',
    remedy: 'The queue retries the merge at {until}.',
    chain: 'ends',
  },
  other_landing: {
    sentence: '{it} passed its tests{run} and waits for the merge of {members}, which started {age} ago.',
    remedy: '{it} can merge as soon as that has ended.',
    chain: 'ends',
  },
  composition: {
    sentence:
      'The commit that merges {members} is being built on {branch} at {tip} (run {run}, started {age} ago).',
    remedy: 'It is merged without another test as soon as it is built{after}.',
    chain: 'ends',
  },
  landing: {
    sentence:
      '{branch} is being moved from {from} to {to}, which merges {members}; the code host was asked {age} ago.',
    remedy: '{it} is merged as soon as the code host has moved {branch}.',
    chain: 'ends',
  },
  host_trouble: {
    sentence: 'Requests to the code host have been failing for {age}: {words}.',
    remedy:
      'Make sure that the code host can be reached and gives the queue access; the queue retries by itself.',
    chain: 'needs_action',
    blocksQueue: true,
  },
  decision: {
    sentence: 'Nothing blocks {it} any more.',
    remedy: 'The next decision of the queue continues with {it}.',
    chain: 'ends',
  },
} as const satisfies Record<string, Wait>;

export type WaitCode = keyof typeof waits;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The values that the texts of a wait need. */
export type WaitValues<Code extends WaitCode> = Readonly<
  Record<NamesIn<(typeof waits)[Code]['sentence'] | (typeof waits)[Code]['remedy']>, string | number>
>;

/** Replaces the names in braces by their values; a name without a value becomes empty. */
export const filledIn = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
