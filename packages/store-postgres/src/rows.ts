import {
  ANSWERS_KEPT_MS,
  type Answer,
  type CommitId,
  isLive,
  isOpenRun,
  type Queue,
  type Receipt,
  type Submission,
  type TargetBook,
  type TestRun,
  type Verdict,
  type Writes,
} from '@mq/core';
import { textDigest } from './digests.js';
import { historyParts } from './history-rows.js';
import { apartOf, type StoredParts } from './run-parts.js';
import { documents, flags, numbers, type Part, type Statement, texts } from './statement.js';
import { type WriteContext, when } from './write-context.js';

/** The statement parts that write the rows of a commit. Kinds without rows have no part. */
export const rowParts = (writing: WriteContext, writes: Writes, stored: StoredParts): readonly Part[] => [
  ...when(writes.submissions, (rows) => submissionParts(writing, rows)),
  ...when(writes.runs, (rows) => runParts(writing, rows, stored)),
  ...when(writes.targets, (rows) => targetParts(writing, rows)),
  ...when(writes.verdicts, (rows) => verdictParts(writing, rows)),
  ...when(writes.receipts, (rows) => receiptParts(writing, rows)),
  ...when(writes.history, (rows) => historyParts(writing, rows)),
];

const lastOf = <Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): readonly Row[] => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
];

const submissionParts = (writing: WriteContext, rows: readonly Submission[]): readonly Part[] => {
  const given = lastOf(rows, ({ id }) => id);
  const [fresh, others] = [
    given.filter(({ pr }) => writing.absent.has(pr)),
    given.filter(({ pr }) => !writing.absent.has(pr)),
  ];
  return [
    ...when(fresh, () => [['submissions_begun', insertOf(writing, fresh)]]),
    ...when(others, () => [
      [
        'submissions_written',
        `${insertOf(writing, others)}
on conflict (queue_id, pr, id) do update set
  version = excluded.version, state = excluded.state, state_since = excluded.state_since,
  live_from = case when excluded.live_from is not null then coalesce(old.live_from, excluded.live_from) end,
  value = excluded.value`,
      ],
    ]),
  ];
};

const insertOf = ({ names, values, version }: WriteContext, rows: readonly Submission[]): string => {
  const next = values.number(version);
  const asked = values.rows('new', {
    id: texts(rows.map(({ id }) => id)),
    pr: numbers(rows.map(({ pr }) => pr)),
    live: flags(rows.map(isLive)),
    state: texts(rows.map(({ state }) => state)),
    since: numbers(rows.map(({ stateSince }) => stateSince)),
    value: documents(rows),
  });
  return `insert into ${names.submissions} as old
  (queue_id, id, pr, version, live_from, state, state_since, value)
select guard.id, new.id, new.pr, ${next}, case when new.live then ${next} end, new.state, new.since, new.value
from guard, ${asked}`;
};

/** Writes test runs. Parts that never change are sent only if `stored` does not have them. */
const runParts = (
  { names, values, version }: WriteContext,
  rows: readonly TestRun[],
  stored: StoredParts,
): readonly Part[] => {
  const given = lastOf(rows, ({ id }) => id);
  const apart = given.map((run) => apartOf(run, stored));
  const asked = values.rows('new', {
    id: texts(given.map(({ id }) => id)),
    closed: flags(given.map((run) => !isOpenRun(run))),
    value: documents(apart.map(({ value }) => value)),
    made: documents(apart.map(({ made }) => made)),
    candidate: documents(apart.map(({ candidate }) => candidate)),
  });
  return [
    [
      'runs_written',
      `insert into ${names.runs} as old (queue_id, id, version, closed, husk, value, made, candidate)
select guard.id, new.id, ${values.number(version)}, case when new.closed then ${names.turn} end, false,
  new.value, new.made, new.candidate
from guard, ${asked}
on conflict (queue_id, id) do update set
  version = excluded.version, husk = false, value = excluded.value,
  made = coalesce(excluded.made, old.made), candidate = coalesce(excluded.candidate, old.candidate),
  closed = case when excluded.closed is not null then coalesce(old.closed, excluded.closed) end`,
    ],
  ];
};

