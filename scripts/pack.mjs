import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled } from './ensure.mjs';
import { main, ROOT } from './machine.mjs';
import { pnpm } from './pnpm.mjs';

/** The folder of the tarballs: one per published package, `mq-core.tgz` for `@mq/core`. */
export const TARBALLS = 'tarballs';

/** The names of the published packages. */
export function published() {
  return readdirSync(`${ROOT}/packages`)
    .map((folder) => `${ROOT}/packages/${folder}/package.json`)
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter((manifest) => !manifest.private)
    .map((manifest) => String(manifest.name));
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
    console.log(`Packed:\n${tarballs.map((file) => `  ${file}`).join('\n')}`);
    return 0;
  });
}
