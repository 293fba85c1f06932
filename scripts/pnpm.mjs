import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { capture, run } from './command.mjs';
import { checkNode, main, Problem, ROOT } from './machine.mjs';

/** The pnpm version pinned by package.json, such as `pnpm@10.34.8`. */
function pinnedPnpm() {
  return JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).packageManager;
}

/**
 * The pinned pnpm as an argv, fetched by npm into its cache when it is not there.
 * @param {readonly string[]} args
 */
function pnpmArgv(args) {
  const npmCli = process.env.npm_execpath;
  // Under `npm run` this is npm itself; under other package managers it is not.
  const npm = npmCli && basename(npmCli) === 'npm-cli.js' ? [process.execPath, npmCli] : ['npm'];
  return [...npm, 'exec', '--yes', '--prefer-offline', pinnedPnpm(), '--', ...args];
}

/**
 * The advice for a known failure, from the end of its output; null for an unknown one.
 * @param {string} output
 * @returns {Problem | null}
 */
export function diagnose(output) {
  if (/ENOSPC/.test(output)) {
    return new Problem('The disk is full.', 'Free some space (about 500 MB) and run the command again.');
  }
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) {
    return new Problem(
      'A file or folder is not writable.',
      "See the path in the output above: make it yours to write (often the project's folder, or npm's cache in ~/.npm), and run the command again.",
    );
  }
  if (/CERT|self.signed/i.test(output)) {
    return new Problem(
      'The certificate of the package registry is not trusted.',
      "Behind a company's proxy, point NODE_EXTRA_CA_CERTS at its certificate and run the command again.",
    );
  }
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET|META_FETCH_FAIL|network/i.test(output)
  ) {
    return new Problem(
      'The package registry cannot be reached.',
      'Check the network (and `npm config get registry` and `npm config get proxy`), then run the command again: what was downloaded is kept.',
    );
  }
  if (/OUTDATED_LOCKFILE/.test(output)) {
    return new Problem(
      'pnpm-lock.yaml does not fit the package.json files.',
      'Run `node scripts/pnpm.mjs install` and commit the lockfile.',
    );
  }
  return null;
}

/**
 * Runs the pinned pnpm and watches its output; a failure is printed and thrown as a Problem.
 * @param {readonly string[]} args
 * @param {string} purpose what failed when it fails, as in "Installing dependencies"
 * @param {(line: string) => void} [onLine]
 */
export async function pnpm(args, purpose, onLine) {
  // Set explicitly, since pnpm would use the loglevel of `npm run --silent`.
  const { code, output } = await capture(pnpmArgv(['--loglevel=info', ...args]), { onLine }).catch(orNoNpm);
  if (code === 0) return;
  console.error(`\n${output.trimEnd()}`);
  throw diagnose(output) ?? new Problem(`${purpose} failed.`, 'See the output above for the cause.');
}

/**
 * @param {NodeJS.ErrnoException} error
 * @returns {never}
 */
function orNoNpm(error) {
  if (error.code !== 'ENOENT') throw error;
  throw new Problem(
    'npm was not found.',
    'It comes with Node (https://nodejs.org): check that `npm --version` works.',
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(async () => {
    checkNode();
    return run(pnpmArgv(process.argv.slice(2))).catch(orNoNpm);
  });
}
