import { ensureInstalled } from './ensure.mjs';
import { main } from './machine.mjs';
import { runStages, testStages } from './stages.mjs';

main(async () => {
  await ensureInstalled();
  return runStages(testStages(process.argv.slice(2)));
});
