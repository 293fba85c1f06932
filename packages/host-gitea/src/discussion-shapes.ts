import type { HostAccount, HostComment } from '@mq/core';
import { z } from 'zod';
import { instant, text } from './shapes.js';

// What is read of discussions: accounts, comments, labels and the timeline.

const NAME_LIMIT_CHARS = 250;

/**
 * The readable items of a list. Unreadable ones are skipped. `count`: the number of all items, which shows whether
 * the page is full.
 */
const pageOf = <Shape extends z.ZodType>(shape: Shape) =>
  z
    .array(z.unknown())
    .nullish()
    .transform((all) => ({
      count: all?.length ?? 0,
      items: (all ?? []).flatMap((one): readonly z.output<Shape>[] => {
        const read = shape.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    }));
const eachOf = <Shape extends z.ZodType>(shape: Shape) => pageOf(shape).transform(({ items }) => items);

const user = z.object({ id: z.int(), login: z.string().min(1).max(NAME_LIMIT_CHARS) });

/** Deleted accounts and those of Actions have an id below 1. The API does not say whether other accounts are bots. */
export const accountShape = user.transform(
  ({ id, login }): HostAccount => ({ id: String(id), name: login, isBot: id <= 0 }),
);
const ghost: HostAccount = { id: '-1', name: 'Ghost', isBot: true };

/** The number of a pull request at the end of its address; null for that of an issue, which is empty. */
const numberIn = (address: string): number | null => {
  const found = /\/pulls\/([1-9]\d{0,9})$/.exec(address);
  return found === null ? null : Number(found[1]);
};

/** Times are in whole seconds: an edit within the second of the comment cannot be seen. */
export const commentShape = z
  .object({
    id: z.int().min(1),
    user: accountShape.nullish(),
    body: text,
    created_at: instant,
    updated_at: instant,
    pull_request_url: text,
  })
  .transform((read) => {
    const { created_at: createdAt, updated_at: updatedAt } = read;
    const comment: HostComment = {
      id: String(read.id),
      author: read.user ?? ghost,
      body: read.body.replaceAll('\r\n', '\n'),
      createdAt,
      editedAt: updatedAt > createdAt ? updatedAt : null,
    };
    return { pr: numberIn(read.pull_request_url), comment };
  });
export const commentsShape = eachOf(commentShape);
export const commentPageShape = pageOf(commentShape);

export const labelsShape = eachOf(z.object({ id: z.int().min(1), name: z.string() }));

/** Timeline entries that are not read have another type. */
export const timelineShape = eachOf(
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('label'),
      id: z.int().min(1),
      user: accountShape.nullish().transform((actor) => actor ?? ghost),
      // `1` if it was added, empty if it was removed. Null once the label was deleted from the repository.
      body: text,
      label: z.object({ name: z.string() }),
      created_at: instant,
    }),
    z.object({ type: z.literal('pull_push'), body: text, created_at: instant }),
  ]),
);

/** The commits of a push to the head of a pull request, from the text of its timeline entry. */
export const pushedShape = z.object({ commit_ids: z.array(z.string()).max(100_000) });

export const originShape = z.object({
  user: accountShape.nullish(),
  head: z.object({ sha: text }),
  created_at: instant,
});

const side = z
  .object({ label: text, repo_id: z.int().catch(-1) })
  .nullish()
  .transform((given) => given ?? { label: '', repo_id: -1 });
export const openedShape = z.object({
  number: z.int().min(1),
  user: accountShape.nullish(),
  head: side,
  base: side,
});
/** A pull request as far as it may be the draft of a candidate. The label of a side is its branch, also once that is gone. */
export type OpenedPull = z.output<typeof openedShape>;
export const openedPullsShape = pageOf(openedShape);

export const changedPullsShape = pageOf(openedShape.extend({ updated_at: instant }));

export const permissionShape = z.object({ permission: z.string(), user: accountShape });

export const foundAccountsShape = z.object({ data: eachOf(accountShape) });
