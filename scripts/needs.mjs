import { spawnSync } from 'node:child_process';
import { SHELLS, shellPath } from './shells.mjs';

const isRoot = () => process.getuid?.() === 0;
const isLinux = () => process.platform === 'linux';
const hasScript = () =>
  String(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout).includes('util-linux');
const hasShells = () => SHELLS.every((name) => shellPath(name) !== null);

/** What test files need of a machine; without it some of their tests are skipped. @type {Record<string, () => boolean>} */
export const needs = {
  'packages/host-git/test/check-user.process.test.ts': isRoot,
  'packages/host-git/test/refs.process.test.ts': isLinux,
  'packages/server/src/separate-checks.test.ts': isRoot,
  'packages/store-postgres/test/folder.test.ts': isLinux,
  'scripts/completion.test.ts': hasShells,
  'scripts/mq-terminal.test.ts': hasScript,
};

/** Whether a skipped test, `<file> > <title>`, could have been run on this machine. @param {string} test */
export function couldRun(test) {
  const [file = ''] = test.split(' > ', 1);
  return needs[file]?.() ?? true;
}
