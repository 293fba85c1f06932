import { run } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main } from './machine.mjs';

main(async () => {
  const [entry = 'main', ...args] = process.argv.slice(2);
  await ensureInstalled();
  return run([
    process.execPath,
    '--conditions=mq-source',
    '--import=tsx',
    `packages/simulation/src/${entry}.ts`,
    ...args,
  ]);
});
