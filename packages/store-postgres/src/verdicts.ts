import { type RepoRef, VERDICTS_PER_TREE, type Verdict } from '@mq/core';
import { repoDigest } from './places.js';
import { type Names, type Runner, Values } from './statement.js';
import { fromStoredJson } from './stored-json.js';

export interface Asked {
  readonly repo: RepoRef;
  readonly tree: string;
}

/** What is on record of each of these trees, in their order. */
export const readVerdicts = async (
  run: Runner,
  names: Names,
  asked: readonly Asked[],
): Promise<readonly (readonly Verdict[])[]> => {
  const values = new Values();
  const given = asked.map(({ repo, tree }, place) => ({ repo: repoDigest(repo), tree, place }));
  const rows = await run(
    `select asked.place::text as place, found.value::text as value
from jsonb_to_recordset(${values.json(given)}) as asked(repo text, tree text, place bigint)
cross join lateral (
  select value, turn from ${names.verdicts} where repo = asked.repo and tree = asked.tree
  order by turn desc limit ${VERDICTS_PER_TREE}
) as found
order by asked.place, found.turn desc`,
    values,
  );
  const found = asked.map((): Verdict[] => []);
  for (const { place, value } of rows) found[Number(place)]?.push(fromStoredJson(String(value)));
  return found;
};
