import { type RepoRef, VERDICTS_PER_TREE, type Verdict } from '@mq/core';
import { repoDigest } from './digests.js';
import { asDocument, type Names, type Runner, texts, Values } from './statement.js';
import { documentIn } from './stored-json.js';

export interface Asked {
  readonly repo: RepoRef;
  readonly tree: string;
}

/** The recorded passes of each of these trees, in order. */
export const readVerdicts = async (
  run: Runner,
  names: Names,
  asked: readonly Asked[],
): Promise<readonly (readonly Verdict[])[]> => {
  const values = new Values();
  const trees = values.rows(
    'asked',
    {
      repo: texts(asked.map(({ repo }) => repoDigest(repo))),
      tree: texts(asked.map(({ tree }) => tree)),
    },
    'with place',
  );
  const rows = await run(
    `select asked.place::text as place, ${asDocument('found.value')} as value
from ${trees}
cross join lateral (
  select value, turn from ${names.verdicts} where repo = asked.repo and tree = asked.tree
  order by turn desc limit ${VERDICTS_PER_TREE}
) as found
order by asked.place, found.turn desc`,
    values,
  );
  const found = asked.map((): Verdict[] => []);
  for (const { place, value } of rows) found[Number(place) - 1]?.push(documentIn(value));
  return found;
};
