import { cpus, loadavg } from 'node:os';
import type { Findings, Goal, Table } from './bench.js';

/** One bench and what it found. */
export interface Found {
  readonly name: string;
  readonly title: string;
  readonly findings: Findings;
}

/** The machine that it was measured on. */
export interface Machine {
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  /** Processes that wanted a core in the minute before, on average. */
  readonly load: number;
}

export const thisMachine = (): Machine => {
  const cores = cpus();
  return {
    node: process.version,
    processor: cores[0]?.model.trim() ?? 'an unknown processor',
    cores: cores.length,
    load: loadavg()[0] ?? 0,
  };
};

export const machineText = ({ node, processor, cores, load }: Machine): string =>
  `Node ${node}, ${cores} cores (${processor}), load ${load.toFixed(1)} at the beginning`;

/** For people: goals first, then the tables. Markdown that can be read as it is. */
export const textOf = ({ title, findings: { about, goals, tables } }: Found): string =>
  [`## ${title}`, about, tableText(goalTable(goals)), ...tables.map(tableText)].join('\n\n');

const goalTable = (goals: readonly Goal[]): Table => ({
  head: ['', 'goal', 'wanted', 'found'],
  rows: goals.map(({ what, wanted, found, isMet }) => [isMet ? '✔' : '✖', what, wanted, found]),
});

export const tableText = ({ head, rows }: Table): string => {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0), 3),
  );
  const isNumber = head.map(
    (_, column) => column > 0 && rows.every((row) => /^[-–\d]/.test(row[column] ?? '')),
  );
  const pad = (text: string, column: number) =>
    isNumber[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) => '-'.repeat(width - 1) + (isNumber[column] ? ':' : '-'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
};

export const pageOf = (found: readonly Found[], machine: Machine, command: string): string =>
  [
    '# Benches',
    'What the engine costs, and what its decisions cost, each beside a named reference measured in the same run. Made by',
    `\`\`\`\n${command}\n\`\`\``,
    [
      `on ${machineText(machine)}.`,
      'Other work ran on the same machine: times are CPU time of one thread (V8 with `--single-threaded`, compiling and collections',
      'included), with the young generation of the bundled server (`--max-semi-space-size=64`). Rounds alternate between what is compared, and the median of the rounds is told. Ratios may be compared',
      'between machines, times may not. No test depends on any of it.',
    ].join('\n'),
    ...found.map(textOf),
  ]
    .join('\n\n')
    .concat('\n');
