import type {
  Answer,
  Commit,
  CommitOutcome,
  EffectId,
  Instant,
  Lease,
  Queue,
  Recalled,
  RepoRef,
} from '@mq/core';
import type { Row } from './database.js';
import { placeDigest, repoDigest } from './digests.js';
import { recalledIn, recalledSelects } from './load.js';
import { answerParts, recallablePart, rowParts } from './rows.js';
import type { StoredParts } from './run-parts.js';
import {
  asDocument,
  documents,
  type Names,
  type Part,
  type Runner,
  type Statement,
  texts,
  Values,
  withParts,
} from './statement.js';
import { documentIn, fromStoredJson } from './stored-json.js';

// Locks are always taken in the order effects, queue, wake, inbox, so that there are no deadlocks. Each part reads from
// the previous one and is therefore executed after it.

export const createQueue = async (
  run: Runner,
  names: Names,
  queue: Queue,
  wakeAt: Instant,
  answer: Answer | null,
): Promise<'created' | 'exists'> => {
  const values = new Values();
  const { host, owner, name } = queue.repo;
  const texts = [placeDigest(queue), repoDigest(queue.repo), host, owner, name, queue.branch];
  const parts: readonly Part[] = [
    [
      'guard',
      `insert into ${names.queues} (id, version, place, repo, host, owner, name, branch, value)
values (${values.text(queue.id)}, 1, ${texts.map((text) => values.text(text)).join(', ')}, ${values.document(queue)})
on conflict do nothing
returning id`,
    ],
    [
      'woken',
      `insert into ${names.wakes} (queue_id, waiting, due_at, turn)
select id, 0, ${values.instant(wakeAt)}, ${names.turn} from guard`,
    ],
    ...answerParts({ names, values }, answer === null ? [] : [answer]),
  ];
  const [row] = await run(withParts(parts, 'select (select count(*) from guard) = 1 as done'), values);
  return row?.done === true ? 'created' : 'exists';
};

/** Writes a commit by one statement. */
export const writeCommit = async (
  run: Runner,
  names: Names,
  stored: StoredParts,
  commit: Commit,
): Promise<CommitOutcome> => {
  const values = new Values();
  const id = values.text(commit.queueId);
  const withdraw = [...new Set(commit.withdraw)];
  const settled = commit.settled.map(({ effect, token }) => ({ id: effect.id, token }));
  const absent = commit.absent === null ? [] : recalledSelects(names, values, id, commit.absent);
  const parts: readonly Part[] = [
    ...when(absent.length > 0, () => presentPart(absent)),
    ...when(settled.length > 0, () => keptPart(names, values, id, settled)),
    ...when(withdraw.length > 0, () => heldPart(names, values, id, withdraw)),
    ['guard', guard({ names, values }, id, commit, absent.length > 0)],
    ...when(settled.length > 0, () => removedPart(names, 'settled', 'kept')),
    ...when(withdraw.length > 0, () => removedPart(names, 'withdrawn', 'held')),
    ...wakeParts(names, values, commit),
    ...when(commit.effects.length > 0, () => effectsPart({ names, values }, commit)),
    ...rowParts(
      { names, values, version: commit.expected + 1, absent: new Set(commit.absent?.prs) },
      commit.writes,
      stored,
    ),
    ...answerParts({ names, values }, commit.answers),
    ...when(commit.recallable, () => recallablePart({ names, values }, commit.id)),
  ];
  const ids = settled.map((one) => one.id);
  const columns = [
    '(select count(*) from guard) = 1 as done',
    `${missing(values, ids, 'kept')} as lost`,
    `${missing(values, withdraw, 'held')} as under_way`,
    `(select version::text from ${names.queues} where id = ${id} and buried is null${isHere(names, values, commit)}) as version`,
    `${names.now}::text as now`,
    ...(absent.length === 0
      ? []
      : ['(select jsonb_agg(jsonb_build_array(kind, value))::text from present) as present']),
    ...(commit.handOver === null || commit.effects.length === 0
      ? []
      : [
          `(select ${asDocument('home')} from guard) as repo`,
          `(select ${asDocument('jsonb_agg(jsonb_build_array(id, turn::text))')} from requested where held) as tokens`,
        ]),
  ];
  const statement = withParts(parts, `select ${columns.join(',\n  ')}`);
  const [row] = await run(statement, values);
  return outcomeOf(row, commit);
};

