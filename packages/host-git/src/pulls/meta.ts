import { hasLineCharacters, isSha, NAME_CHARACTERS_FAULT, type Sha } from '@mq/core';
import { z } from 'zod';
import { branchFault, isPullNumber, PULLS } from '../names.js';

export const PULL_TITLE_LIMIT_CHARS = 1000;
export const PULL_BODY_LIMIT_CHARS = 65_536;
export const PULL_AUTHOR_LIMIT_CHARS = 200;
export const PULL_LABELS_LIMIT = 100;

const branch = z.string().refine((name) => branchFault(name) === null, 'is not a valid branch name');
const line = (limit: number) =>
  z.string().min(1).max(limit).refine(hasLineCharacters, `must be one line and ${NAME_CHARACTERS_FAULT}`);

/** The content of `refs/mq/pulls/<n>/meta`, as JSON in a blob. */
export const pullMeta = z.object({
  version: z.literal(1),
  title: line(PULL_TITLE_LIMIT_CHARS),
  body: z.string().max(PULL_BODY_LIMIT_CHARS),
  author: line(PULL_AUTHOR_LIMIT_CHARS),
  base: branch,
  headBranch: branch,
  state: z.enum(['open', 'closed']),
  draft: z.boolean(),
  labels: z.array(line(100)).max(PULL_LABELS_LIMIT),
  openedAt: z.number().int().nonnegative(),
});

export type PullMeta = Readonly<z.infer<typeof pullMeta>>;

/** Null for a text that this package did not write. Such a pull request counts as missing. */
export const parseMeta = (text: string): PullMeta | null => {
  try {
    return pullMeta.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

/** The targets of the refs of one pull request. */
export interface PullRefs {
  readonly number: number;
  readonly meta: Sha;
  readonly head: Sha;
  readonly merged: Sha | null;
}

/** The pull requests among refs below `refs/mq/pulls/`; those without meta or head are skipped. */
export const pullRefsOf = (refs: ReadonlyMap<string, Sha>): readonly PullRefs[] => {
  const parts = new Map<number, { meta?: Sha; head?: Sha; merged?: Sha }>();
  for (const [ref, sha] of refs) {
    const [number = '', what = '', ...rest] = ref.slice(PULLS.length + 1).split('/');
    if (!ref.startsWith(`${PULLS}/`) || rest.length > 0 || !/^[1-9]\d*$/.test(number)) continue;
    if (!isPullNumber(Number(number)) || !isSha(sha)) continue;
    if (what !== 'meta' && what !== 'head' && what !== 'merged') continue;
    parts.set(Number(number), { ...parts.get(Number(number)), [what]: sha });
  }
  return [...parts]
    .flatMap(([number, { meta, head, merged }]) =>
      meta === undefined || head === undefined ? [] : [{ number, meta, head, merged: merged ?? null }],
    )
    .sort((one, other) => one.number - other.number);
};
