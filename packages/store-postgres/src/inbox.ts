import type { Fact, QueueId } from '@mq/core';
import { type Names, type Part, type Runner, Values, withParts } from './statement.js';

/**
 * The statement parts that add facts to an inbox and make the queue due. `woken` selects the row of `wakes` (queue_id)
 * to lock: this serializes changes of one inbox, and a deleted queue has no such row.
 */
export const arrivalParts = (
  names: Names,
  values: Values,
  woken: string,
  facts: readonly Fact[],
): readonly Part[] => {
  const waits = 'wakes.waiting + arrival.count';
  const isLater = `${waits} > 0
  and (wakes.claimed_until is null or wakes.claimed_until <= ${names.now})
  and (wakes.due_at is null or wakes.due_at > ${names.now})`;
  return [
    ['woken', `${woken} for update of wakes`],
    [
      'arrived',
      `insert into ${names.inbox} (queue_id, id, turn, value)
select woken.queue_id, new.value->>'id', ${names.turn}, new.value
from woken, jsonb_array_elements(${values.json(facts)}) with ordinality as new(value, place)
order by new.place
on conflict (queue_id, id) do nothing
returning id`,
    ],
    [
      'notified',
      `update ${names.wakes} as wakes set waiting = ${waits},
  due_at = case when ${isLater} then ${names.now} else wakes.due_at end,
  turn = case when ${isLater} then ${names.turn} else wakes.turn end
from woken, (select count(*) as count from arrived) as arrival
where wakes.queue_id = woken.queue_id`,
    ],
  ];
};

export const pushFacts = async (
  run: Runner,
  names: Names,
  id: QueueId,
  facts: readonly Fact[],
): Promise<void> => {
  const values = new Values();
  const woken = `select wakes.queue_id from ${names.wakes} as wakes where wakes.queue_id = ${values.text(id)}`;
  await run(withParts(arrivalParts(names, values, woken, facts), 'select 1 as done'), values);
};

/** Claims due queues. Skips those that another process is claiming. */
export const claimDue = async (
  run: Runner,
  names: Names,
  forMs: number,
  limit: number,
): Promise<readonly string[]> => {
  const values = new Values();
  const until = `${names.now} + ${values.instant(forMs)}`;
  const parts: readonly Part[] = [
    [
      'picked',
      `select queue_id from ${names.wakes} where due_at <= ${names.now}
order by due_at, turn limit ${values.number(limit)} for update skip locked`,
    ],
    ['ordered', `select queue_id, ${names.turn} as turn from picked`],
    [
      'claimed',
      `update ${names.wakes} as wakes set claimed_until = ${until}, due_at = ${until}, turn = ordered.turn
from ordered where wakes.queue_id = ordered.queue_id and wakes.queue_id = any (array(select queue_id from ordered))
returning wakes.queue_id, wakes.turn`,
    ],
  ];
  const rows = await run(withParts(parts, 'select queue_id from claimed order by turn'), values);
  return rows.map((row) => String(row.queue_id));
};

export const nextDueAt = async (run: Runner, names: Names): Promise<number | null> => {
  const [row] = await run(
    `select least((select min(due_at) from ${names.wakes}), (select min(offered_at) from ${names.effects}))::text as at`,
    new Values(),
  );
  return row?.at == null ? null : Number(row.at);
};
