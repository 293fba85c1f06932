import { run, tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main } from './machine.mjs';
import { importable, packAll, published, tarballOf } from './pack.mjs';
import { ensureShells } from './shells.mjs';
import { giteaWhereGoStage, PACKAGES_PROJECT, runStages, testStages, thoroughStages } from './stages.mjs';

/** @param {readonly string[]} names @param {(tarball: string) => string[]} argv */
async function forEachTarball(names, argv) {
  for (const name of names) {
    const code = await run(argv(tarballOf(name)));
    if (code !== 0) return code;
  }
  return 0;
}

/** Whether the published packages declare how they are imported. @param {string} tarball */
const publint = (tarball) => tool('publint/src/cli.js', 'run', tarball, '--strict');

/** Whether their types are found wherever their code is. The packages are ES modules only. @param {string} tarball */
const attw = (tarball) =>
  tool('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only', '--format', 'ascii');

main(async () => {
  await ensureInstalled();
  const args = process.argv.slice(2);
  // Continuous integration: `npm test` has just run these, and of seeds and crash points a sample is enough.
  const isRest = args[0] === '--rest';
  return runStages([
    ...(isRest ? [] : testStages(args)),
    {
      name: 'subjects',
      title: 'Commit subjects',
      run: () => run([process.execPath, 'scripts/check-subjects.mjs']),
      isCheap: true,
    },
    {
      name: 'alerts',
      title: 'Alert rules',
      run: () => run([process.execPath, 'scripts/promtool.mjs']),
      isCheap: true,
    },
    { name: 'shells', title: 'Shells for the tests of completions', run: ensureShells },
    ...thoroughStages(isRest ? 'ci' : 'thorough'),
    giteaWhereGoStage,
    { name: 'pack', title: 'Build and pack', run: () => packAll().then(() => 0) },
    {
      name: 'publint',
      title: 'Packages as published: entries',
      run: () => forEachTarball(published(), publint),
    },
    { name: 'attw', title: 'Packages as published: types', run: () => forEachTarball(importable(), attw) },
    {
      name: 'tarballs',
      title: 'Packages in an empty project',
      run: () => run(tool('vitest/vitest.mjs', 'run', `--project=${PACKAGES_PROJECT}`)),
    },
  ]);
});
