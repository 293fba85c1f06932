import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled } from './ensure.mjs';
import { main, ROOT } from './machine.mjs';
import { pnpm } from './pnpm.mjs';

/** The folder of the tarballs: one per published package, `mq-core.tgz` for `@mq/core`. */
export const TARBALLS = 'tarballs';

/** How large each tarball may be expected to be, in bytes; `npm run pack` writes it. */
const SIZES = `${ROOT}/scripts/packed-sizes.json`;
/** Within this share of the stored size, `npm run pack` leaves it as it is. */
const SIZE_NOISE = 0.02;

const manifests = () =>
  readdirSync(`${ROOT}/packages`)
    .map((folder) => `${ROOT}/packages/${folder}/package.json`)
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter((manifest) => !manifest.private);

/** The names of the published packages. */
export function published() {
  return manifests().map(({ name }) => String(name));
}

/** The names of those that can be imported; the others are commands. */
export function importable() {
  return manifests()
    .filter(({ publishConfig }) => publishConfig.exports['.'] !== undefined)
    .map(({ name }) => String(name));
}

/** The bytes that each tarball is expected to have. @returns {Record<string, number>} */
export function packedSizes() {
  return existsSync(SIZES) ? JSON.parse(readFileSync(SIZES, 'utf8')) : {};
}

/** The bytes of a package's tarball. @param {string} name */
export function packedSize(name) {
  return statSync(`${ROOT}/${tarballOf(name)}`).size;
}

function writeSizes() {
  const known = packedSizes();
  const sizes = published().map((name) => {
    const [size, before] = [packedSize(name), known[name]];
    const isNoise = before !== undefined && Math.abs(size - before) <= SIZE_NOISE * before;
    return [name, isNoise ? before : size];
  });
  writeFileSync(SIZES, `${JSON.stringify(Object.fromEntries(sizes), null, 2)}\n`);
}

/** The path of a package's tarball from the root. @param {string} name */
export function tarballOf(name) {
  return `${TARBALLS}/${name.replace('@', '').replace('/', '-')}.tgz`;
}

/** Builds what changed and packs every published package, replacing `workspace:` and `catalog:` by versions. */
export async function packAll() {
  await ensureInstalled();
  await ensureBuilt();
  rmSync(`${ROOT}/${TARBALLS}`, { recursive: true, force: true });
  mkdirSync(`${ROOT}/${TARBALLS}`);
  const names = published();
  const only = names.map((name) => `--filter=${name}`);
  await pnpm([...only, 'pack', '--out', `${ROOT}/${TARBALLS}/%s.tgz`], 'Packing');
  return names.map(tarballOf);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(async () => {
    const tarballs = await packAll();
    writeSizes();
    console.log(`Packed:\n${tarballs.map((file) => `  ${file}`).join('\n')}`);
    return 0;
  });
}
