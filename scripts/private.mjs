import { run } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main } from './machine.mjs';

/** Runs an entry of a private package from its sources: `node scripts/private.mjs simulation main --seeds 5`. */
main(async () => {
  const [folder = '', entry = '', ...args] = process.argv.slice(2);
  await ensureInstalled();
  return run([
    process.execPath,
    '--conditions=mq-source',
    '--import=tsx',
    `packages/${folder}/src/${entry}.ts`,
    ...args,
  ]);
});
