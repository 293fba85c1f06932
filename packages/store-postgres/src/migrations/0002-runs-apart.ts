import type { Migration } from './migration.js';

/** Room for what never changes of a run. Nothing is written there before step 3. */
export const runsApart: Migration = {
  number: 2,
  name: 'runs_apart',
  understoodFrom: 1,
  locks: 'Runs, for the moment that it takes to note two columns: it rewrites nothing.',
  sql: ({ runs }) => `alter table ${runs} add column made json, add column trial json;`,
};
