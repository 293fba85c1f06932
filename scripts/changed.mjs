import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import { chooseTests } from './changed-tests.mjs';
import { tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem, ROOT } from './machine.mjs';
import { cheapStages, runStages, testFilesStage } from './stages.mjs';
import { knownTimes } from './suite-table.mjs';

/** @param {readonly string[]} args */
function git(...args) {
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

/** The base commit: the given one, else the merge base with origin/main, else HEAD. */
function baseOf(/** @type {string | undefined} */ named) {
  if (named === undefined) return git('merge-base', 'HEAD', 'origin/main') ?? git('rev-parse', 'HEAD');
  const base = git('rev-parse', '--verify', '--quiet', `${named}^{commit}`);
  if (base === null)
    throw new Problem(
      `There is no commit ${named}.`,
      'Give a branch or a commit, as in `npm run changed -- main`. Without one, origin/main is used.',
    );
  return base;
}

/** The test files of `unit` and `story` that import what differs from a commit, directly or not. @param {string} base */
function relatedTests(base) {
  const [node = '', ...args] = tool(
    'vitest/vitest.mjs',
    ...['list', '--filesOnly', '--json', `--changed=${base}`, '--project=unit', '--project=story'],
  );
  const env = { ...process.env, MQ_TESTS: 'changed' };
  const printed = execFileSync(node, args, { cwd: ROOT, encoding: 'utf8', env });
  /** @type {{ file: string }[]} */
  const files = JSON.parse(printed.slice(printed.indexOf('[')));
  return files.map(({ file }) => relative(ROOT, file));
}

/** The last stage, if a test imports a changed file. @param {string} base */
function testStage(base) {
  const changed = (git('diff', '--name-only', base) ?? '').split('\n');
  const untracked = (git('ls-files', '--others', '--exclude-standard') ?? '').split('\n');
  const { chosen, left } = chooseTests({
    related: relatedTests(base),
    changed: [...changed, ...untracked].filter((file) => file !== ''),
    times: knownTimes(),
  });
  if (chosen.length === 0) return [];
  const rest = left.length === 0 ? '' : `; ${left.length} slower ones are left to npm test`;
  return [testFilesStage(chosen, `${chosen.length} test files of what changed${rest}`)];
}

// Checks what changed since a commit: the cheap checks, then the unit tests and stories that import what changed.
main(async () => {
  const base = baseOf(process.argv[2]);
  await ensureInstalled();
  return runStages(base === null ? cheapStages : [...cheapStages, ...testStage(base)]);
});
