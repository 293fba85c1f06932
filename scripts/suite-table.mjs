import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './machine.mjs';
import { couldRun } from './needs.mjs';
import { thoroughFiles } from './thorough.mjs';

const FILES = `${ROOT}/node_modules/.mq/test-files.json`;

/** Milliseconds of each test file when it last ran. @returns {Record<string, number>} */
export function knownTimes() {
  if (!existsSync(FILES)) return {};
  /** @type {{ file: string, ms: number }[]} */
  const files = JSON.parse(readFileSync(FILES, 'utf8'));
  return Object.fromEntries(files.map(({ file, ms }) => [file, ms]));
}

/** @typedef {{ files: number, tests: number, skipped: number, ms: number }} Row */

/**
 * A Vitest reporter: prints at the end what ran, a line for each project, and what was left to `npm run verify`. Keeps the
 * time of each file in node_modules/.mq/test-files.json, slowest first.
 */
// biome-ignore lint/style/noDefaultExport: Vitest takes the default export of a reporter.
export default class SuiteTable {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    /** @type {Map<string, Row>} */
    const rows = new Map();
    const times = knownTimes();
    /** @type {string[]} */
    const skipped = [];
    for (const module of modules) {
      const row = rows.get(module.project.name) ?? { files: 0, tests: 0, skipped: 0, ms: 0 };
      rows.set(module.project.name, row);
      const { duration, collectDuration } = module.diagnostic();
      row.files += 1;
      row.ms += duration + collectDuration;
      for (const test of module.children.allTests()) {
        row.tests += 1;
        if (test.result().state !== 'skipped') continue;
        row.skipped += 1;
        skipped.push(`${relative(ROOT, module.moduleId)} > ${test.fullName}`);
      }
      times[relative(ROOT, module.moduleId)] = Math.round(duration + collectDuration);
    }
    const files = Object.entries(times).map(([file, ms]) => ({ file, ms }));
    mkdirSync(`${ROOT}/node_modules/.mq`, { recursive: true });
    writeFileSync(
      FILES,
      JSON.stringify(
        files.sort((one, other) => other.ms - one.ms),
        null,
        1,
      ),
    );
    console.log(`\n${tableOf(rows)}`);
    if (process.env.MQ_TESTS === 'quick') console.log(`\n${leftOut()}`);
    if (process.env.MQ_COMPLETE === '1') requireComplete(skipped);
  }
}

/**
 * Names the skipped tests, and fails the run if the machine has what one of them needs. @param {readonly string[]}
 * skipped
 */
function requireComplete(skipped) {
  if (skipped.length === 0) return;
  console.log(`\nSkipped:\n${skipped.map((each) => `  ${each}`).join('\n')}`);
  const faults = skipped.filter(couldRun);
  if (faults.length === 0) return;
  console.error(
    `\n✖ Skipped although this machine can run them:\n${faults.map((each) => `  ${each}`).join('\n')}`,
  );
  process.exitCode = 1;
}

/** @param {ReadonlyMap<string, Row>} rows */
function tableOf(rows) {
  const lines = [...rows].map(([name, { files, tests, skipped, ms }]) => {
    const numbers = [files, tests, skipped, (ms / 1000).toFixed(0)].map((each) => String(each).padStart(8));
    return `  ${name.padEnd(12)}${numbers.join('')}`;
  });
  const head = ['files', 'tests', 'skipped', 'seconds'].map((each) => each.padStart(8)).join('');
  return [`  ${'suite'.padEnd(12)}${head}`, ...lines].join('\n');
}

function leftOut() {
  return [
    'Left to `npm run test:gitea`: everything that needs a real Gitea, which it builds once with Go.',
    'Left to `npm run verify`: most seeds and planted bugs of the simulation, the packages in an empty project, and',
    ...thoroughFiles.map((file) => `  ${file}`),
  ].join('\n');
}
