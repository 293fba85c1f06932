import type { Report } from './world/world.js';

const HOUR_MS = 3_600_000;

/** Each of these has to be seen now and then, or the world is too kind. Named as the worlds count them. */
export const sometimes: Readonly<Record<string, string>> = {
  'landing: landed': 'a landing',
  'landing: landed again': 'a landing asked for again after it had happened',
  'landing: base_moved': 'a landing refused because the target had moved',
  'landing: members_changed': 'a landing refused because a pull request had changed',
  'landing: candidate_gone': 'a late twin of a landing that finds its candidate gone',
  'unclear: land': 'the answer to a landing lost',
  'lease lost while landing': 'a lease lost during a landing',
  'lease lost': 'a lease lost',
  'unclear: commit': 'a commit whose outcome is not known',
  'commit: conflict': 'a lost race for a version',
  'commit: under_way': 'a wish that could no longer be taken back',
  'commands asked again': 'a command asked again by its key',
  'fault: host stale': 'a host that shows what was true before',
  'fault: host answers in part': 'a host that leaves pull requests out of an answer',
  'fault: host lags': 'a host that shows an older state of what it was never asked for',
  'fault: host quota used up': 'a host that takes no more calls for a while',
  'fault: host refuses to build (wait)': 'a candidate that the host would not build for a while',
  'fault: host refuses to build (pull_request)': 'a pull request that the host puts into no candidate',
  'squall: a check run again (failure)': 'a check that fails when it is run again after its pass',
  'squall: a landing put off': 'a pull request whose landing the host puts off each time',
  'squall: "never" at a deadline': 'a host that answers "never" as a test run reaches its deadline',
  'squall: a check skipped': 'a check skipped',
  'squall: tests that crash': 'a pull request whose tests are killed by a signal',
  'squall: the host fails on a pull request':
    'a pull request on which the host fails while it answers about others',
  'questions of the curious': 'a history, a receipt or an explanation asked for while faults strike',
  'commands without a key': 'a command without a key',
  'commit found again': 'a commit found by its id after its answer was lost',
  'answer: LANDING_UNDER_WAY': 'a command that came too late for a landing under way',
  'answer: ALREADY_MERGED': 'a cancellation that came after the landing',
  'answer: QUEUE_NOT_EMPTY': 'a queue that could not be deleted',
  'deed: deletes the target': 'the target deleted',
  'deed: rewinds the target': 'the target rewound',
  'reason MANUAL_MERGE': 'a merge by hand',
  'reason MANUAL_PUSH_TO_TARGET_BRANCH': 'runs restarted by a push to the target',
  'reason PR_PUSHED_TO': 'a push while in the queue',
  'reason PR_CLOSED': 'closed while in the queue',
  'reason PR_NOT_FOUND': 'a pull request that is gone',
  'reason REQUIRED_STATUSES_CHANGED': 'the required checks changed after the tests',
  'reason TEST_RUN_TIMEOUT': 'a timeout',
  'reason TEST_RUN_INFRASTRUCTURE': 'the budget for infrastructure used up',
  'reason TEST_RUN_CANCELLED': 'the budget for cancelled tests used up',
  'reason CONFLICT_WITH_SUBMISSION_AHEAD': 'a conflict with a submission ahead',
  'reason START_TEST_RUN_MERGE_CONFLICT': 'a conflict with the target',
  'reason NOTHING_TO_LAND': 'a change that is there already',
  'pending_failure became failed': 'a suspect that was at fault',
  'pending_failure became pending': 'a suspect that was not',
  'paused with a landing under way': 'a queue paused with a landing under way',
  'fault: crash while landing': 'a crash during a landing',
  'landing: refused': 'a landing refused by the host',
  'fault: host rewrites': 'a host that lands another tree',
  'alarm TREE_MISMATCH': 'a landing that is not what was tested',
  'alarm BASE_BROKEN': 'a target that fails by itself',
  'fault: clock jump': 'a clock set by an hour',
  'fault: store clock jump': "the store's clock set",
  'confirmed commits lost': 'a store that lost what it had confirmed',
  'commit of another incarnation': 'a commit that was decided before the store lost others',
  'landed by a lost run': 'a landing of a run that the store has lost',
  'candidates of lost runs': 'candidates of lost runs dropped',
  'refused by a store that is down': 'a call refused by a store that is down',
  'refused by a store that is full': 'a write refused by a store that is full',
  'refused by a host that is down': 'a call refused by a host that is down',
  'refused by a host that is forbidden': 'a call that the host forbids',
  'a batch': 'several tested together',
  'a batch that failed': 'a batch that failed',
  'reason TEST_RUN_FAILED_BY_OPTIMIZATION': 'a culprit that follows from other verdicts',
  'bisection ended: isolation_inconclusive': 'a failed batch of which every part passed',
  'bisection ended: isolation_limit': 'a failed batch that was given up at its limit',
  'bisection ended: isolation_interrupted': 'a failed batch whose parts came to no verdict',
  'a member of a batch left': 'one who leaves while his batch is tested',
  'run isolate': 'a part of a failed batch tested',
  'run control': 'the target tested by itself',
  'run compose': 'several lanes put together',
  'beside another lane': 'a landing past runs of other lanes',
  'an ALL among lanes': 'one that touches everything, among lanes',
  'reason OVERTAKEN': 'a run overtaken by one who touches the same',
  'reason SUCCESSOR_TEST_RUN_PASSED': 'one proven by a submission behind it',
  'reason MERGE_GRAPH_DIRECT_MERGE': 'one landed by the checks of its own head',
  'reason CONFIRMATION_REQUIRED': 'a failure that another run was to confirm',
  'reason SKIP_THE_LINE_INTERRUPTED': 'a run interrupted by an urgent submission',
  'reason NOT_READY_TIMEOUT_EXPIRED': 'one who did not become ready in time',
  'a mode entered': 'a mode switched',
  'all slots taken': 'every slot taken',
  'late result of a dead attempt': 'a candidate or check of a run that was over',
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
  /** What has to be seen now and then, and was not. */
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

  /** Of other seeds. */
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

  /** What every run of the same seeds gives again. */
  tables(): string {
    const faults = [...this.#counts].filter(([name]) => /^(fault|squall): /.test(name)).sort();
    const lines = [
      '| in all | |',
      `|---|---:|`,
      row('seeds', this.seeds),
      row('hours of virtual time', Math.round(this.virtualMs / HOUR_MS)),
      row('events', this.events),
      row('commands of people', this.count('commands')),
      row('runs', this.count('runs')),
      row('landings', this.count('landing: landed')),
      row('submissions merged', this.count('moved to merged')),
      row('submissions failed', this.count('moved to failed')),
      row('submissions cancelled', this.count('moved to cancelled')),
      row('lost races', this.count('commit: conflict')),
      row('violations', this.violations.length),
      '',
      ...this.#violationTable(),
      '| fault | times |',
      '|---|---:|',
      ...faults.map(([name, count]) => row(name.replace(/^fault: /, ''), count)),
      '',
      '| has to be seen now and then | times |',
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
