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
 * Names what a commit holds, e.g. `main+1+2`: what the branch held at the beginning, then, in order, the pull requests
 * and `push` for each commit that somebody pushed past the queue.
 */
export type Content = string;

export interface SubmitOptions {
  readonly priority?: number | null;
  readonly skipTheLine?: boolean;
  readonly noBatch?: boolean;
  readonly forceEnqueued?: boolean;
  /** `stale` names a head that the pull request does not have; `present` the one that it has. */
  readonly head?: 'stale' | 'present';
}

/** A time such as `90s`, `30m` or `2h`. */
export type Duration = `${number}${'s' | 'm' | 'h'}`;

export interface Setup {
  readonly settings?: Partial<QueueSettings>;
  /** The checks of the CI, all required by the branch's rules; `['test']` by default. */
  readonly checks?: readonly string[];
  /** False: the branch has no queue yet. */
  readonly queue?: boolean;
  /** False: no CI tests the tip of the target by itself; else it passes everything there, whoever pushed it. */
  readonly showsTip?: boolean;
  /** Its CI ends each check by itself after this time, as the content deserves. */
  readonly ciTakes?: Duration;
  /** Of so many checks that end by themselves the last one fails for no reason. */
  readonly oneFlakyOf?: number;
  /** How many engines serve it; what is asked goes to one after another, and what happens is told to each. */
  readonly engines?: number;
  readonly pace?: Partial<Pace>;
}

/** The connection is lost before the call has taken effect, or after it; or nobody ever answers, and time passes. */
export type CallFault = 'fails_before' | 'fails_after' | 'never_ends';

/** The calls to the host that change something there. */
export type HostCall = 'buildCandidate' | 'startChecks' | 'cancelChecks' | 'land' | 'dropCandidate';

/** The calls to the store that change something there. */
export type StoreCall = 'commit';

/** Whose list of targets it is, and which head it speaks for: another one than the pull request's, if not its own. */
export interface TargetsFrom {
  readonly source?: TargetSet['source'];
  readonly head?: 'another' | 'present';
}

/** What people do at the code host. Pull requests that nobody opened are opened when they are first named. */
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
  /** Forces the target back by so many commits. */
  rewinds(commits?: number): Promise<void>;
  deletesTarget(): Promise<void>;
  /** Puts the target back to where it was before it was deleted. */
  restoresTarget(): Promise<void>;
}

/** What is asked of the queue. Each rejects where it is refused, with the error's code under `code`. */
export interface QueueVerbs {
  createsQueue(settings?: Partial<QueueSettings>): Promise<void>;
  deletesQueue(): Promise<void>;
  submit(...asked: readonly (number | SubmitOptions)[]): Promise<void>;
  cancel(pr: number): Promise<void>;
  restart(pr: number): Promise<void>;
  /** Uploads what its present head touches: every target, or these. */
  touches(pr: number, targets: ImpactedTargets, from?: TargetsFrom): Promise<void>;
  pauses(reason?: string): Promise<void>;
  resumes(): Promise<void>;
  drains(): Promise<void>;
  configures(settings: Partial<QueueSettings>): Promise<void>;
}

/** What CI answers to the checks that run on a commit with this content. Each ends what it names and no more. */
export interface CiVerbs {
  passes(content: Content, check?: string): Promise<void>;
  /** Fails the named check, or all that run there. */
  fails(content: Content, check?: string): Promise<void>;
  /** Ends as the content deserves. */
  finishes(content: Content): Promise<void>;
  concludes(content: Content, conclusion: Conclusion, check?: string): Promise<void>;
  /** Somebody else reports a check on a commit with this content, under test or not. */
  reports(content: Content, check: string, conclusion: Conclusion): Promise<void>;
  /** It tests the head of a pull request by itself, all checks, with this end. */
  showsHead(pr: number, conclusion: 'success' | 'failure'): Promise<void>;
}

