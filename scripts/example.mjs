import { existsSync, readdirSync } from 'node:fs';
import { run } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem, ROOT } from './machine.mjs';

main(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  const names = readdirSync(`${ROOT}/examples`).filter((each) =>
    existsSync(`${ROOT}/examples/${each}/main.ts`),
  );
  if (!names.includes(name)) {
    throw new Problem(
      name ? `There is no example called "${name}".` : 'Which example?',
      `Run one of: ${names.map((each) => `npm run example ${each}`).join(', ')}.`,
    );
  }
  await ensureInstalled();
  return run([
    process.execPath,
    '--conditions=mq-source',
    '--import=tsx',
    `examples/${name}/main.ts`,
    ...args,
  ]);
});
