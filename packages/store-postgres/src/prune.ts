import { type QueueId, type Retention, VERDICTS_PER_TREE } from '@mq/core';
import { type Names, type Runner, type Statement, Values, withParts } from './statement.js';

/** Max rows deleted by one statement, so that its locks are short. */
const ROWS_PER_STATEMENT = 10_000;

/**
 * Prunes these queues and what belongs to no queue. Keeps what a decision may still need, waiting facts, effects and
 * receipts. Safe to run in several processes.
 */
export const prune = async (
  run: Runner,
  names: Names,
  retention: Retention,
  queueIds: readonly QueueId[],
): Promise<void> => {
  for (const id of queueIds) {
    await pruneHistory(run, names, id, retention.historyRows);
    await shedClosedRuns(run, names, id, retention.closedRuns);
    await pruneTargets(run, names, id, retention.targetBooks);
  }
  await pruneVerdicts(run, names, retention.verdicts);
  await pruneAnswers(run, names);
  await pruneQueues(run, names, retention.deletedQueues);
};

const pruneHistory = async (run: Runner, names: Names, id: QueueId, limit: number): Promise<void> => {
  for (;;) {
    const values = new Values();
    const isOld = '(queue_id, at, version, sequence) in (select queue_id, at, version, sequence from old)';
    const [row] = await run(
      withParts(
        [
          ['old', oldHistory({ names, values }, id, limit)],
          ['rows', `delete from ${names.history} where ${isOld} returning queue_id`],
          ['prs', `delete from ${names.history_prs} where ${isOld}`],
        ],
        'select (select count(*) from rows)::text as count',
      ),
      values,
    );
    if (Number(row?.count) < ROWS_PER_STATEMENT) return;
  }
};

/** Selects whole commits: one with a row to be kept is kept. */
const oldHistory = ({ names, values }: Statement, id: QueueId, limit: number): string => {
  const [rows, count, atOnce] = [
    `from ${names.history} as rows where rows.queue_id = ${values.text(id)}`,
    values.number(limit),
    `limit ${ROWS_PER_STATEMENT}`,
  ];
  const newest = `select sequence ${rows} order by at desc, version desc, sequence desc limit 1`;
  return `select queue_id, at, version, sequence ${rows} and (at, version) < (
  select at, version ${rows} and sequence > (${newest}) - ${count} order by at, version limit 1
) order by at, version ${atOnce}`;
};

/** Reduces closed test runs to what tells a replica that they are closed. */
const shedClosedRuns = async (run: Runner, names: Names, id: QueueId, limit: number): Promise<void> => {
  const values = new Values();
  const queueId = values.text(id);
  const shed = {
    candidate: null,
    checks: [],
    known: [],
    requiredChecks: [],
    startedChecks: [],
    decidedBy: null,
  };
  await run(
    `update ${names.runs} set husk = true, candidate = null, value = value::jsonb || ${values.json(shed)}
where queue_id = ${queueId} and not husk and closed <= (
  select closed from ${names.runs} where queue_id = ${queueId} and closed is not null and not husk
  order by closed desc offset ${values.number(limit)} limit 1
)`,
    values,
  );
};

/**
 * Prunes impacted targets of pull requests outside the queue. If one is submitted meanwhile, that commit writes its
 * targets again, so the version differs. `offset 0` forces one lookup each, as in `ofEach`.
 */
const pruneTargets = async (run: Runner, names: Names, id: QueueId, limit: number): Promise<void> => {
  for (;;) {
    const values = new Values();
    const queueId = values.text(id);
    const deleted = await run(
      `with old as (
  select queue_id, pr, version from ${names.targets} as book where queue_id = ${queueId} and not exists (
    select from ${names.submissions} as live
    where live.queue_id = book.queue_id and live.pr = book.pr and live.live_from is not null offset 0
  ) order by version desc, pr desc offset ${values.number(limit)} limit ${ROWS_PER_STATEMENT}
)
delete from ${names.targets} as book using old
where book.queue_id = old.queue_id and book.pr = old.pr and book.version = old.version returning book.pr`,
      values,
    );
    if (deleted.length < ROWS_PER_STATEMENT) return;
  }
};

// Trees written longest ago are pruned first.
const pruneVerdicts = async (run: Runner, names: Names, limit: number): Promise<void> => {
  await run(
    `with numbered as (
  select repo, tree, kind, row_number() over (partition by repo, tree order by turn desc) as place
  from ${names.verdicts}
)
delete from ${names.verdicts} where (repo, tree, kind) in (
  select repo, tree, kind from numbered where place > ${VERDICTS_PER_TREE}
)`,
    new Values(),
  );
  const values = new Values();
  await run(
    `with trees as (
  select repo, tree, max(turn) as written, count(*) as count from ${names.verdicts} group by repo, tree
), ranked as (
  select repo, tree, row_number() over newest as place, sum(count) over newest as total
  from trees window newest as (order by written desc)
)
delete from ${names.verdicts} where (repo, tree) in (
  select repo, tree from ranked where place > 1 and total > ${values.number(limit)}
)`,
    values,
  );
};

const pruneAnswers = async (run: Runner, names: Names): Promise<void> => {
  const values = new Values();
  await run(`delete from ${names.answers} where kept_until <= ${names.now}`, values);
};

/**
 * Prunes deleted queues, those deleted first, with everything but their receipts and effects. The ids are passed as an
 * array, so that the planner expects few and uses the indexes.
 */
const pruneQueues = async (run: Runner, names: Names, limit: number): Promise<void> => {
  const values = new Values();
  const owned = ['submissions', 'runs', 'targets', 'history', 'history_prs', 'inbox'] as const;
  await run(
    withParts(
      [
        [
          'old',
          `select id from ${names.queues} where buried is not null order by buried desc offset ${values.number(limit)}`,
        ],
        ...owned.map(
          (table) =>
            [
              `${table}_gone`,
              `delete from ${names[table]} where queue_id = any (array(select id from old))`,
            ] as const,
        ),
      ],
      `delete from ${names.queues} where id in (select id from old)`,
    ),
    values,
  );
};