/** What the code host says or does, past all people. */
export interface HostVerbs {
  /** Null for the truth. */
  saysMergeability(pr: number, mergeability: Mergeability | null): Promise<void>;
  /** The checks that the rules of the branch name; null where no rule speaks of checks. */
  requires(checks: readonly string[] | null): Promise<void>;
  /** From now on it shows pull requests as they are at this moment, whatever becomes of them. */
  lagsBehind(): Promise<void>;
  catchesUp(): Promise<void>;
  goesDown(): Promise<void>;
  comesBack(): Promise<void>;
  /** Refuses to land from now on; null: nothing stands against it any more. */
  refusesLandings(refusal: Omit<Extract<LandOutcome, { kind: 'refused' }>, 'kind'> | null): Promise<void>;
  /** Lands the first so many and then stops, as one that merges one by one may. */
  stopsLandingAfter(members: number): Promise<void>;
  /** Lands something else than it was asked to, from now on. */
  rewritesLandings(): Promise<void>;
  /** What becomes of the next such call, once. */
  losesAnswer(call: HostCall | StoreCall, fault: CallFault): Promise<void>;
  /** Does this the moment the next landing reaches the host, before it takes effect. */
  beforeLanding(act: () => Promise<void>): Promise<void>;
  /** `silence`: a request for checks is taken and nothing starts. */
  startsChecks(by: 'running' | 'silence' | 'error'): Promise<void>;
  /** False: requests to cancel checks get no answer. */
  cancelsChecks(can: boolean): Promise<void>;
}

/** What can be seen. Each fails with a readable error where it does not hold: it throws, or rejects where it waits. */
export interface Sights<Seen extends Promise<void> | void = Promise<void> | void> {
  /** Exactly these contents are under test by the CI. */
  isTesting(...contents: readonly Content[]): Seen;
  isIn(states: Readonly<Record<number, SubmissionState>>): Seen;
  /** The target holds exactly this. */
  hasLanded(content: Content): Seen;
  /** The queue has moved the target so many times. */
  hasMoved(times: number): Seen;
  /** The files at the tip of the target, or so many commits before it; null where there must be none. */
  hasFiles(files: Readonly<Record<string, string | null>>, before?: number): Seen;
  /** The first line of the message at the tip of the target. */
  hasTitle(title: RegExp): Seen;
  waitsFor(pr: number, code: WaitCode): Seen;
  hasReason(pr: number, reason: ReasonCode): Seen;
  /** What a person is told about it, while it waits or after it ended. */
  explains(pr: number, sentence: RegExp): Seen;
  isOnAttempt(pr: number, attempt: number): Seen;
  /** When its attempt began. */
  wasSubmitted(pr: number, ago: Duration): Seen;
  /** What was asked and done is told so in the history of the queue. */
  hasOnRecord(sentence: RegExp): Seen;
  /** How often the CI was asked to test this content. */
  hasTested(content: Content, times: number): Seen;
  /** How often the host was called to do this. */
  hasAsked(call: HostCall, times: number): Seen;
  queueIs(status: QueueStatus): Seen;
  /** The queue itself warns that no run has ever shown this required check. */
  warnsOf(check: string): Seen;
  /** Not in the queue and never was. */
  isUnknown(pr: number): Seen;
}

/**
 * One queue of one repository and the world around it, on one layer. Every verb ends settled: nothing is left to do
 * before somebody acts or time passes. Checks run until they are told how to end.
 */
export interface Driver extends PeopleVerbs, QueueVerbs, CiVerbs, HostVerbs, Sights {
  /** Time passes, with everything that happens meanwhile. */
  after(duration: Duration): Promise<void>;
  /** All of it happens at once, and the host tells nobody. Nothing settles before something else happens. */
  unseen(act: () => Promise<void>): Promise<void>;
  /** More comes in that nobody understands than is kept. */
  hearsNonsense(): Promise<void>;
  /** Time passes while no engine runs; then another one takes over the same store. */
  isDownFor(duration: Duration): Promise<void>;
  /** Every engine dies, and others take over the same store. */
  crashes(): Promise<void>;
  /** Everything that the global check asks for holds at this moment. */
  isSound(): Promise<void>;
  /** The verb is refused with this code. */
  isRefused(code: string, verb: () => Promise<void>): Promise<void>;
  /** Ends it: rejects with every fault of the global check. */
  ends(): Promise<void>;
}
