import { ensureInstalled } from './ensure.mjs';
import { main, Problem } from './machine.mjs';
import { runStages, testStages } from './stages.mjs';

main(async () => {
  const args = process.argv.slice(2);
  const only = args[0] === '--only' ? args.splice(0, 2)[1] : undefined;
  const stages = testStages(args);
  const names = only?.split(',') ?? stages.map((stage) => stage.name);
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new Problem(
      `There is no stage called ${unknown.join(', ')}.`,
      `The stages are: ${stages.map((stage) => stage.name).join(', ')}.`,
    );
  }
  await ensureInstalled();
  return runStages(stages.filter((stage) => names.includes(stage.name)));
});
