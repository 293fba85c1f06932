import type { Answer, Commit, CommitOutcome, Instant, Queue } from '@mq/core';
import type { Row } from './database.js';
import { placeDigest, repoDigest } from './places.js';
import { answerParts, rowParts } from './rows.js';
import { type Names, type Part, type Runner, Values, withParts } from './statement.js';
import { fromStoredJson } from './stored-json.js';

// Locks are taken in one order everywhere, so that nobody waits in a circle: wishes, queue, wake, inbox. Each part reads
// from the one before it, and is therefore carried out after it.

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
values (${values.text(queue.id)}, 1, ${texts.map((text) => values.text(text)).join(', ')}, ${values.json(queue)})
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

export const commitQueue = async (run: Runner, names: Names, commit: Commit): Promise<CommitOutcome> => {
  const values = new Values();
  const id = values.text(commit.queueId);
  const withdraw = [...new Set(commit.withdraw)];
  const parts: readonly Part[] = [
    ...when(withdraw.length > 0, () => heldPart(names, values, id, withdraw)),
    ['guard', guard(names, values, id, commit, withdraw.length)],
    ...when(withdraw.length > 0, () => withdrawnPart(names)),
    ...wakeParts(names, values, commit),
    ...when(commit.effects.length > 0, () => wishedPart(names, values, commit)),
    ...rowParts({ names, values, version: commit.expected + 1 }, commit.writes),
    ...answerParts({ names, values }, commit.answers),
  ];
  const underWay =
    withdraw.length === 0
      ? `'[]'`
      : `(select coalesce(jsonb_agg(asked.id), '[]')::text
  from jsonb_array_elements_text(${values.json(withdraw)}) as asked(id)
  where asked.id not in (select id from held))`;
  const [row] = await run(
    withParts(
      parts,
      `select (select count(*) from guard) = 1 as done, ${underWay} as under_way,
  (select version::text from ${names.queues} where id = ${id} and buried is null) as version`,
    ),
    values,
  );
  return outcomeOf(row, commit);
};

const outcomeOf = (row: Row | undefined, { expected }: Commit): CommitOutcome => {
  if (row?.done === true) return { kind: 'committed', version: expected + 1 };
  const effects: Extract<CommitOutcome, { kind: 'under_way' }>['effects'] = fromStoredJson(
    String(row?.under_way),
  );
  const isCurrent = row?.version != null && Number(row.version) === expected;
  return isCurrent && effects.length > 0 ? { kind: 'under_way', effects } : { kind: 'conflict' };
};

const when = (is: boolean, part: () => Part): readonly Part[] => (is ? [part()] : []);

const heldPart = (names: Names, values: Values, id: string, withdraw: Commit['withdraw']): Part => [
  'held',
  `select id from ${names.effects}
where queue_id = ${id} and id = ${values.anyText(withdraw)} and tries = 0 order by id for update`,
];

const withdrawnPart = (names: Names): Part => [
  'withdrawn',
  `delete from ${names.effects} as effects using guard where effects.id in (select id from held)`,
];

const guard = (names: Names, values: Values, id: string, commit: Commit, withdrawn: number): string => {
  const { queue } = commit.writes;
  const changes = [
    'version = version + 1',
    `last_commit = ${values.text(commit.id)}`,
    ...(queue === null ? [] : [`value = ${values.json(queue)}`]),
    ...(isBurial(commit) ? [`buried = ${names.turn}`] : []),
  ];
  return `update ${names.queues} set ${changes.join(', ')}
where id = ${id} and version = ${values.number(commit.expected)} and buried is null
  ${withdrawn === 0 ? '' : `and (select count(*) from held) = ${values.number(withdrawn)}`}
returning id, repo, value`;
};

const isBurial = ({ writes }: Commit): boolean => writes.queue !== null && writes.queue.deletedAt !== null;

/** A commit ends the claim: from here on only what still waits and the wake time count. */
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
      // What came since this statement began is in `waiting`, though it cannot be seen in the inbox.
      `update ${names.wakes} as wakes set waiting = ${left}, claimed_until = null, turn = ${names.turn},
  due_at = case when ${left} > 0 then ${names.now} else ${values.instant(commit.wakeAt)} end
from woken${taken ? ', (select count(*) as count from consumed) as consumption' : ''}
where wakes.queue_id = woken.queue_id`,
    ],
  ];
};

const wishedPart = (names: Names, values: Values, { effects }: Commit): Part => [
  'wished',
  `insert into ${names.effects} (id, queue_id, repo, offered_at, turn, tries, held, value)
select new.value->>'id', guard.id, guard.value->'repo', ${names.now}, ${names.turn}, 0, false, new.value
from guard, jsonb_array_elements(${values.json(effects)}) with ordinality as new(value, place)
order by new.place`,
];

/** Whether this very commit was the last to go through: for when its answer was lost. */
export const wasCommitted = async (run: Runner, names: Names, commit: Commit): Promise<boolean> => {
  const values = new Values();
  const rows = await run(
    `select 1 as done from ${names.queues} where id = ${values.text(commit.queueId)}
  and version = ${values.number(commit.expected + 1)} and last_commit = ${values.text(commit.id)}`,
    values,
  );
  return rows.length === 1;
};
