/** How a chain of causes goes on from one of them: to another cause, to nothing, or to somebody who has to act. */
type Chain = 'goes_on' | 'ends' | 'needs_somebody';

interface Wait {
  /** One sentence. `{it}` is the pull request that is held up; the other names are filled in with what is so at the moment. */
  readonly sentence: string;
  /** What would change it, and what happens otherwise: one sentence. */
  readonly remedy: string;
  readonly chain: Chain;
}

/** What a live submission waits for. Documentation is generated from this table, and what people read is made from it. */
export const waits = {
  missing: {
    sentence: 'The code host has not known {it} for {age}.',
    remedy: 'Restore {it} at the code host {until}, or it is cancelled.',
    chain: 'needs_somebody',
  },
  reopening: {
    sentence: '{it} is closed.',
    remedy: 'Reopen {it}{deadline}.',
    chain: 'needs_somebody',
  },
  base_branch: {
    sentence: 'The base branch of {it} is {base}, and this queue lands on {branch}.',
    remedy: 'Change the base branch of {it} to {branch}{deadline}.',
    chain: 'needs_somebody',
  },
  target_branch: {
    sentence: 'The target branch {branch} does not exist; that was read {age} ago.',
    remedy: 'Create or restore {branch}{deadline}.',
    chain: 'needs_somebody',
  },
  ready_for_review: {
    sentence: '{it} is a draft.',
    remedy: 'Mark {it} as ready for review{deadline}.',
    chain: 'needs_somebody',
  },
  impacted_targets: {
    sentence:
      '{it} has no impacted targets for its present head {head}{others}, and a queue in parallel mode needs them.',
    remedy: 'Upload the impacted targets of {head} with setImpactedTargets{deadline}{otherwise}.',
    chain: 'needs_somebody',
  },
  mergeability_unknown: {
    sentence: 'The code host has not said yet whether {it} can be merged{computing}.',
    remedy: 'Nothing has to be done: {it} is read again {next}{deadline}.',
    chain: 'ends',
  },
  host_fault: {
    sentence: 'The code host fails on {it}, and not on others: {words}. That was try {tries} of {limit}.',
    remedy:
      '{it} is tried again {until}, and is failed with the last try. A push of a head that can be read and merged ends that.',
    chain: 'needs_somebody',
  },
  not_computable_ahead: {
    sentence: 'The code host cannot compute the merge of {it} with {holder}, which stands ahead of it.',
    remedy:
      '{it} is tried without {holder} once that one is out of the queue, or on top of it once it is merged.',
    chain: 'goes_on',
  },
  mergeable: {
    sentence: 'The code host says that {it} cannot be merged: {words}.',
    remedy: 'Give the code host what it asks for{push}{deadline}.',
    chain: 'needs_somebody',
  },
  queue_paused: {
    sentence: 'The queue has been paused since {since} by {actor}: {words}.',
    remedy: '{repair}.',
    chain: 'needs_somebody',
  },
  queue_held: {
    sentence: 'The queue holds: the code host refuses to answer for {repo} ({words}), for {age} by now.',
    remedy:
      'Give the queue access to {repo} at the code host. It goes on by itself as soon as the host answers; no deadline passes until then.',
    chain: 'needs_somebody',
  },
  queue_frozen: {
    sentence: 'Frozen until {until}: {words}. Nothing starts or merges before then{except}.',
    remedy: '{it} goes on at {until}. To end the freeze earlier, set freezeUntil to null{urgent}.',
    chain: 'ends',
  },
  queue_draining: {
    sentence:
      'The queue has been draining since {since}, so that nothing new starts testing; {actor} asked for it: {words}.',
    remedy: 'Set the queue running.',
    chain: 'needs_somebody',
  },
  queue_switching_modes: {
    sentence:
      'The queue changes from {mode} to {next} mode, and starts nothing new before what has begun is settled: {members}.',
    remedy: 'Nothing has to be done: {it} is looked at in {next} mode as soon as that is so.',
    chain: 'goes_on',
  },
  required_checks: {
    sentence:
      'No required check is known, neither to the queue nor to the code host, so that {it} is failed when its turn to be tested comes.',
    remedy:
      'Name the required checks before that, in the rules of the branch or as requiredStatuses of the queue.',
    chain: 'needs_somebody',
  },
  target_unread: {
    sentence: 'Where {branch} stands {read}, and nothing is tested, and nobody blamed, on a guess.',
    remedy: 'Nothing has to be done: {branch} is read {next}.',
    chain: 'ends',
  },
  moving_base: {
    sentence:
      '`{branch}` keeps moving: {rebuilds} in {age}. {it} starts once nothing but the queue has moved it for {still}.',
    remedy:
      'Send the changes that are pushed to `{branch}` through the queue, or push them together and less often.',
    chain: 'needs_somebody',
  },
  turn: {
    sentence: '{it} waits for a test slot: {used} of {slots} {are} taken, by {holders}; {before}.',
    remedy: 'It is begun when its turn for a free slot comes{once}; {sooner} that forward.',
    chain: 'goes_on',
  },
  bisection_first: {
    sentence:
      '{it} waits for the bisection of {members}: the queue has one test slot, and what it started now would have to be tested again.',
    remedy: '{it} starts when the culprit is found. To have it tested meanwhile, raise concurrency (now 1).',
    chain: 'goes_on',
  },
  interrupted: {
    sentence: 'The tests of {it} were stopped because {urgent} is urgent and goes ahead of it.',
    remedy: 'Nothing has to be done: {it} has kept its place and is tested again when a slot is free for it.',
    chain: 'goes_on',
  },
  lane_ahead: {
    sentence: '{it} stands behind {holder}{others} in its lane: {shared}.',
    remedy: 'It follows when {holder} has begun; it stands free of {holder} once that has landed or left.',
    chain: 'goes_on',
  },
  stack_limit: {
    sentence:
      '{it} has at least {limit} undecided submissions ahead of it in its lane, and no test may hold more than {limit}.',
    remedy: 'It is begun when some of those ahead of it are decided.',
    chain: 'goes_on',
  },
  conflict_ahead: {
    sentence: '{it} conflicts with {holder}, which is ahead of it and undecided.',
    remedy:
      '{it} is tried again once {holder} is decided: it fails if {holder} has landed and the conflict is still there, and is tested if {holder} has left.',
    chain: 'goes_on',
  },
  change_ahead: {
    sentence: '{holder}, which is ahead of {it} and undecided, already brings the change of {it}.',
    remedy:
      '{it} is tried again once {holder} is decided: if {holder} has landed there is nothing left to land, and if it has left {it} is tested.',
    chain: 'goes_on',
  },
  batch: {
    sentence:
      '{it} waits for others to be tested together with: its batch holds {count} of {size} ({members}).',
    remedy: 'The batch is begun when it is full, at {until} at the latest{slot}{alone}.',
    chain: 'ends',
  },
  host: {
    sentence: 'The code host asked to wait before it lands {what}: {words}.',
    remedy: 'Nothing has to be done: {it} is tried again at {until}.',
    chain: 'ends',
  },
  retry: {
    sentence:
      'The last try to test {it} came to no verdict: {words}; it has used {used} of the {budget} repetitions of this attempt.',
    remedy: 'Nothing has to be done: {it} is tested again in its place at {until}{slot}.',
    chain: 'ends',
  },
  check_run_again: {
    sentence:
      'All checks of {it} had passed (run {run}), and {names} {have} been run again since, {age} ago: {progress}.',
    remedy:
      '{it} is merged once that has passed; if it fails, that counts as a failure of run {run}. The run {end}.',
    chain: 'ends',
  },
  stack: {
    sentence:
      'The tests of {it} on top of {ahead} ended without a verdict (run {run}): {words}; that costs {it} nothing.',
    remedy:
      'Once {ahead} {have} merged, {it} is tested again at the cost of a repetition; if one of them leaves, it is tested again without it.',
    chain: 'goes_on',
  },
  repeated: {
    sentence:
      'The last try to test {it} came to no verdict: {words}. It stood on pull requests that are undecided, so this costs {it} nothing.',
    remedy: '{it} is tested again in its place at {until}{slot}.',
    chain: 'ends',
  },
  rebuild: {
    sentence: 'What is to be tested for {it} could not be put together: {words}; that costs it nothing.',
    remedy: 'Nothing has to be done: it is put together again at {until}{slot}.',
    chain: 'ends',
  },
  machinery: {
    sentence:
      'Tests of unrelated submissions end without a verdict, {rounds} in a row, the last of them for {last}: {words}; nobody is charged for it.',
    remedy:
      'Repair the CI; {it} is tested again at {until}{slot}, and so on until a test comes to a verdict.',
    chain: 'needs_somebody',
  },
  trial: {
    sentence:
      'The commit of run {run} for {it} is being built on {branch} at {base}{below}; that began {age} ago.',
    remedy: 'Nothing has to be done: its checks are started as soon as the commit is there.',
    chain: 'ends',
  },
  queued_checks: {
    sentence: '{it} is in run {run}, whose checks have waited for a free place in the CI for {age}: {names}.',
    remedy: 'More runners in the CI would begin them earlier; the run {end}.',
    chain: 'ends',
  },
  checks: {
    sentence: '{it} is in run {run}{below}: {progress}.',
    remedy: 'Nothing has to be done: these checks decide the run, which {end}.',
    chain: 'ends',
  },
  unreported_check: {
    sentence:
      'No run of this queue has ever shown {names}, which {are} required, and more than half of the time of run {run} is over.',
    remedy:
      'Have the CI report {names} for the commits that the queue tests, or take {names} out of the required checks.',
    chain: 'needs_somebody',
  },
  confirmation: {
    sentence: "{it}'s tests failed ({failure}), and one more run is to confirm that before it is failed.",
    remedy:
      'Nothing has to be done: {it} lands if that run passes{ahead}; if that one fails too, {it} is failed unless something else clears it.',
    chain: 'goes_on',
  },
  isolation: {
    sentence: 'The batch of {it} ({members}) {failed} in run {run}; {progress}.',
    remedy: 'Nothing has to be done: {next}.',
    chain: 'goes_on',
  },
  isolation_retry: {
    sentence:
      'The part of the batch of {it} that was tested last came to no verdict; the search has used {used} of its {budget} repetitions.',
    remedy:
      'Nothing has to be done: the next part is tested at {until}; when no repetition is left each of the batch is tested alone.',
    chain: 'ends',
  },
  isolation_slot: {
    sentence:
      'The test that is to tell who is to blame waits for a slot of its own kind: {used} of {slots} {are} taken, by {holders}.',
    remedy:
      'It is begun when one of them is free; a higher bisectionConcurrency (now {slots}) brings that forward.',
    chain: 'goes_on',
  },
  control: {
    sentence:
      "{it}'s tests failed ({check}, run {run}), and before anybody is blamed {branch} itself is tested for {names} at {tip}{again}.",
    remedy: 'Nothing has to be done: if {branch} passes, {next}; if {branch} fails, {otherwise}{past}.',
    chain: 'goes_on',
  },
  control_retry: {
    sentence:
      'The last test of {branch} itself came to no verdict; {used} of {budget} repetitions of it {are} used.',
    remedy:
      'Nothing has to be done: {branch} is tested again at {until}; after the last repetition nobody waits for that any longer.',
    chain: 'ends',
  },
  witnesses: {
    sentence: "{it}'s tests failed ({check}, run {run}), and {tests}, are awaited.",
    remedy: '{remedy}.',
    chain: 'goes_on',
  },
  passed_without: {
    sentence:
      "{it}'s tests failed ({check}, run {run}), and {others}, which passed without it, {land} before it is tested once more.",
    remedy:
      'Nothing has to be done: as it is urgent, {it} goes first again once that is so, and is tested on top of what has landed.',
    chain: 'goes_on',
  },
  verdicts_ahead: {
    sentence:
      "{it}'s tests failed ({check}, run {run}) on top of {ahead}, ahead of it and undecided: whose fault that is shows when that is settled.",
    remedy:
      'Nothing has to be done: {cleared}if all ahead of it land as they were tested, {next}; if one of them leaves, or one behind it{others} lands before it, {it} is tested again on what is there then.',
    chain: 'goes_on',
  },
  landing_turn: {
    sentence: '{it} passed its tests{run} and lands when {ahead} ahead of it may land too.',
    remedy:
      'Nothing has to be done: {it} lands right behind what is ahead of it, and is tested again if one of them leaves{others}.',
    chain: 'goes_on',
  },
  landing_delay: {
    sentence: 'A moment ago {what} landed on {branch}{why}, and {it} waits for the next try.',
    remedy: 'Nothing has to be done: it is tried again at {until}.',
    chain: 'ends',
  },
  other_landing: {
    sentence:
      '{it} passed its tests{run}, and another landing has been under way for {age}: that of {members}.',
    remedy: 'Nothing has to be done: {it} may land as soon as that has ended.',
    chain: 'ends',
  },
  composition: {
    sentence:
      'What has passed ({members}) is being put together on {branch} at {tip}, in run {run}; that began {age} ago.',
    remedy:
      'Nothing has to be done: they land together, without another test, as soon as that is done{after}.',
    chain: 'ends',
  },
  landing: {
    sentence:
      '{branch} is being moved from {from} to {to}, which lands {members}; the code host was asked {age} ago.',
    remedy: 'Nothing has to be done: {it} is merged as soon as the code host has moved {branch}.',
    chain: 'ends',
  },
  host_trouble: {
    sentence: 'The code host does not do what it is asked: {words} (for {age} by now).',
    remedy: 'See that the code host can be reached and lets the queue in; it is asked again by itself.',
    chain: 'needs_somebody',
  },
  decision: {
    sentence: 'Nothing holds {it} up any more.',
    remedy: 'Nothing has to be done: the next decision of the queue takes {it} further.',
    chain: 'ends',
  },
} as const satisfies Record<string, Wait>;

export type WaitCode = keyof typeof waits;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** What has to be filled in to tell a cause. */
export type WaitValues<Code extends WaitCode> = Readonly<
  Record<NamesIn<(typeof waits)[Code]['sentence'] | (typeof waits)[Code]['remedy']>, string | number>
>;

/** Puts the values of the moment into a text of the table. */
export const filledIn = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
