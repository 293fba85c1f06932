import { ensureInstalled } from './ensure.mjs';
import { main } from './machine.mjs';
import { cheapStages, runStages } from './stages.mjs';

main(async () => {
  await ensureInstalled();
  return runStages(cheapStages);
});