/** The ids of these effects that are not in the part. */
const missing = (values: Values, ids: readonly string[], part: string): string =>
  ids.length === 0
    ? asDocument(`'[]'`)
    : `(select ${asDocument("coalesce(jsonb_agg(asked.id), '[]')")}
  from ${values.rows('asked', { id: texts(ids) })}
  where asked.id not in (select id from ${part}))`;

const outcomeOf = (row: Row | undefined, commit: Commit): CommitOutcome => {
  const { expected } = commit;
  if (row?.done === true)
    return {
      kind: 'committed',
      version: expected + 1,
      now: Number(row.now),
      leases: handedOver(row, commit),
    };
  if (row?.version == null || Number(row.version) !== expected) return { kind: 'conflict' };
  if (row.present != null) return { kind: 'present', recalled: presentIn(String(row.present)) };
  const lost: readonly EffectId[] = documentIn(row.lost);
  if (lost.length > 0) return { kind: 'lost', effects: lost };
  const underWay: readonly EffectId[] = documentIn(row.under_way);
  return underWay.length > 0 ? { kind: 'under_way', effects: underWay } : { kind: 'conflict' };
};

const presentPart = (selects: readonly string[]): Part => [
  'present',
  `select * from (${selects.join('\nunion all\n')}) as found(kind, place, value)`,
];

const presentIn = (json: string): Recalled => {
  const found: readonly (readonly [kind: string, value: string])[] = JSON.parse(json);
  return recalledIn(<Value>(kind: string) =>
    found.flatMap(([of, value]) => (of === kind ? [fromStoredJson<Value>(value)] : [])),
  );
};

const handedOver = (row: Row, { queueId, effects }: Commit): readonly Lease[] => {
  if (row.tokens == null) return [];
  const tokens = new Map(documentIn<readonly [string, string][]>(row.tokens));
  const repo: RepoRef = documentIn(row.repo);
  return effects.flatMap((effect) => {
    const token = tokens.get(effect.id);
    return token === undefined ? [] : [{ queueId, repo, effect, tries: 1, token }];
  });
};

const when = (is: boolean, part: () => Part): readonly Part[] => (is ? [part()] : []);

/** The ids are given twice for the query plan (see effects.ts). */
const keptPart = (
  names: Names,
  values: Values,
  id: string,
  settled: readonly { readonly id: EffectId; readonly token: string }[],
): Part => [
  'kept',
  `select effects.id from ${names.effects} as effects
join ${values.rows('asked', { id: texts(settled.map((one) => one.id)), token: texts(settled.map(({ token }) => token)) })}
  on asked.id = effects.id
where effects.id = ${values.anyText(settled.map((one) => one.id))} and effects.queue_id = ${id}
  and effects.held and effects.turn::text = asked.token
order by effects.id for update of effects`,
];

const heldPart = (names: Names, values: Values, id: string, withdraw: Commit['withdraw']): Part => [
  'held',
  `select id from ${names.effects}
where queue_id = ${id} and id = ${values.anyText(withdraw)} and tries = 0 order by id for update`,
];

const removedPart = (names: Names, name: string, from: string): Part => [
  name,
  `delete from ${names.effects} as effects using guard where effects.id in (select id from ${from})`,
];

