import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

// This file must parse and load on old versions of Node, because it asks their users to update.

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
export const MINIMUM_NODE = '20.19.0';
export const MINIMUM_GIT = '2.38.0';

/** A problem that the user can fix: what is wrong and what to do. */
export class Problem extends Error {
  /**
   * @param {string} what
   * @param {string} remedy
   */
  constructor(what, remedy) {
    super(what);
    this.remedy = remedy;
  }
}

/**
 * Whether a dotted version is at least another; what is not a number counts as 0.
 * @param {string} version
 * @param {string} minimum
 */
export function isAtLeast(version, minimum) {
  const have = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const need = minimum.split('.').map((part) => Number.parseInt(part, 10) || 0);
  for (let i = 0; i < need.length; i += 1) {
    const difference = (have[i] || 0) - (need[i] || 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The version is an argument for tests. */
export function checkNode(version = process.versions.node) {
  if (isAtLeast(version, MINIMUM_NODE)) return;
  throw new Problem(
    `Node ${version} is too old: mq needs Node ${MINIMUM_NODE} or newer.`,
    'Install a current version of Node from https://nodejs.org (or `nvm install 22`) and run the command again.',
  );
}

export function checkGit() {
  let answer;
  try {
    answer = execFileSync('git', ['--version'], { encoding: 'utf8' });
  } catch {
    throw new Problem(
      'git was not found: mq needs it to build and land commits.',
      `Install git ${MINIMUM_GIT} or newer (https://git-scm.com/downloads), check that \`git --version\` works, and run the command again.`,
    );
  }
  const found = /(\d+(?:\.\d+)+)/.exec(answer);
  const version = found?.[1] ?? '0';
  if (isAtLeast(version, MINIMUM_GIT)) return;
  throw new Problem(
    `git ${version} is too old: mq needs git ${MINIMUM_GIT} or newer (for \`git merge-tree --write-tree\`).`,
    'Update git (https://git-scm.com/downloads) and run the command again.',
  );
}

/** @param {string} folder */
export function checkWritable(folder = ROOT) {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new Problem(
      `No permission to write in ${folder}.`,
      'mq installs and builds inside its own folder. Make it writable, or copy it to a writable folder.',
    );
  }
}

export function checkMachine() {
  checkNode();
  checkGit();
  checkWritable();
}

/**
 * Runs a script's main function; a problem is printed with its remedy and ends the process with 1.
 * @param {() => Promise<number | undefined>} body resolves to the exit code, or to nothing to leave it as it is
 */
export function main(body) {
  body().then(
    (code) => {
      if (code !== undefined) process.exitCode = code;
    },
    (error) => {
      if (error instanceof Problem) {
        console.error(`\n✖ ${error.message}\n  ${error.remedy}`);
      } else {
        console.error(error);
      }
      process.exitCode = 1;
    },
  );
}
