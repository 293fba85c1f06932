import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { run, tool } from './command.mjs';
import { ROOT } from './machine.mjs';

const FOLDER = `${ROOT}/node_modules/.mq`;
/** @param {string} project */
const reportOf = (project) => `${FOLDER}/${project}-suite.json`;

/** How many tests of the last reported run of a project passed, and when it began; zeros if there is none. @param {string} project */
export function lastRunOf(project) {
  const report = reportOf(project);
  if (!existsSync(report)) return { passed: 0, startedAt: 0 };
  const { numPassedTests = 0, startTime = 0 } = JSON.parse(readFileSync(report, 'utf8'));
  return { passed: numPassedTests, startedAt: startTime };
}

/** Runs the tests of one project and keeps a report. Resolves with the exit code. @param {string} project */
export function runReported(project) {
  const report = reportOf(project);
  mkdirSync(FOLDER, { recursive: true });
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return run(tool('vitest/vitest.mjs', 'run', `--project=${project}`, ...reporters));
}
