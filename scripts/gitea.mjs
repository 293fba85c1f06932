import { run, tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main } from './machine.mjs';
import { giteaStage } from './stages.mjs';

/** `npm run test:gitea`: builds Gitea if it was not built yet, and runs the tests that need a real one. */
main(async () => {
  await ensureInstalled();
  const args = process.argv.slice(2);
  if (args.length > 0) return run(tool('vitest/vitest.mjs', 'run', '--project=gitea', ...args));
  const startedMs = Date.now();
  const code = await giteaStage.run();
  console.log(`Gitea tests: ${Math.round((Date.now() - startedMs) / 1000)} s, exit ${code}.`);
  return code;
});
