import type { Report } from './world/world.js';

const HOUR_MS = 3_600_000;

/** Events that every long run must show; otherwise its worlds are too easy. The keys are names of counters. */
export const sometimes: Readonly<Record<string, string>> = {
  'landing: landed': 'a landing',
  'landing: landed again': 'a landing that was requested again after it had happened',
  'landing: base_moved': 'a landing refused because the target had moved',
  'landing: members_changed': 'a landing refused because a pull request had changed',
  'landing: candidate_gone': 'a late duplicate of a landing that finds its candidate gone',
  'unclear: land': 'the answer to a landing lost',
  'lease lost while landing': 'a lease lost during a landing',
  'lease lost': 'a lease lost',
  'unclear: commit': 'a commit whose outcome is unknown',
  'commit: conflict': 'a commit conflict',
  'commit: under_way': 'an effect that could no longer be withdrawn',
  'commands asked again': 'a command repeated with its idempotency key',
  'fault: host stale': 'a host that repeats an older answer',
  'fault: host answers in part': 'a host that leaves pull requests out of an answer',
  'fault: host lags': 'a host that shows an older state of an item never read before',
  'fault: host quota used up': 'a host whose call quota is used up',
  'fault: host refuses to build (wait)': 'a host that refuses to build candidates for a while',
  'fault: host refuses to build (pull_request)': 'a pull request of which the host builds no candidate',
  'triggered fault: a check rerun (failure)': 'a check that passed and fails when it is rerun',
  'triggered fault: a landing postponed': 'a pull request whose landing the host always postpones',
  'triggered fault: "never" at a deadline': 'a host that answers "never" as a test run reaches its deadline',
  'triggered fault: a check skipped': 'a check skipped',
  'triggered fault: tests that crash': 'a pull request whose tests are killed by a signal',
  'triggered fault: the host fails on a pull request':
    'a pull request on which the host fails while it works for others',
  'questions of the curious': 'a history, receipt or explanation read during faults',
  'commands without a key': 'a command without a key',
  'commit found again': 'a commit found by its id after its answer was lost',
  'answer: LANDING_UNDER_WAY': 'a command refused because of a landing in progress',
  'answer: ALREADY_MERGED': 'a cancel after the landing',
  'answer: QUEUE_NOT_EMPTY': 'a queue that could not be deleted',
  'interference: deletes the target': 'the target deleted',
  'interference: rewinds the target': 'the target rewound',
  'reason MANUAL_MERGE': 'a merge by hand',
  'reason MANUAL_PUSH_TO_TARGET_BRANCH': 'test runs restarted by a push to the target',
  'reason PR_PUSHED_TO': 'a push to a pull request in the queue',
  'reason PR_CLOSED': 'a pull request closed while in the queue',
  'reason PR_NOT_FOUND': 'a pull request that no longer exists',
  'reason REQUIRED_STATUSES_CHANGED': 'the required checks changed after the tests',
  'reason TEST_RUN_TIMEOUT': 'a timeout',
  'reason TEST_RUN_INFRASTRUCTURE': 'the retry budget for infrastructure failures used up',
  'reason TEST_RUN_CANCELLED': 'the retry budget for cancelled checks used up',
  'reason CONFLICT_WITH_SUBMISSION_AHEAD': 'a conflict with a submission ahead',
  'reason START_TEST_RUN_MERGE_CONFLICT': 'a conflict with the target',
  'reason NOTHING_TO_LAND': 'a change that is already on the target',
  'pending_failure became failed': 'a pending failure that became final',
  'pending_failure became pending': 'a pending failure that was cleared',
  'paused with a landing under way': 'a queue paused during a landing',
  'fault: crash while landing': 'a crash during a landing',
  'landing: refused': 'a landing refused by the host',
  'fault: host rewrites': 'a host that lands another tree',
  'alarm TREE_MISMATCH': 'a landing that is not what was tested',
  'alarm BASE_BROKEN': 'a target that fails its own checks',
  'fault: clock jump': 'a clock changed by an hour',
  'fault: store clock jump': "the store's clock changed",
  'confirmed commits lost': 'a store that lost confirmed commits',
  'commit of another incarnation': 'a commit decided before the store lost commits',
  'landed by a lost run': 'a landing of a test run that the store has lost',
  'candidates of lost runs': 'candidates of lost test runs dropped',
  'refused by a store that is down': 'a call refused by a store that is down',
  'refused by a store that is full': 'a write refused by a store that is full',
  'refused by a host that is down': 'a call refused by a host that is down',
  'refused by a host that is forbidden': 'a call that the host forbids',
  'a batch': 'a batch of several pull requests',
  'a batch that failed': 'a batch that failed',
  'reason TEST_RUN_FAILED_BY_OPTIMIZATION': 'a culprit inferred from other verdicts',
  'bisection ended: isolation_inconclusive': 'a failed batch whose parts all passed',
  'bisection ended: isolation_limit': 'a bisection that reached its run limit',
  'bisection ended: isolation_interrupted': 'a bisection without a verdict',
  'a member of a batch left': 'a member that left while its batch was tested',
  'run isolate': 'a bisection run',
  'run control': 'a baseline run',
  'run compose': 'several lanes combined in one candidate',
  'beside another lane': 'a landing in parallel to test runs of other lanes',
  'an ALL among lanes': 'a pull request with target ALL among lanes',
  'reason OVERTAKEN': 'a test run overtaken by an overlapping pull request',
  'reason SUCCESSOR_TEST_RUN_PASSED': 'a pull request cleared by one behind it',
  'reason MERGE_GRAPH_DIRECT_MERGE': 'a pull request landed by the checks of its own head',
  'reason CONFIRMATION_REQUIRED': 'a failure that required a confirming test run',
  'reason SKIP_THE_LINE_INTERRUPTED': 'a test run preempted by an urgent pull request',
  'reason NOT_READY_TIMEOUT_EXPIRED': 'a pull request that did not become ready in time',
  'a mode entered': 'a change of mode',
  'all slots taken': 'all slots taken',
  'late result of a dead attempt': 'a candidate or check of a closed test run',
};

