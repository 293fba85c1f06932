import { checkers, type Violation } from './judge.js';
import { meddlings } from './ledger.js';
import { FLAT_RATIO, type MemoryOf } from './memory.js';
import type { SoakOptions } from './options.js';
import type { Found } from './soak.js';

/** What came of a soak, as data. */
export interface SoakReport {
  readonly seed: number;
  readonly replicas: number;
  readonly killEverySeconds: number;
  readonly loadSeconds: number;
  /** From the last fault until nothing was under way any more. */
  readonly quietSeconds: number;
  /** The longest time in which nothing came to the branch. */
  readonly longestPauseSeconds: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly memory: readonly MemoryOf[];
  readonly violations: readonly Violation[];
  readonly folder: string | null;
}

export const reportOf = (options: SoakOptions, found: Found): SoakReport => {
  const { ledger, faults, requests, receipts, standings } = found;
  const ended = (state: string) => [...standings.values()].filter((one) => one.state === state).length;
  return {
    seed: options.seed,
    replicas: options.replicas,
    killEverySeconds: options.killEverySeconds,
    loadSeconds: Math.round(found.loadMs / 1_000),
    quietSeconds: Math.round(found.quietMs / 1_000),
    longestPauseSeconds: Math.round(found.longestPauseMs / 1_000),
    counts: {
      'pull requests opened': ledger.pulls.size,
      'submissions confirmed': ledger.confirmed,
      ...Object.fromEntries(meddlings.map((one) => [`${one} by hand`, ledger.meddled(one)])),
      'pushes past the queue': ledger.pushes.length,
      'changes of the settings': ledger.settingsChanges,
      landed: receipts.length,
      failed: ended('failed'),
      cancelled: ended('cancelled'),
      'commits on the branch': found.commits,
      'requests answered': requests.answered,
      'requests answered with 503': requests.unavailable,
      'requests without an answer': requests.lost,
    },
    faults: {
      'kills with `kill -9`': faults.kills,
      'times that all replicas were killed at once': faults.allAtOnce,
      'ends on request': faults.ends,
      'stops for longer than a lease': faults.stops,
      'cuts of connections': faults.cuts,
      'connections cut': faults.connectionsCut,
      'restarts of PostgreSQL': faults.restarts,
    },
    memory: found.memory,
    violations: found.violations,
    folder: found.folder,
  };
};

const megabytes = (size: number | null): string => (size === null ? '–' : `${Math.round(size)} MB`);

const flatness = ({ isFlat }: MemoryOf): string => {
  if (isFlat === null) return 'too few samples';
  return isFlat ? 'flat' : 'grows';
};

export const textOf = (report: SoakReport): string => {
  const lines = (numbers: Readonly<Record<string, number>>) =>
    Object.entries(numbers).map(([what, count]) => `  ${String(count).padStart(7)}  ${what}`);
  return [
    `Seed ${report.seed}: ${report.replicas} replicas, ${report.loadSeconds} s of load, quiet after ${report.quietSeconds} s.`,
    `The longest time without a landing: ${report.longestPauseSeconds} s.`,
    ...lines(report.counts),
    'Faults',
    ...lines(report.faults),
    'Memory, medians of the first and the last third',
    ...report.memory.map(
      (one) =>
        `  ${one.replica}: ${megabytes(one.first)}, ${megabytes(one.last)} (${flatness(one)}, ${one.samples} samples)`,
    ),
    report.violations.length === 0
      ? 'No promise was broken.'
      : `${report.violations.length} violations; what was left behind is in ${report.folder}`,
    ...report.violations.map(({ checker, sentence }) => `  ${checker}: ${sentence}`),
    '',
  ].join('\n');
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The page of a soak. */
export const pageOf = (report: SoakReport, command: string): string => `# Soak

Servers on one PostgreSQL work under load while they are killed at random moments, stand still for longer than their leases,
lose their connections and their database; with a real bare repository, and plain git as the witness. Made by

\`\`\`
${command}
\`\`\`

People open pull requests and submit them to one replica or another, each request again under one idempotency key until it is
answered. Some fail their check, some pass but not together, some conflict; some are pushed to, cancelled or closed while they
are in the queue, some commits go to the branch past it, and the settings change: lanes, batches, optimistic merging, concurrency. When
the load ends, everything runs to quiet. Then all of this has to hold:

${table(
  ['Promise', 'Violations'],
  Object.entries(checkers).map(([checker, what]) => [
    what,
    checker === 'memory' && report.memory.every(({ isFlat }) => isFlat === null)
      ? 'not seen: no process lived long enough'
      : String(report.violations.filter((violation) => violation.checker === checker).length),
  ]),
)}

## What there was

${report.replicas} replicas, ${Math.round(report.loadSeconds / 60)} minutes of load, seed ${report.seed}. Quiet ${report.quietSeconds} s after the last fault, the tests of what was still in the
queue included. The longest time in which nothing came to the branch: ${report.longestPauseSeconds} s.

${table(
  ['Faults', ''],
  Object.entries(report.faults).map(([what, count]) => [what, String(count)]),
)}

${table(
  ['Load', ''],
  Object.entries(report.counts).map(([what, count]) => [what, String(count)]),
)}

## Memory

Resident memory of the processes, every five seconds, each from half a minute after its start on: medians of the first and the
last third of the samples. Flat is what does not become more than ${FLAT_RATIO} times as much. To measure it, run without kills:
\`npm run soak -- --minutes 30 --kill-every 0\`.

${table(
  ['', 'Samples', 'First third', 'Last third', ''],
  report.memory.map((one) => [
    one.replica,
    String(one.samples),
    megabytes(one.first),
    megabytes(one.last),
    flatness(one),
  ]),
)}

The seed gives the same choices again, not the same moments: those are the machine's.
`;
