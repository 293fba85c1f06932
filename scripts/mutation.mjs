import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run, tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem, ROOT } from './machine.mjs';

/**
 * @typedef {{ line: number, column: number }} Place
 * @typedef {{ status: string, mutatorName?: string, replacement?: string, location: { start: Place, end: Place } }} Mutant
 * @typedef {{ source: string, mutants: readonly Mutant[] }} MutatedFile
 * @typedef {{ files: Readonly<Record<string, MutatedFile>> }} Report
 * @typedef {{ killed: number, timeout: number, alive: number }} Counts
 * @typedef {{ file: string, line: string, changes: readonly string[], because: string | null }} Survivor
 * @typedef {{ files: Readonly<Record<string, Counts>>, survivors: readonly Survivor[] }} Known
 */

const REPORT = '.mutation/report.json';
export const KNOWN = 'scripts/mutation-known.json';
const FOLDER = 'packages/core/src/';
export const PAGE = 'docs/evidence/mutation.md';

/** The result of each file from its last run. @param {string} root @returns {Known} */
export const knownIn = (root) => JSON.parse(readFileSync(`${root}/${KNOWN}`, 'utf8'));

/**
 * The results after a report: for the files that were run, all of the report except why a mutant survived. That is
 * known by the text of a line, wherever it stands.
 * @param {Known} known
 * @param {Report} report
 * @returns {Known}
 */
export function withReport(known, report) {
  const mutated = Object.entries(report.files)
    .map(([path, file]) => ({ name: path.replace(FOLDER, ''), file, counts: countsOf(file.mutants) }))
    .filter(({ counts }) => counts.killed + counts.timeout + counts.alive > 0);
  const wasRun = new Set(mutated.map(({ name }) => name));
  return {
    files: { ...known.files, ...Object.fromEntries(mutated.map(({ name, counts }) => [name, counts])) },
    survivors: [
      ...known.survivors.filter(({ file }) => !wasRun.has(file)),
      ...mutated.flatMap(({ name, file }) => survivorsOf(name, file, known.survivors)),
    ],
  };
}

/**
 * The records of survivors whose line is no longer in its file.
 * @param {Known} known
 * @param {string} root
 * @returns {readonly Survivor[]}
 */
export function strayRecords({ survivors }, root) {
  const linesOf = (/** @type {string} */ file) => {
    const path = `${root}/${FOLDER}${file}`;
    return existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .map((one) => one.trim())
      : [];
  };
  return survivors.filter(({ file, line }) => !linesOf(file).includes(line));
}

/**
 * Throws a problem if a record names a line that is no longer in its file: its explanation would be lost.
 * @param {Known} known
 * @param {string} root
 * @returns {undefined}
 */
export function requireLines(known, root) {
  const strays = strayRecords(known, root);
  if (strays.length === 0) return;
  const named = strays.map(({ file, line }) => `  ${FOLDER}${file}: ${line}`).join('\n');
  const [it, file] =
    strays.length === 1 ? ['A record', strays[0]?.file] : [`${strays.length} records`, 'FILE'];
  throw new Problem(
    `${it} in ${KNOWN} cannot be found in the source:\n${named}`,
    `If the line was only renamed or reformatted, change "line" and "changes" of the record to match. If it does something else now, run \`npm run mutation -- --mutate ${FOLDER}${file}\`, which tests the file again and replaces its records. If the line is gone, delete the record.`,
  );
}

/** The page: the killed mutants by file, and each survivor with its reason. @param {Known} known */
export function pageOf({ files, survivors }) {
  const names = Object.keys(files).sort();
  const rings = [...new Set(names.map(ringOf))];
  const row = (/** @type {string} */ name, /** @type {Counts} */ counts) =>
    `| ${name} | ${counts.killed} | ${counts.timeout} | ${counts.alive} | ${scoreOf(counts)} |`;
  const rowsOf = (/** @type {string} */ ring) => {
    const inIt = names.filter((name) => ringOf(name) === ring);
    const rows = inIt.map((name) => row(name, files[name] ?? countsOf([])));
    const total = inIt.map((name) => files[name] ?? countsOf([])).reduce(plus, countsOf([]));
    return [...rows, row(`**all of ${ring}/**`, total)];
  };
  return [
    ...head,
    '| file | killed | timed out | survived | score |',
    '|---|---:|---:|---:|---:|',
    ...rings.flatMap(rowsOf),
    '',
    '## Survivors',
    '',
    ...names.flatMap((name) => sectionOf(name, survivors)),
  ].join('\n');
}

