import type { RepoRef } from '@mq/core';
import { repoDigest } from './digests.js';
import { type Names, type Runner, Values, withParts } from './statement.js';

/** The uploads of the live queues of a repository, with their bytes, and whether their pull requests are in the queue. */
const booksOf = (names: Names, values: Values, repo: RepoRef): string =>
  `select book.queue_id, book.pr, book.version, octet_length(book.value)::bigint as bytes, exists (
    select from ${names.submissions} as live
    where live.queue_id = book.queue_id and live.pr = book.pr and live.live_from is not null offset 0
  ) as is_live
  from ${names.queues} as queue join ${names.targets} as book on book.queue_id = queue.id
  where queue.repo = ${values.text(repoDigest(repo))} and queue.buried is null`;

/** `Store.heldTargetBytes`, without reading the texts. */
export const heldTargetBytes = async (run: Runner, names: Names, repo: RepoRef): Promise<number> => {
  const values = new Values();
  const [row] = await run(
    withParts(
      [['books', booksOf(names, values, repo)]],
      `select coalesce(sum(bytes), 0)::text as held from books where is_live`,
    ),
    values,
  );
  return Number(row?.held);
};

/**
 * `Store.shedTargets`, in one statement. The length of a text is read without the text. A pull request that is submitted
 * meanwhile has its targets written again, so the version differs.
 */
export const shedTargets = async (
  run: Runner,
  names: Names,
  repo: RepoRef,
  bytesLimit: number,
): Promise<number> => {
  const values = new Values();
  const [row] = await run(
    withParts(
      [
        ['books', booksOf(names, values, repo)],
        [
          'sums',
          `select *, sum(bytes) over (order by is_live desc, version desc, queue_id, pr) as bytes_so_far from books`,
        ],
        [
          'shed',
          `delete from ${names.targets} as book using sums
  where book.queue_id = sums.queue_id and book.pr = sums.pr and book.version = sums.version
  and not sums.is_live and sums.bytes_so_far > ${values.number(bytesLimit)} returning sums.bytes`,
        ],
      ],
      `select (coalesce((select sum(bytes) from books), 0) - coalesce((select sum(bytes) from shed), 0))::text as left_over`,
    ),
    values,
  );
  return Number(row?.left_over);
};
