import { CHECKS_PER_RUN, type CheckStore, EXPECTED_CHECKS_PER_READ, type ExpectedCheck } from '@mq/core';
import { repoDigest } from './digests.js';
import { openTables, type SharedTablesOptions } from './shared-tables.js';
import { asDocument, documents, numbers, texts, Values } from './statement.js';
import { documentIn } from './stored-json.js';

export type PostgresCheckStoreOptions = SharedTablesOptions;

/**
 * Opens the store of checks that are reported from outside, beside that of the queues. Closing it leaves the database open: close it
 * before the store of the queues.
 */
export const postgresCheckStore = async (options: PostgresCheckStoreOptions): Promise<CheckStore> => {
  const { names, run, close } = await openTables(options);
  const table = names.expected_checks;

  const found = async (rest: string, values: Values): Promise<readonly ExpectedCheck[]> => {
    const rows = await run(`select ${asDocument('value')} as value from ${table} ${rest}`, values);
    return rows.map(({ value }) => documentIn<ExpectedCheck>(value));
  };

  return {
    add: async (checks) => {
      if (checks.length === 0) return;
      const values = new Values();
      const rows = values.rows('added', {
        repo: texts(checks.map(({ repo }) => repoDigest(repo))),
        run_id: texts(checks.map(({ runId }) => runId)),
        name: texts(checks.map(({ name }) => name)),
        commit: texts(checks.map(({ commit }) => commit)),
        asked_at: numbers(checks.map(({ askedAt }) => Math.floor(askedAt))),
        closed_at: numbers(checks.map(({ closedAt }) => (closedAt === null ? null : Math.floor(closedAt)))),
        version: numbers(checks.map(({ version }) => version)),
        value: documents(checks),
      });
      const columns = 'repo, run_id, name, commit, asked_at, closed_at, version, value';
      await run(
        `insert into ${table} (${columns}) select ${columns} from ${rows} order by repo, run_id, name on conflict do nothing`,
        values,
      );
    },
    replace: async (check) => {
      const values = new Values();
      const { closedAt } = check;
      const rows = await run(
        `update ${table} set value = ${values.document(check)}, version = ${values.number(check.version)},
  closed_at = ${values.instant(closedAt === null ? null : Math.floor(closedAt))}
where repo = ${values.text(repoDigest(check.repo))} and run_id = ${values.text(check.runId)}
  and name = ${values.text(check.name)} and version = ${values.number(check.version - 1)}
returning 'done' as done`,
        values,
      );
      return rows.length > 0;
    },
    find: async ({ repo, runId, name }) => {
      const values = new Values();
      const [check = null] = await found(
        `where repo = ${values.text(repoDigest(repo))} and run_id = ${values.text(runId)} and name = ${values.text(name)}`,
        values,
      );
      return check;
    },
    ofRun: (repo, runId) => {
      const values = new Values();
      return found(
        `where repo = ${values.text(repoDigest(repo))} and run_id = ${values.text(runId)} order by name limit ${CHECKS_PER_RUN}`,
        values,
      );
    },
    ofCommits: (repo, commits) => {
      const values = new Values();
      return found(
        `where repo = ${values.text(repoDigest(repo))} and commit = ${values.anyText(commits)}
order by asked_at desc, run_id desc, name desc limit ${EXPECTED_CHECKS_PER_READ}`,
        values,
      );
    },
    open: ({ repo, limit }) => {
      const values = new Values();
      const ofRepo = repo === undefined ? '' : ` and repo = ${values.text(repoDigest(repo))}`;
      return found(
        `where closed_at is null${ofRepo} order by asked_at, run_id, name limit ${values.number(limit)}`,
        values,
      );
    },
    prune: async (closedBefore) => {
      const values = new Values();
      await run(`delete from ${table} where closed_at < ${values.instant(closedBefore)}`, values);
    },
    close,
  };
};