/**
 * The ring of the engine that a file is in.
 * @param {string} name
 */
const ringOf = (name) => name.split('/', 1)[0] ?? '';

/**
 * @param {string} name
 * @param {readonly Survivor[]} survivors
 */
function sectionOf(name, survivors) {
  const lines = survivors
    .filter(({ file }) => file === name)
    .map(({ line, changes, because }) => {
      const changed = changes.map((change) => `\`${change}\``).join(', ');
      return `- \`${line}\`: ${changed}. ${because ?? 'Not explained: a test may be missing.'}`;
    });
  return lines.length === 0 ? [] : [`### ${name}`, '', ...lines, ''];
}

const head = [
  '# Mutation testing',
  '',
  'A test that cannot fail proves nothing. StrykerJS changes the rules in `decide/` and the explanations in `explain/`, both in',
  '`packages/core/src`, one place at a time (a condition inverted, a call removed, a bound shifted), and runs the rule tests and',
  'stories that reach this place: one of them must fail. Generated from the report of',
  '',
  '```',
  'npm run mutation',
  '```',
  '',
  'which does all files. `npm run mutation -- --mutate packages/core/src/decide/testing/batch.ts` does one file in about a minute,',
  'keeps the results of the others, and writes this page. The tests are loaded once for hundreds of changes',
  '(`scripts/mutation-runner.mjs`), and those that found the most changes so far run first. Three things are left out: texts, most',
  'of which are codes that the compiler checks; code that runs once when a file is loaded; and property tests, which do not test a',
  'single rule. The scores of a file are from its last run; its rules may have changed since. When a line changes, `npm run generate`',
  'fails until its record follows.',
  '',
];

/**
 * @param {readonly Mutant[]} mutants
 * @returns {Counts}
 */
function countsOf(mutants) {
  const count = (/** @type {string[]} */ ...statuses) =>
    mutants.filter(({ status }) => statuses.includes(status)).length;
  return { killed: count('Killed'), timeout: count('Timeout'), alive: count('Survived', 'NoCoverage') };
}

/**
 * @param {Counts} one
 * @param {Counts} other
 */
function plus(one, other) {
  return {
    killed: one.killed + other.killed,
    timeout: one.timeout + other.timeout,
    alive: one.alive + other.alive,
  };
}

/** @param {Counts} counts */
function scoreOf({ killed, timeout, alive }) {
  const found = killed + timeout;
  return `${((100 * found) / (found + alive)).toFixed(1)} %`;
}

/**
 * The survivors of one file by the text of the line that they changed: those of one text share its explanation.
 * @param {string} name
 * @param {MutatedFile} file
 * @param {readonly Survivor[]} known
 * @returns {readonly Survivor[]}
 */
function survivorsOf(name, { source, mutants }, known) {
  const lines = source.split('\n');
  const textOf = (/** @type {Mutant} */ { location }) => (lines[location.start.line - 1] ?? '').trim();
  const alive = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .sort((one, other) => one.location.start.line - other.location.start.line);
  return [...new Set(alive.map(textOf))].map((line) => ({
    file: name,
    line,
    changes: alive.filter((mutant) => textOf(mutant) === line).map((mutant) => changeOf(lines, mutant)),
    because: known.find((one) => one.file === name && one.line === line)?.because ?? null,
  }));
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
  const code = await run(tool('@stryker-mutator/core/bin/stryker.js', 'run', ...args));
  if (code !== 0) return code;
  if (!existsSync(`${ROOT}/${REPORT}`))
    throw new Problem(`There is no report in ${REPORT}.`, 'See above what kept it from being written.');
  const known = withReport(knownIn(ROOT), JSON.parse(readFileSync(`${ROOT}/${REPORT}`, 'utf8')));
  writeFileSync(`${ROOT}/${KNOWN}`, `${JSON.stringify(known, null, 2)}\n`);
  writeFileSync(`${ROOT}/${PAGE}`, pageOf(known));
  return run(tool('@biomejs/biome/bin/biome', 'format', '--write', KNOWN));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(() => mutate(process.argv.slice(2)));
