import {
  ANSWERS_KEPT_MS,
  type Answer,
  type CommitId,
  type HistoryRow,
  isLive,
  isOpenRun,
  type Queue,
  type Receipt,
  type Run,
  type Submission,
  type TargetBook,
  type Verdict,
  type Version,
  type Writes,
} from '@mq/core';
import { textDigest } from './places.js';
import type { Names, Part, Values } from './statement.js';

/** What every kind of row is written with. `guard` is a part with one row (id, repo) if anything may be written at all. */
interface Writing {
  readonly names: Names;
  readonly values: Values;
  readonly version: Version;
}

/** The parts of a commit that write its rows. A kind of which there are none takes no part. */
export const rowParts = (writing: Writing, writes: Writes): readonly Part[] => [
  ...when(writes.submissions, (rows) => submissionParts(writing, rows)),
  ...when(writes.runs, (rows) => runParts(writing, rows)),
  ...when(writes.targets, (rows) => targetParts(writing, rows)),
  ...when(writes.verdicts, (rows) => verdictParts(writing, rows)),
  ...when(writes.receipts, (rows) => receiptParts(writing, rows)),
  ...when(writes.history, (rows) => historyParts(writing, rows)),
];

const when = <Row>(
  rows: readonly Row[],
  parts: (rows: readonly Row[]) => readonly Part[],
): readonly Part[] => (rows.length === 0 ? [] : parts(rows));

const lastOf = <Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): readonly Row[] => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
];

const submissionParts = (
  { names, values, version }: Writing,
  rows: readonly Submission[],
): readonly Part[] => {
  const given = lastOf(rows, ({ id }) => id).map((value) => {
    const { id, pr, state, stateSince: since } = value;
    return { id, pr, live: isLive(value), state, since, value };
  });
  const next = values.number(version);
  return [
    [
      'submissions_written',
      `insert into ${names.submissions} as old
  (queue_id, id, pr, version, live_from, state, state_since, value)
select guard.id, new.id, new.pr, ${next}, case when new.live then ${next} end, new.state, new.since, new.value
from guard, jsonb_to_recordset(${values.json(given)})
  as new(id text, pr bigint, live boolean, state text, since bigint, value jsonb)
on conflict (queue_id, id) do update set
  pr = excluded.pr, version = excluded.version, state = excluded.state, state_since = excluded.state_since,
  live_from = case when excluded.live_from is not null then coalesce(old.live_from, excluded.live_from) end,
  value = excluded.value`,
    ],
  ];
};

const runParts = ({ names, values, version }: Writing, rows: readonly Run[]): readonly Part[] => {
  const given = lastOf(rows, ({ id }) => id).map((value) => ({
    id: value.id,
    closed: !isOpenRun(value),
    value,
  }));
  return [
    [
      'runs_written',
      `insert into ${names.runs} as old (queue_id, id, version, closed, husk, value)
select guard.id, new.id, ${values.number(version)}, case when new.closed then ${names.turn} end, false, new.value
from guard, jsonb_to_recordset(${values.json(given)}) as new(id text, closed boolean, value jsonb)
on conflict (queue_id, id) do update set
  version = excluded.version, husk = false, value = excluded.value,
  closed = case when excluded.closed is not null then coalesce(old.closed, excluded.closed) end`,
    ],
  ];
};

const targetParts = ({ names, values, version }: Writing, rows: readonly TargetBook[]): readonly Part[] => {
  const given = lastOf(rows, ({ pr }) => pr).map((value) => ({ pr: value.pr, value }));
  return [
    [
      'targets_written',
      `insert into ${names.targets} (queue_id, pr, version, value)
select guard.id, new.pr, ${values.number(version)}, new.value
from guard, jsonb_to_recordset(${values.json(given)}) as new(pr bigint, value jsonb)
on conflict (queue_id, pr) do update set version = excluded.version, value = excluded.value`,
    ],
  ];
};

/** The same check of the same source replaces what was there; the last one written is the newest. */
const verdictParts = ({ names, values }: Writing, rows: readonly Verdict[]): readonly Part[] => {
  const kindOf = ({ check }: Verdict) => textDigest(check.source, check.id);
  const newest = new Map<string, Verdict>();
  for (const verdict of rows) {
    const key = `${verdict.tree}\n${kindOf(verdict)}`;
    newest.delete(key);
    newest.set(key, verdict);
  }
  const given = [...newest.values()].map((value) => ({ tree: value.tree, kind: kindOf(value), value }));
  return [
    [
      'verdicts_written',
      `insert into ${names.verdicts} (repo, tree, kind, turn, value)
select guard.repo, new.value->>'tree', new.value->>'kind', ${names.turn}, new.value->'value'
from guard, jsonb_array_elements(${values.json(given)}) with ordinality as new(value, place) order by new.place
on conflict (repo, tree, kind) do update set turn = excluded.turn, value = excluded.value`,
    ],
  ];
};

const receiptParts = ({ names, values }: Writing, rows: readonly Receipt[]): readonly Part[] => {
  const given = rows.map((value) => ({ number: value.number, pr: value.pr, value }));
  return [
    [
      'receipts_written',
      `insert into ${names.receipts} (queue_id, number, pr, value)
select guard.id, new.number, new.pr, new.value
from guard, jsonb_to_recordset(${values.json(given)}) as new(number bigint, pr bigint, value jsonb)`,
    ],
  ];
};

const historyParts = ({ names, values }: Writing, rows: readonly HistoryRow[]): readonly Part[] => {
  const given = rows.map((value) => {
    const { at, sequence, type } = value;
    return { at, sequence, type, prs: [...new Set(prsOf(value))], value };
  });
  return [
    [
      'history_given',
      `select guard.id, ${names.turn} as turn, new.*
from guard, jsonb_to_recordset(${values.json(given)})
  as new(at bigint, sequence bigint, type text, prs jsonb, value jsonb)`,
    ],
    [
      'history_written',
      `insert into ${names.history} (queue_id, turn, at, sequence, type, value)
select id, turn, at, sequence, type, value from history_given`,
    ],
    [
      'history_prs_written',
      `insert into ${names.history_prs} (queue_id, pr, at, sequence, turn)
select id, pr::bigint, at, sequence, turn from history_given, jsonb_array_elements_text(prs) as about(pr)`,
    ],
  ];
};

const prsOf = (row: HistoryRow): readonly number[] => {
  switch (row.type) {
    case 'moved':
      return [row.pr];
    case 'run':
      return row.prs;
    case 'commanded':
      return row.pr === null ? [] : [row.pr];
    default:
      return [];
  }
};

/**
 * The first answer to an input stays the answer for as long as it is kept. Those of one decision show one and the same
 * queue, which is most of them: it is sent once.
 */
export const answerParts = (
  { names, values }: Omit<Writing, 'version'>,
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

/**
 * Commits that are to be found again stand beside the answers. An id of a command has no line break: none is mistaken for
 * one of them.
 */
export const commitKey = (id: CommitId): string => `${COMMIT_KEY}${id}`;
export const commitOfKey = (key: string): CommitId => key.slice(COMMIT_KEY.length) as CommitId;
const COMMIT_KEY = 'commit\n';

export const recallablePart = ({ names, values }: Omit<Writing, 'version'>, id: CommitId): Part => [
  'commit_noted',
  `insert into ${names.answers} (input_id, kept_until, value)
select ${values.text(commitKey(id))}, ${names.now} + ${ANSWERS_KEPT_MS}, 'null' from guard`,
];

const queueIn = ({ result }: Answer): Queue | null => (result.ok ? result.queue : null);
