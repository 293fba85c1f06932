import { execFileSync } from 'node:child_process';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem, ROOT } from './machine.mjs';
import { changedTests, cheapStages, runStages } from './stages.mjs';

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

/** The commit that this work began at: the one named, else what it has in common with origin/main, else HEAD. */
function baseOf(/** @type {string | undefined} */ named) {
  if (named === undefined) return git('merge-base', 'HEAD', 'origin/main') ?? git('rev-parse', 'HEAD');
  const base = git('rev-parse', '--verify', '--quiet', `${named}^{commit}`);
  if (base === null)
    throw new Problem(
      `There is no commit called ${named}.`,
      'Name a branch or a commit, as in `npm run changed -- main`, or none: then it is origin/main.',
    );
  return base;
}

// Checks what changed since a commit: the cheap checks, then the unit tests and stories that import what changed.
main(async () => {
  const base = baseOf(process.argv[2]);
  await ensureInstalled();
  return runStages(base === null ? cheapStages : [...cheapStages, changedTests(base)]);
});
