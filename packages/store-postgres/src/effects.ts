import type { Fact, Lease } from '@mq/core';
import type { Database } from './database.js';
import { arrivalParts } from './inbox.js';
import { asDocument, type Names, type Part, type Runner, texts, Values, withParts } from './statement.js';
import { documentIn, fromStoredText } from './stored-json.js';

// `turn` is renewed with each lease: it orders effects offered at the same instant, and is the token of the lease.
// Joins with a list of ids repeat the list as `= any(…)`: otherwise a plan made while the table is small scans all of
// it, and is kept when it is large.

export const leaseEffects = async (
  run: Runner,
  names: Names,
  ask: { readonly owner: string; readonly forMs: number; readonly limit: number },
): Promise<readonly Lease[]> => {
  const values = new Values();
  const parts: readonly Part[] = [
    [
      'picked',
      `select id from ${names.effects} where offered_at <= ${names.now}
order by offered_at, turn limit ${values.number(ask.limit)} for update skip locked`,
    ],
    ['ordered', `select id, ${names.turn} as turn from picked`],
    [
      'leased',
      `update ${names.effects} as effects set tries = tries + 1, held = true, owner = ${values.text(ask.owner)},
  turn = ordered.turn, offered_at = ${names.now} + ${values.instant(ask.forMs)}
from ordered where effects.id = ordered.id and effects.id = any (array(select id from ordered))
returning effects.queue_id, effects.repo, effects.value, effects.tries, effects.turn`,
    ],
  ];
  const rows = await run(
    withParts(
      parts,
      `select queue_id, ${asDocument('repo')} as repo, ${asDocument('value')} as value, tries::text as tries, turn::text as token
from leased order by turn`,
    ),
    values,
  );
  return rows.map((row) => ({
    queueId: fromStoredText(String(row.queue_id)) as Lease['queueId'],
    repo: documentIn(row.repo),
    effect: documentIn(row.value),
    tries: Number(row.tries),
    token: String(row.token),
  }));
};

// Compared as text, because a given token may be anything.
const isHeld = (values: Values, lease: Lease): string =>
  `id = ${values.text(lease.effect.id)} and held and turn::text = ${values.text(lease.token)}`;

const idsOf = (leases: readonly Lease[]): readonly string[] => leases.map(({ effect }) => effect.id);

const tokensOf = (leases: readonly Lease[]) => ({
  id: texts(idsOf(leases)),
  token: texts(leases.map(({ token }) => token)),
});

/** Locks by ascending id, as a commit that withdraws effects does. */
export const renewLeases = async (
  run: Runner,
  names: Names,
  leases: readonly Lease[],
  forMs: number,
): Promise<void> => {
  const values = new Values();
  const asked = values.rows('asked', tokensOf(leases));
  const parts: readonly Part[] = [
    [
      'renewed',
      `select effects.id from ${names.effects} as effects
join ${asked} on asked.id = effects.id
where effects.id = ${values.anyText(idsOf(leases))} and effects.held and effects.turn::text = asked.token
order by effects.id for update of effects`,
    ],
  ];
  await run(
    withParts(
      parts,
      `update ${names.effects} as effects set offered_at = ${names.now} + ${values.instant(forMs)}
from renewed where effects.id = renewed.id`,
    ),
    values,
  );
};

/** Ends all leases and claims, because their owners are gone. Later calls with them are refused. */
export const releaseAll = (database: Database, names: Names): Promise<void> =>
  database.script(`
update ${names.effects} set held = false, turn = ${names.turn}, offered_at = least(offered_at, ${names.now}) where held;
update ${names.wakes} set claimed_until = null, due_at = ${names.now}, turn = ${names.turn} where claimed_until > ${names.now}`);

export const settleEffect = async (
  run: Runner,
  names: Names,
  lease: Lease,
  facts: readonly Fact[],
): Promise<boolean> => {
  const values = new Values();
  const parts: readonly Part[] = [
    ['settled', `delete from ${names.effects} where ${isHeld(values, lease)} returning queue_id`],
    ...arrivalParts(
      names,
      values,
      `select wakes.queue_id from ${names.wakes} as wakes, settled where wakes.queue_id = settled.queue_id`,
      facts,
    ),
  ];
  const [row] = await run(withParts(parts, 'select (select count(*) from settled) = 1 as done'), values);
  return row?.done === true;
};

/**
 * Removes effects that have no resulting facts. Answers for each whether its lease still held. Locks by ascending id.
 */
export const settleSilently = async (
  run: Runner,
  names: Names,
  leases: readonly Lease[],
): Promise<readonly boolean[]> => {
  const values = new Values();
  const asked = values.rows('asked', tokensOf(leases), 'with place');
  const parts: readonly Part[] = [
    [
      'kept',
      `select effects.id, asked.place from ${names.effects} as effects
join ${asked} on asked.id = effects.id
where effects.id = ${values.anyText(idsOf(leases))} and effects.held and effects.turn::text = asked.token
order by effects.id for update of effects`,
    ],
    ['settled', `delete from ${names.effects} as effects using kept where effects.id = kept.id`],
  ];
  // If a lease is given twice, only the first one holds.
  const rows = await run(withParts(parts, 'select min(place)::text as place from kept group by id'), values);
  const held = new Set(rows.map(({ place }) => Number(place)));
  return leases.map((_, index) => held.has(index + 1));
};

export const postponeEffect = async (
  run: Runner,
  names: Names,
  lease: Lease,
  delayMs: number,
  error: string,
): Promise<boolean> => {
  const values = new Values();
  const rows = await run(
    `update ${names.effects} set held = false, error = ${values.text(error)}, turn = ${names.turn},
  offered_at = ${names.now} + ${values.instant(delayMs)}
where ${isHeld(values, lease)} returning id`,
    values,
  );
  return rows.length === 1;
};
