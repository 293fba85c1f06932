import type {
  Conclusion,
  ImpactedTargets,
  LandOutcome,
  Mergeability,
  MergeMethod,
  Pace,
  QueueSettings,
  QueueStatus,
  ReasonCode,
  SubmissionState,
  TargetSet,
  WaitCode,
} from '@mq/core';
import type { Edits, NewPullRequest } from '../fake-host/pull-request.js';

/**
 * The content of a commit, for example `main+1+2`: the first state of the branch, then, in order, the numbers of pull
 * requests, and `push` for each commit that a user pushed directly.
 */
export type Content = string;

export interface SubmitOptions {
  readonly priority?: number | null;
  readonly skipTheLine?: boolean;
  readonly noBatch?: boolean;
  readonly forceEnqueued?: boolean;
  /** `present` sends the current head of the pull request, `stale` another one. By default no head is sent. */
  readonly head?: 'stale' | 'present';
}

/** A duration such as `90s`, `30m` or `2h`. */
export type Duration = `${number}${'s' | 'm' | 'h'}`;

export interface Setup {
  readonly settings?: Partial<QueueSettings>;
  /** The checks of the CI, all of them required by the branch's rules; `['test']` by default. */
  readonly checks?: readonly string[];
  /** False: the branch has no queue yet. */
  readonly queue?: boolean;
  /** False: the tip of the target has no checks. By default passing checks are reported on every new tip. */
  readonly showsTip?: boolean;
  /** Each check ends after this time, with the conclusion that its content gives. */
  readonly ciTakes?: Duration;
  /** With `ciTakes`: every nth check fails, whatever its content. */
  readonly oneFlakyOf?: number;
  /** Number of engines. Commands go to them in rotation; hints go to each. */
  readonly engines?: number;
  readonly pace?: Partial<Pace>;
}

/** The call fails before or after it took effect, or never ends, so that the caller times out. */
export type CallFault = 'fails_before' | 'fails_after' | 'never_ends';

/** Calls that change something at the host. */
export type HostCall = 'buildCandidate' | 'startChecks' | 'cancelChecks' | 'land' | 'dropCandidate';

/** Calls that change something in the store. */
export type StoreCall = 'commit';

/** The source of a list of targets, and its head: the pull request's current one by default, or another one. */
export interface TargetsFrom {
  readonly source?: TargetSet['source'];
  readonly head?: 'another' | 'present';
}

/** Actions of people at the code host. A pull request is opened when it is first named. */
export interface PeopleVerbs {
  opens(...pulls: readonly (number | NewPullRequest)[]): Promise<void>;
  pushes(pr: number, edits?: Edits): Promise<void>;
  closes(pr: number): Promise<void>;
  reopens(pr: number): Promise<void>;
  drafts(pr: number): Promise<void>;
  marksReady(pr: number): Promise<void>;
  retargets(pr: number, base: string): Promise<void>;
  edits(pr: number, part: { readonly title?: string; readonly body?: string }): Promise<void>;
  deletesPullRequest(pr: number): Promise<void>;
  deletesHeadBranch(pr: number): Promise<void>;
  mergesByHand(pr: number, method?: MergeMethod): Promise<void>;
  pushesToTarget(edits?: Edits): Promise<void>;
  /** Force-pushes the target back by `commits`; one by default. */
  rewinds(commits?: number): Promise<void>;
  deletesTarget(): Promise<void>;
  /** Creates the deleted target branch again at its last commit. */
  restoresTarget(): Promise<void>;
}

/** Commands to the queue. A refused command rejects with an error that has the refusal's `code`. */
export interface QueueVerbs {
  createsQueue(settings?: Partial<QueueSettings>): Promise<void>;
  deletesQueue(): Promise<void>;
  submit(...asked: readonly (number | SubmitOptions)[]): Promise<void>;
  cancel(pr: number): Promise<void>;
  restart(pr: number): Promise<void>;
  /** Uploads the impacted targets of a head; by default of the current one. */
  touches(pr: number, targets: ImpactedTargets, from?: TargetsFrom): Promise<void>;
  pauses(reason?: string): Promise<void>;
  resumes(): Promise<void>;
  drains(): Promise<void>;
  configures(settings: Partial<QueueSettings>): Promise<void>;
}

/** Conclusions of the CI for running checks of commits with this content: of the named check, or of all. */
export interface CiVerbs {
  passes(content: Content, check?: string): Promise<void>;
  /** Fails the named check, or all running ones. */
  fails(content: Content, check?: string): Promise<void>;
  /** Ends all running checks with the conclusion that the content gives. */
  finishes(content: Content): Promise<void>;
  concludes(content: Content, conclusion: Conclusion, check?: string): Promise<void>;
  /** Another system reports a check on a commit with this content, whether or not it is under test. */
  reports(content: Content, check: string, conclusion: Conclusion): Promise<void>;
  /** Reports all checks on the head of a pull request with this conclusion. */
  showsHead(pr: number, conclusion: 'success' | 'failure'): Promise<void>;
}