export interface SummaryData {
  readonly seeds: number;
  readonly events: number;
  readonly virtualHours: number;
  readonly violations: readonly {
    readonly seed: number;
    readonly checker: string;
    readonly sentence: string;
  }[];
  readonly counts: Readonly<Record<string, number>>;
  /** Required events that did not occur. */
  readonly neverSeen: readonly string[];
}

/** Adds up reports. */
export class Summary {
  seeds = 0;
  events = 0;
  virtualMs = 0;
  readonly violations: { readonly seed: number; readonly checker: string; readonly sentence: string }[] = [];
  readonly #counts = new Map<string, number>();

  add(report: Report): void {
    this.seeds += 1;
    this.events += report.events;
    this.virtualMs += report.virtualMs;
    const [first] = report.violations;
    if (first !== undefined) this.violations.push({ seed: report.seed, ...first });
    for (const [name, count] of Object.entries(report.counts)) this.#count(name, count);
  }

  /** Adds the sums of other seeds. */
  addData({ seeds, events, virtualHours, violations, counts }: SummaryData): void {
    this.seeds += seeds;
    this.events += events;
    this.virtualMs += virtualHours * HOUR_MS;
    this.violations.push(...violations);
    for (const [name, count] of Object.entries(counts)) this.#count(name, count);
  }

  #count(name: string, count: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  data(): SummaryData {
    return {
      seeds: this.seeds,
      events: this.events,
      virtualHours: this.virtualMs / HOUR_MS,
      violations: this.violations,
      counts: Object.fromEntries([...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1))),
      neverSeen: this.#neverSeen(),
    };
  }

  /** The sums as Markdown tables; the same for every run of the same seeds. */
  tables(): string {
    const faults = [...this.#counts].filter(([name]) => /^(fault|triggered fault): /.test(name)).sort();
    const lines = [
      '| total | |',
      `|---|---:|`,
      row('seeds', this.seeds),
      row('hours of virtual time', Math.round(this.virtualMs / HOUR_MS)),
      row('events', this.events),
      row('commands of people', this.count('commands')),
      row('test runs', this.count('runs')),
      row('landings', this.count('landing: landed')),
      row('submissions merged', this.count('moved to merged')),
      row('submissions failed', this.count('moved to failed')),
      row('submissions cancelled', this.count('moved to cancelled')),
      row('commit conflicts', this.count('commit: conflict')),
      row('violations', this.violations.length),
      '',
      ...this.#violationTable(),
      '| fault | times |',
      '|---|---:|',
      ...faults.map(([name, count]) => row(name.replace(/^fault: /, ''), count)),
      '',
      '| required event | times |',
      '|---|---:|',
      ...Object.entries(sometimes).map(([name, meaning]) => row(meaning, this.count(name))),
      '',
    ];
    return lines.join('\n');
  }

  text(): string {
    const lines = [this.tables()];
    for (const { seed, checker, sentence } of this.violations)
      lines.push(`seed ${seed}: ${checker}: ${sentence}`, `  replay: npm run sim -- --seed ${seed} --trace`);
    const never = this.#neverSeen();
    if (never.length > 0) lines.push(`Never seen: ${never.join('; ')}.`);
    return `${lines.join('\n')}\n`;
  }

  #violationTable(): readonly string[] {
    if (this.violations.length === 0) return [];
    const rows = this.violations.map(
      ({ seed, checker, sentence }) => `| ${seed} | ${checker}: ${sentence.replaceAll('|', '\\|')} |`,
    );
    return ['| seed | violation |', '|---:|---|', ...rows, ''];
  }

  #neverSeen(): readonly string[] {
    return Object.entries(sometimes).flatMap(([name, meaning]) => (this.count(name) === 0 ? [meaning] : []));
  }
}

const row = (name: string, count: number): string => `| ${name} | ${count.toLocaleString('en-US')} |`;
