import { isSha, type Sha } from '@mq/core';
import { z } from 'zod';

// Schemas of the fields that are read. Unknown fields are ignored.

const sha = z.string().refine(isSha) as unknown as z.ZodType<Sha>;
/** Null for an absent commit, which the host sends as an empty string. */
const shaOrNone = z
  .string()
  .nullish()
  .transform((text) => (text !== null && text !== undefined && isSha(text) ? (text as Sha) : null));
export const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '');
export const instant = z
  .string()
  .transform((given) => Date.parse(given))
  .refine((at) => !Number.isNaN(at), 'is not a date');

export const repositoryShape = z.object({
  id: z.int().min(1),
  full_name: z.string().max(500),
  object_format_name: z.enum(['sha1', 'sha256']).catch('sha1'),
  empty: z.boolean().catch(false),
  private: z.boolean().catch(false),
  internal: z.boolean().catch(false),
});

export const branchShape = z.object({
  commit: z.object({ id: sha }),
  enable_status_check: z.boolean().catch(false),
  status_check_contexts: z
    .array(z.string().max(1000))
    .max(1000)
    .nullish()
    .transform((names) => names ?? []),
});

const side = z.object({
  ref: text,
  sha: shaOrNone,
  repo_id: z.int().catch(-1),
});

/** `active` is shown only to administrators of the server and to the person, and so are hidden addresses. */
const personShape = z.object({
  id: z.int().catch(-1),
  login: text,
  full_name: text,
  email: text,
  active: z.boolean().catch(false),
});
export type GiteaPerson = z.output<typeof personShape>;

export const pullShape = z.object({
  number: z.int().min(1),
  title: text,
  body: text,
  html_url: text,
  user: personShape.nullish(),
  labels: z
    .array(z.object({ name: text }))
    .nullish()
    .transform((labels) => labels ?? []),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().catch(false),
  merged: z.boolean(),
  merge_commit_sha: shaOrNone,
  base: side,
  head: side,
});
export type GiteaPull = z.output<typeof pullShape>;

/** Skips invalid entries, because the host lists an unreadable pull request as null or with missing fields. */
export const pullsShape = z.array(z.unknown()).transform((all) =>
  all.flatMap((one) => {
    const read = pullShape.safeParse(one);
    return read.success ? [read.data] : [];
  }),
);

export const statusShape = z.object({
  id: z.int().min(1),
  status: z.string(),
  context: text,
  description: text,
  target_url: text,
  created_at: instant,
});
export type GiteaStatus = z.output<typeof statusShape>;
export const statusesShape = z.array(statusShape);

const flag = z.boolean().catch(false);

export const repositoryRulesShape = z.object({
  permissions: z.object({ admin: flag, push: flag }).catch({ admin: false, push: false }),
  allow_manual_merge: flag,
});

export const branchRulesShape = z.object({
  protected: flag,
  user_can_push: z.boolean().catch(true),
  user_can_merge: z.boolean().catch(true),
  effective_branch_protection_name: text,
});

export const protectionsShape = z.array(
  z.object({ rule_name: text, enable_push: flag, require_signed_commits: flag }),
);

export const hooksShape = z.array(
  z.object({
    id: z.int(),
    active: flag,
    events: z
      .array(z.string())
      .nullish()
      .transform((events) => events ?? []),
    config: z.object({ url: text }).catch({ url: '' }),
  }),
);