const guard = ({ names, values }: Statement, id: string, commit: Commit, isPresentAsked: boolean): string => {
  const { queue } = commit.writes;
  const all = (part: string, ids: readonly unknown[]) =>
    ids.length === 0 ? '' : `\n  and (select count(*) from ${part}) = ${values.number(ids.length)}`;
  const changes = [
    'version = version + 1',
    `last_commit = ${values.text(commit.id)}`,
    ...(queue === null ? [] : [`value = ${values.document(queue)}`]),
    ...(isBurial(commit) ? [`buried = ${names.turn}`] : []),
  ];
  return `update ${names.queues} set ${changes.join(', ')}
where id = ${id} and version = ${values.number(commit.expected)} and buried is null${isHere(names, values, commit)}${isPresentAsked ? '\n  and not exists (select from present)' : ''}${all('kept', commit.settled)}${all('held', [...new Set(commit.withdraw)])}
returning id, repo${commit.effects.length === 0 ? '' : ", value::json->'repo' as home"}`;
};

const isHere = (names: Names, values: Values, { incarnation }: Commit): string =>
  incarnation === null ? '' : `\n  and ${names.incarnation} = ${values.text(incarnation)}`;

const isBurial = ({ writes }: Commit): boolean => writes.queue !== null && writes.queue.deletedAt !== null;

/** Ends the claim. From now on the queue is due for its waiting facts or at its wake time. */
const wakeParts = (names: Names, values: Values, commit: Commit): readonly Part[] => {
  const woken: Part = [
    'woken',
    `select wakes.queue_id from ${names.wakes} as wakes, guard where wakes.queue_id = guard.id for update of wakes`,
  ];
  if (isBurial(commit))
    return [
      woken,
      ['unwoken', `delete from ${names.wakes} as wakes using woken where wakes.queue_id = woken.queue_id`],
      ['emptied', `delete from ${names.inbox} as inbox using woken where inbox.queue_id = woken.queue_id`],
    ];
  const taken = commit.consumed.length > 0;
  const left = taken ? 'wakes.waiting - consumption.count' : 'wakes.waiting';
  return [
    woken,
    ...when(taken, () => [
      'consumed',
      `delete from ${names.inbox} as inbox using woken
where inbox.queue_id = woken.queue_id and inbox.id = ${values.anyText(commit.consumed)} returning inbox.id`,
    ]),
    [
      'decided',
      // `waiting` includes facts that arrived after this statement began and that it cannot see in the inbox.
      `update ${names.wakes} as wakes set waiting = ${left}, claimed_until = null, turn = ${names.turn},
  due_at = case when ${left} > 0 then ${names.now} else ${values.instant(commit.wakeAt)} end
from woken${taken ? ', (select count(*) as count from consumed) as consumption' : ''}
where wakes.queue_id = woken.queue_id`,
    ],
  ];
};

const effectsPart = ({ names, values }: Statement, { effects, handOver }: Commit): Part => {
  const isGiven = handOver === null ? 'false' : `new.place <= ${values.number(handOver.limit)}`;
  const [owner, offeredAt] =
    handOver === null
      ? ['null', names.now]
      : [
          `case when ${isGiven} then ${values.text(handOver.owner)} end`,
          `${names.now} + case when ${isGiven} then ${values.instant(handOver.forMs)} else 0 end`,
        ];
  return [
    'requested',
    `insert into ${names.effects} (id, queue_id, repo, offered_at, turn, tries, held, owner, value)
select new.id, guard.id, guard.home, ${offeredAt}, ${names.turn},
  case when ${isGiven} then 1 else 0 end, ${isGiven}, ${owner}, new.value
from guard, ${values.rows('new', { id: texts(effects.map((effect) => effect.id)), value: documents(effects) }, 'with place')}
order by new.place
returning id, turn, held`,
  ];
};

/** The current time if this commit was the last one written, else null. For a commit whose answer was lost. */
export const wasCommitted = async (run: Runner, names: Names, commit: Commit): Promise<Instant | null> => {
  const values = new Values();
  const [row] = await run(
    `select ${names.now}::text as now from ${names.queues} where id = ${values.text(commit.queueId)}
  and version = ${values.number(commit.expected + 1)} and last_commit = ${values.text(commit.id)}`,
    values,
  );
  return row === undefined ? null : Number(row.now);
};
