import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './machine.mjs';

// Checks monitoring/alerts.yml with promtool: the one on the path, or that of Debian's package, unpacked into a cache of the
// user. If neither can be had, it says so and passes: another test checks the names of the metrics.

const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'mq-promtool');

/** @param {string} program @param {readonly string[]} args @param {string} [cwd] */
const works = (program, args, cwd = ROOT) => spawnSync(program, args, { cwd, encoding: 'utf8' }).status === 0;

const found = () => {
  if (works('promtool', ['--version'])) return 'promtool';
  const cached = join(CACHE, 'usr/bin/promtool');
  if (existsSync(cached)) return cached;
  mkdirSync(CACHE, { recursive: true });
  if (!works('apt-get', ['download', 'prometheus'], CACHE)) return null;
  const archive = readdirSync(CACHE).find((name) => name.endsWith('.deb'));
  if (archive === undefined || !works('dpkg-deb', ['-x', archive, '.'], CACHE)) return null;
  return existsSync(cached) ? cached : null;
};

const promtool = found();
if (promtool === null) {
  console.log('Left out: promtool is not installed here, and Debian’s package prometheus cannot be had.');
} else {
  const { status } = spawnSync(promtool, ['check', 'rules', 'monitoring/alerts.yml'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
