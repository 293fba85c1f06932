import type { Migration } from './migration.js';

/** Room for what never changes of a run. Nothing is written there before step 3. */
export const runsApart: Migration = {
  number: 2,
  name: 'runs_apart',
  understoodFrom: 1,
  locks: 'Runs, effects and queues, for the moment that it takes to note it: nothing is rewritten.',
  // Locked all at once and wishes first, as a commit comes to them: it would wait in a circle for who locks one after another.
  // To compress what is written once, or is gone in a moment, takes longer than to write it.
  sql: ({ runs, effects, queues }) => `
lock table ${effects}, ${queues}, ${runs} in access exclusive mode;
alter table ${runs} add column made json, add column trial json;
alter table ${runs} alter column made set storage external, alter column trial set storage external;
alter table ${effects} set (toast_tuple_target = 8160);
alter table ${queues} set (toast_tuple_target = 8160, fillfactor = 50);
`,
};
