import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { run, tool } from './command.mjs';
import { ensureBuilt, ensureInstalled } from './ensure.mjs';
import { main, ROOT } from './machine.mjs';
import { runStages, testStages } from './stages.mjs';

/** The folders of the packages that are published. */
function published() {
  return readdirSync(`${ROOT}/packages`)
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(`${ROOT}/${folder}/package.json`))
    .filter((folder) => !JSON.parse(readFileSync(`${ROOT}/${folder}/package.json`, 'utf8')).private);
}

async function lintPackages() {
  for (const folder of published()) {
    const code = await run(tool('publint/src/cli.js', 'run', folder, '--strict', '--pack', 'false'));
    if (code !== 0) return code;
  }
  return 0;
}

main(async () => {
  await ensureInstalled();
  return runStages([
    ...testStages(process.argv.slice(2)),
    { name: 'build', title: 'Build', run: () => ensureBuilt().then(() => 0) },
    { name: 'packages', title: 'Packages as published', run: lintPackages },
  ]);
});