const targetParts = (
  { names, values, version }: WriteContext,
  rows: readonly TargetBook[],
): readonly Part[] => {
  const given = lastOf(rows, ({ pr }) => pr);
  const asked = values.rows('new', {
    pr: numbers(given.map(({ pr }) => pr)),
    value: documents(given),
  });
  return [
    [
      'targets_written',
      `insert into ${names.targets} (queue_id, pr, version, value)
select guard.id, new.pr, ${values.number(version)}, new.value
from guard, ${asked}
on conflict (queue_id, pr) do update set version = excluded.version, value = excluded.value`,
    ],
  ];
};

/** A pass replaces an earlier one of the same check and source; the last one written is the newest. */
const verdictParts = ({ names, values }: WriteContext, rows: readonly Verdict[]): readonly Part[] => {
  const kindOf = ({ check }: Verdict) => textDigest(check.source, check.id);
  const newest = new Map<string, { kind: string; verdict: Verdict }>();
  for (const verdict of rows) {
    const kind = kindOf(verdict);
    const key = `${verdict.tree}\n${kind}`;
    newest.delete(key);
    newest.set(key, { kind, verdict });
  }
  const given = [...newest.values()];
  const asked = values.rows(
    'new',
    {
      tree: texts(given.map(({ verdict }) => verdict.tree)),
      kind: texts(given.map(({ kind }) => kind)),
      value: documents(given.map(({ verdict }) => verdict)),
    },
    'with place',
  );
  return [
    [
      'verdicts_written',
      `insert into ${names.verdicts} (repo, tree, kind, turn, value)
select guard.repo, new.tree, new.kind, ${names.turn}, new.value
from guard, ${asked} order by new.place
on conflict (repo, tree, kind) do update set turn = excluded.turn, value = excluded.value`,
    ],
  ];
};

const receiptParts = ({ names, values }: WriteContext, rows: readonly Receipt[]): readonly Part[] => {
  const asked = values.rows('new', {
    number: numbers(rows.map(({ number }) => number)),
    pr: numbers(rows.map(({ pr }) => pr)),
    value: documents(rows),
  });
  return [
    [
      'receipts_written',
      `insert into ${names.receipts} (queue_id, number, pr, value)
select guard.id, new.number, new.pr, new.value
from guard, ${asked}`,
    ],
  ];
};

/**
 * Writes answers. While the first answer to an input is kept, later ones are ignored. The answers of one decision share
 * one large queue, which is sent once.
 */
export const answerParts = (
  { names, values }: Pick<Statement, 'names' | 'values'>,
  answers: readonly Answer[],
): readonly Part[] => {
  const first = lastOf(answers.toReversed(), ({ inputId }) => inputId);
  const shared = first.map(queueIn).find((queue) => queue !== null) ?? null;
  const given = first.map((answer) => {
    const isShared = shared !== null && queueIn(answer) === shared;
    const value = isShared ? { ...answer, result: { ...answer.result, queue: null } } : answer;
    return { id: answer.inputId, shared: isShared, value };
  });
  const until = `${names.now} + ${ANSWERS_KEPT_MS}`;
  return when(answers, () => [
    [
      'answers_written',
      `insert into ${names.answers} as old (input_id, kept_until, value)
select new.id, ${until},
  case when new.shared then jsonb_set(new.value, '{result,queue}', shared.queue) else new.value end
from guard, jsonb_to_recordset(${values.json(given)}) as new(id text, shared boolean, value jsonb),
  (select ${values.json(shared)} as queue) as shared
on conflict (input_id) do update set kept_until = excluded.kept_until, value = excluded.value
where old.kept_until <= ${names.now}`,
    ],
  ]);
};

/** Recallable commits are stored with the answers. Their keys contain a line feed, which ids of commands cannot. */
export const commitKey = (id: CommitId): string => `${COMMIT_KEY}${id}`;
export const commitOfKey = (key: string): CommitId => key.slice(COMMIT_KEY.length) as CommitId;
const COMMIT_KEY = 'commit\n';

export const recallablePart = (
  { names, values }: Pick<Statement, 'names' | 'values'>,
  id: CommitId,
): Part => [
  'commit_recorded',
  `insert into ${names.answers} (input_id, kept_until, value)
select ${values.text(commitKey(id))}, ${names.now} + ${ANSWERS_KEPT_MS}, 'null' from guard`,
];

const queueIn = ({ result }: Answer): Queue | null => (result.ok ? result.queue : null);
