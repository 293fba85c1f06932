import { aCommit, aSubmission, queueIdOf, someWrites } from '@mq/testkit';
import { openPGlite, postgresStore } from '../src/index.js';

// Commits repeatedly and prints each confirmed version, until it is killed.
const store = await postgresStore({ database: await openPGlite({ folder: process.argv[2] ?? '' }) });
const found = await store.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
for (let version = found?.version ?? 0; ; version += 1) {
  const submissions = [aSubmission(1, { retries: version + 1 })];
  await store.commit(aCommit({ expected: version, writes: someWrites({ submissions }) }));
  process.stdout.write(`${version + 1}\n`);
}
