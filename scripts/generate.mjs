import { run, tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main } from './machine.mjs';
import { generate } from './stages.mjs';

main(async () => {
  await ensureInstalled();
  const args = process.argv.slice(2);
  const code = await generate(...args);
  if (code !== 0 || args.length > 0) return code;
  return run(
    tool(
      '@biomejs/biome/bin/biome',
      'format',
      '--write',
      'docs/reference/openapi.json',
      'docs/reference/cli.schema.json',
    ),
  );
});
