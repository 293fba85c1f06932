import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run, tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem, ROOT } from './machine.mjs';

/**
 * @typedef {{ line: number, column: number }} Place
 * @typedef {{ status: string, mutatorName: string, replacement?: string, location: { start: Place, end: Place } }} Mutant
 * @typedef {{ source: string, mutants: Mutant[] }} MutatedFile
 * @typedef {{ files: Record<string, MutatedFile> }} Report
 * @typedef {{ file: string, line: string, because: string }} Explanation
 */

const REPORT = '.mutation/report.json';
const PAGE = 'docs/reference/mutation.md';
const EXPLANATIONS = 'scripts/mutation-survivors.json';
const FOLDER = 'packages/core/src/decide/';

/**
 * The page of a report: what was killed in which file, and what was not, each with the reason why.
 * @param {Report} report
 * @param {readonly Explanation[]} explanations
 */
export function pageOf(report, explanations) {
  const files = Object.entries(report.files)
    .map(([path, file]) => ({ name: path.replace(FOLDER, ''), file, counts: countsOf(file.mutants) }))
    .filter(({ counts }) => counts.killed + counts.timeout + counts.alive > 0)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const total = files.reduce((sum, { counts }) => plus(sum, counts), countsOf([]));
  const row = (/** @type {string} */ name, /** @type {ReturnType<typeof countsOf>} */ counts) =>
    `| ${name} | ${counts.killed} | ${counts.timeout} | ${counts.alive} | ${scoreOf(counts)} |`;
  return [
    ...head,
    '| file | killed | ran for ever | survived | score |',
    '|---|---:|---:|---:|---:|',
    ...files.map(({ name, counts }) => row(name, counts)),
    row('**all of these**', total),
    '',
    '## Survivors',
    '',
    ...files.flatMap(({ name, file }) => survivorsOf(name, file, explanations)),
  ].join('\n');
}

const head = [
  '# Mutation testing',
  '',
  'A test that cannot fail proves nothing. StrykerJS changes the rules in `packages/core/src/decide` in one place at a time',
  '(a condition turned, a call left out, a bound moved), and runs the rule tests and stories that reach this place: one of',
  'them has to fail. Made from the report of',
  '',
  '```',
  'npm run mutation',
  '```',
  '',
  'which takes hours on two cores; `npm run mutation -- --mutate packages/core/src/decide/batch.ts` does one file, keeps what',
  'is known of the others, and writes this page. Files that are not in the table were not run. Texts are not changed (most',
  'are codes that the compiler checks), nor is what is evaluated once when a file is loaded, and the property tests do not',
  'take part: what they find is said by no single rule. Lines and scores of a file are those of when it was last run; the',
  'rules may have changed since.',
  '',
];

/** @param {readonly Mutant[]} mutants */
function countsOf(mutants) {
  const count = (/** @type {string[]} */ ...statuses) =>
    mutants.filter(({ status }) => statuses.includes(status)).length;
  return { killed: count('Killed'), timeout: count('Timeout'), alive: count('Survived', 'NoCoverage') };
}

/**
 * @param {ReturnType<typeof countsOf>} one
 * @param {ReturnType<typeof countsOf>} other
 */
function plus(one, other) {
  return {
    killed: one.killed + other.killed,
    timeout: one.timeout + other.timeout,
    alive: one.alive + other.alive,
  };
}

/** @param {ReturnType<typeof countsOf>} counts */
function scoreOf({ killed, timeout, alive }) {
  const found = killed + timeout;
  return `${((100 * found) / (found + alive)).toFixed(1)} %`;
}

/**
 * The survivors of one file by the line that they changed: those of one line share its explanation.
 * @param {string} name
 * @param {MutatedFile} file
 * @param {readonly Explanation[]} explanations
 */
function survivorsOf(name, { source, mutants }, explanations) {
  const alive = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  if (alive.length === 0) return [];
  const lines = source.split('\n');
  const numbers = [...new Set(alive.map(({ location }) => location.start.line))].sort((a, b) => a - b);
  const told = numbers.map((number) => {
    const some = alive.filter(({ location }) => location.start.line === number);
    const text = (lines[number - 1] ?? '').trim();
    const because = explanations.find((one) => one.file === name && one.line === text)?.because;
    const changes = some.map((mutant) => `\`${changeOf(lines, mutant)}\``).join(', ');
    return `- Line ${number}, \`${text}\`: ${changes}. ${because ?? 'Nobody has explained it: a test may be missing.'}`;
  });
  return [`### ${name}`, '', ...told, ''];
}

/**
 * @param {readonly string[]} lines
 * @param {Mutant} mutant
 */
function changeOf(lines, { location: { start, end }, replacement = '' }) {
  const line = lines[start.line - 1] ?? '';
  const before = line.slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined).trim();
  return `${before}${start.line === end.line ? '' : ' …'} → ${replacement.replace(/\s+/g, ' ') || 'nothing'}`;
}

/** @param {readonly string[]} args */
async function mutate(args) {
  await ensureInstalled();
  if (args[0] !== '--page-only') {
    const code = await run(tool('@stryker-mutator/core/bin/stryker.js', 'run', ...args));
    if (code !== 0) return code;
  }
  if (!existsSync(`${ROOT}/${REPORT}`))
    throw new Problem(`There is no report in ${REPORT}.`, 'Run `npm run mutation` without --page-only.');
  const explanations = JSON.parse(readFileSync(`${ROOT}/${EXPLANATIONS}`, 'utf8'));
  writeFileSync(
    `${ROOT}/${PAGE}`,
    pageOf(JSON.parse(readFileSync(`${ROOT}/${REPORT}`, 'utf8')), explanations),
  );
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(() => mutate(process.argv.slice(2)));