/** Behaviour of the code host itself. */
export interface HostVerbs {
  /** Overrides the mergeability; null ends that. */
  saysMergeability(pr: number, mergeability: Mergeability | null): Promise<void>;
  /** Sets the checks that the rules of the branch require; null if no rule is about checks. */
  requires(checks: readonly string[] | null): Promise<void>;
  /** From now on reads show pull requests as they are at this moment, until `catchesUp`. */
  lagsBehind(): Promise<void>;
  catchesUp(): Promise<void>;
  goesDown(): Promise<void>;
  comesBack(): Promise<void>;
  /** Refuses every landing from now on; null ends that. */
  refusesLandings(refusal: Omit<Extract<LandOutcome, { kind: 'refused' }>, 'kind'> | null): Promise<void>;
  /** Landings merge only this many members and then stop, as a host that merges one by one may. */
  stopsLandingAfter(members: number): Promise<void>;
  /** From now on landings create another commit than requested. */
  rewritesLandings(): Promise<void>;
  /** The next call of this kind fails in this way, once. */
  losesAnswer(call: HostCall | StoreCall, fault: CallFault): Promise<void>;
  /** Runs `act` when the next landing reaches the host, before it takes effect. */
  beforeLanding(act: () => Promise<void>): Promise<void>;
  /** `silence`: requests for checks are accepted, but nothing starts. `error`: they fail. */
  startsChecks(by: 'running' | 'silence' | 'error'): Promise<void>;
  /** False: requests to cancel checks fail. */
  cancelsChecks(can: boolean): Promise<void>;
}

/** Assertions. One that does not hold throws or rejects with an error that describes the queue. */
export interface Sights<Seen extends Promise<void> | void = Promise<void> | void> {
  /** Exactly these contents have running checks. */
  isTesting(...contents: readonly Content[]): Seen;
  isIn(states: Readonly<Record<number, SubmissionState>>): Seen;
  /** The target has exactly this content. */
  hasLanded(content: Content): Seen;
  /** The queue has moved the target this many times. */
  hasMoved(times: number): Seen;
  /** Files at the tip of the target, or `before` commits below it; null for a file that must not exist. */
  hasFiles(files: Readonly<Record<string, string | null>>, before?: number): Seen;
  /** The first line of the message at the tip of the target. */
  hasTitle(title: RegExp): Seen;
  waitsFor(pr: number, code: WaitCode): Seen;
  hasReason(pr: number, reason: ReasonCode): Seen;
  /** The explanation of a pull request, while it waits or after it ended. */
  explains(pr: number, sentence: RegExp): Seen;
  isOnAttempt(pr: number, attempt: number): Seen;
  /** Its attempt began this long ago. */
  wasSubmitted(pr: number, ago: Duration): Seen;
  /** A line of the queue's history, as `timelineOf` prints it, matches. */
  hasOnRecord(sentence: RegExp): Seen;
  /** The number of test runs of this content. */
  hasTested(content: Content, times: number): Seen;
  /** The number of calls of this kind to the host. */
  hasAsked(call: HostCall, times: number): Seen;
  queueIs(status: QueueStatus): Seen;
  /** The queue warns that this required check was never reported. */
  warnsOf(check: string): Seen;
  /** The pull request was never in the queue. */
  isUnknown(pr: number): Seen;
}

/**
 * One queue of one repository with its host, CI and people, on one layer. Every verb resolves when the queue is settled:
 * nothing happens until the next verb. Checks run until a verb ends them, unless `ciTakes` is set.
 */
export interface Driver extends PeopleVerbs, QueueVerbs, CiVerbs, HostVerbs, Sights {
  /** Lets time pass, with everything that becomes due. */
  after(duration: Duration): Promise<void>;
  /** Runs `act` without hints and without settling; the next verb settles. */
  unseen(act: () => Promise<void>): Promise<void>;
  /** The inbox gets more facts of unknown kinds than an engine keeps. */
  hearsNonsense(): Promise<void>;
  /** Time passes while no engine runs; then new engines start on the same store. */
  isDownFor(duration: Duration): Promise<void>;
  /** Every engine dies, and new ones start on the same store. */
  crashes(): Promise<void>;
  /** The global check finds no fault at this moment. */
  isSound(): Promise<void>;
  /** Expects that the verb is refused with this code. */
  isRefused(code: string, verb: () => Promise<void>): Promise<void>;
  /** Ends the scenario; rejects with every fault of the global check. */
  ends(): Promise<void>;
}
