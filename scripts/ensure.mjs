import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { elapsed, stillAtIt } from './command.mjs';
import { checkMachine, main, ROOT } from './machine.mjs';
import { pnpm } from './pnpm.mjs';

const STAMPS = `${ROOT}/node_modules/.mq`;
const PROGRESS_EVERY_MS = 3_000;

/** @typedef {{ name: string, folder: string, needs: string[] }} Package */

/** @param {string} folder @returns {string[]} */
function subfolders(folder) {
  if (!existsSync(`${ROOT}/${folder}`)) return [];
  return readdirSync(`${ROOT}/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(`${ROOT}/${folder}/${entry.name}/package.json`))
    .map((entry) => `${folder}/${entry.name}`)
    .sort();
}

/** @param {string} path @returns {string[]} all files below, sorted */
function filesBelow(path) {
  if (!existsSync(`${ROOT}/${path}`)) return [];
  return readdirSync(`${ROOT}/${path}`, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
    )
    .sort();
}

/** @param {readonly string[]} files @param {readonly string[]} [more] */
function hashOf(files, more = []) {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${file}\0`);
    if (existsSync(`${ROOT}/${file}`)) hash.update(readFileSync(`${ROOT}/${file}`));
    hash.update('\0');
  }
  for (const text of more) hash.update(`${text}\0`);
  return hash.digest('hex');
}

/** @param {string} name */
function readStamp(name) {
  try {
    return readFileSync(join(STAMPS, name), 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} name @param {string} value */
function writeStamp(name, value) {
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(join(STAMPS, name), value);
}

function dependenciesHash() {
  const manifests = ['', ...subfolders('packages'), ...subfolders('examples')].map((folder) =>
    join(folder, 'package.json'),
  );
  return hashOf(['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests], [process.platform, process.arch]);
}

/** Installs the dependencies if what is installed does not match the lockfile and every package.json. */
export async function ensureInstalled() {
  checkMachine();
  if (readStamp('installed') === dependenciesHash()) return;
  const isFirst = !existsSync(`${ROOT}/node_modules/.pnpm`);
  const startedMs = Date.now();
  console.log(
    isFirst
      ? 'Installing dependencies (first time; from 20 s to some minutes, as fast as the registry)…'
      : 'Updating dependencies…',
  );
  let shownMs = Date.now();
  const still = stillAtIt('Installing');
  await pnpm(
    ['install', '--reporter=append-only', '--config.confirmModulesPurge=false'],
    'Installing dependencies',
    (line) => {
      const progress = /^Progress: (.*?)(, done)?$/.exec(line);
      if (!progress || Date.now() - shownMs < PROGRESS_EVERY_MS) return;
      shownMs = Date.now();
      console.log(`  ${progress[1]}`);
      still.said();
    },
  ).finally(still.stop);
  // The install may have updated the lockfile, so the hash is computed after it.
  writeStamp('installed', dependenciesHash());
  console.log(`Installed in ${elapsed(startedMs)}.`);
}

/** @returns {Package[]} the packages that have a build */
function builtPackages() {
  return subfolders('packages').flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(`${ROOT}/${folder}/package.json`, 'utf8'));
    if (!manifest.scripts?.build) return [];
    // A package without dependencies has everything in its build.
    const needs = Object.keys(manifest.dependencies ?? manifest.devDependencies ?? {});
    return [{ name: manifest.name, folder, needs }];
  });
}

/**
 * The inputs of each package's build, including its workspace dependencies, whose types it contains.
 * @param {readonly Package[]} packages
 * @returns {Map<string, string>}
 */
function buildHashes(packages) {
  const shared = hashOf(['tsup.base.ts', 'tsconfig.base.json', 'pnpm-lock.yaml']);
  const byName = new Map(packages.map((one) => [one.name, one]));
  /** @type {Map<string, string>} */
  const hashes = new Map();
  /** @param {Package} one @returns {string} */
  const hash = (one) => {
    const known = hashes.get(one.name);
    if (known) return known;
    const sources = filesBelow(`${one.folder}/src`).filter((file) => !file.endsWith('.test.ts'));
    const config = ['package.json', 'tsup.config.ts', 'tsconfig.json'].map((file) => `${one.folder}/${file}`);
    const below = one.needs.flatMap((name) => byName.get(name) ?? []).map(hash);
    const made = hashOf([...sources, ...config], [shared, ...below]);
    hashes.set(one.name, made);
    return made;
  };
  for (const one of packages) hash(one);
  return hashes;
}

/**
 * Packages and what they need.
 * @param {readonly Package[]} packages
 * @param {readonly string[]} names
 * @returns {Package[]}
 */
function neededBy(packages, names) {
  const wanted = new Set(names);
  for (const each of wanted)
    for (const need of packages.find((one) => one.name === each)?.needs ?? []) wanted.add(need);
  return packages.filter((one) => wanted.has(one.name));
}

/**
 * Builds the packages whose sources changed since their last build, in the order of their dependencies.
 * @param {readonly string[]} names only these packages and what they need; none: all
 */
export async function ensureBuilt(...names) {
  const all = builtPackages();
  const packages = names.length > 0 ? neededBy(all, names) : all;
  const hashes = buildHashes(packages);
  const stampOf = (/** @type {Package} */ one) => `built-${one.folder.replaceAll('/', '-')}`;
  const stale = packages.filter(
    (one) => !existsSync(`${ROOT}/${one.folder}/dist`) || readStamp(stampOf(one)) !== hashes.get(one.name),
  );
  if (stale.length === 0) return;
  const startedMs = Date.now();
  console.log(
    `Building ${stale.map(({ name }) => name).join(', ')} (a few seconds each on a quiet machine)…`,
  );
  let done = 0;
  const still = stillAtIt('Building');
  const only = stale.map((one) => `--filter=${one.name}`);
  await pnpm(['--reporter=append-only', ...only, 'run', 'build'], 'Building', (line) => {
    const finished = /^(packages\/\S+) build: Done$/.exec(line);
    if (!finished) return;
    done += 1;
    console.log(`  ${finished[1]} (${done} of ${stale.length}, ${elapsed(startedMs)})`);
    still.said();
  }).finally(still.stop);
  for (const one of stale) writeStamp(stampOf(one), hashes.get(one.name) ?? '');
  console.log(`Built in ${elapsed(startedMs)}.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(async () => {
    await ensureInstalled();
    await ensureBuilt();
    return 0;
  });
}
