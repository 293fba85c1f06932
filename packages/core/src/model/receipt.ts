import { z } from 'zod';
import { canonicalJson } from './canonical-json.js';
import { conclusions } from './checks.js';
import { mergeMethods } from './settings.js';
import { sha256 } from './sha256.js';

const objectName = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full git object name');
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
const instant = z.int().min(0).describe('Milliseconds since 1970, UTC.');
const ordinal = z.int().min(1);
const built = z.object({ commit: objectName, tree: objectName });
const member = z.object({ pr: ordinal, attempt: ordinal, head: objectName });

const check = z.object({
  name: z.string(),
  source: z.string().describe('The reporter of the check, e.g. the name of the CI.'),
  id: z.string().describe("The code host's own id of this check."),
  runId: z
    .string()
    .nullable()
    .describe('The test run that it was started for; null if the code host does not know.'),
  digest: z
    .string()
    .nullable()
    .describe('A digest of the definition of the check; null if the code host does not know it.'),
  conclusion: z.enum(conclusions).nullable(),
  startedAt: instant,
  completedAt: instant.nullable(),
  url: z.string().nullable().describe('The page with details, without query, fragment and user.'),
});

const tested = z.object({
  runId: z.string(),
  base: objectName.describe('The tip of the branch that the test run was built on.'),
  stack: z.array(member).describe('The pull requests that the test run had below its batch, in order.'),
  batch: z.array(member).describe('The pull requests tested together, in order.'),
  trial: built.describe('The tested candidate: stack and batch on the base.'),
  step: built.describe('The step of this pull request in it.'),
  checks: z.array(check).describe('The passes of the required checks.'),
  checksReadAt: instant
    .optional()
    .describe(
      'When the checks of the test run were read, right before the branch was moved. Absent if they were not read: no check is required, or an earlier try had moved the branch.',
    ),
});

const landed = z.object({
  landingId: z
    .string()
    .describe('Identifies the move of the branch. Pull requests that landed together share it.'),
  runId: z.string().describe('The test run whose candidate was landed.'),
  onto: objectName.describe('The tip of the branch before the move.'),
  trial: built.describe('The candidate to be landed.'),
  step: built.describe('The step of this pull request in it.'),
  commit: objectName.describe('The commit of this pull request on the branch.'),
  tree: objectName,
  head: objectName.describe('The tip of the branch after the move.'),
});

/** The fields of a receipt. Unknown fields of later releases are kept, and included in the hash. */
export const receiptSchema = z.object({
  version: z.literal(1),
  queueId: z.string(),
  repo: z.object({ host: z.string(), owner: z.string(), name: z.string() }),
  branch: z.string(),
  number: ordinal.describe('Its number in the chain of the queue, from 1.'),
  previous: hash.nullable().describe('The hash of the previous receipt; null for the first.'),
  pr: ordinal,
  attempt: ordinal,
  head: objectName.describe('The head of the pull request that landed.'),
  reviewedTree: objectName
    .nullable()
    .optional()
    .describe(
      'The tree of the merge of that head and the step below it, which a reviewer saw. Null if the two conflict; absent if the code host does not compute it.',
    ),
  submitted: z
    .object({
      by: z.object({ kind: z.string(), name: z.string() }),
      at: instant,
      forced: z.boolean().describe("Whether the code host's mergeability was skipped by right."),
    })
    .nullable()
    .describe(
      'The submitter. Null if the pull request had left the queue before its landing was settled (there is an alarm then).',
    ),
  settingsVersion: ordinal.describe('The version of the settings in force when the landing was decided.'),
  mergeMethod: z.enum(mergeMethods),
  required: z
    .object({
      names: z.array(z.string()),
      source: z.enum(['merge_instance', 'repo_provider_branch_protection']).nullable(),
    })
    .describe(
      'The checks required when the landing was decided, and the source of that list. Empty if none was required.',
    ),
  tested: tested.nullable().describe('Null if the test run was closed before the landing was settled.'),
  landed,
  between: z
    .array(z.object({ commit: objectName, prs: z.array(ordinal).min(1) }))
    .describe(
      'The landings in other lanes since the test run was built: the last commit of each, and its pull requests. If there are more than a hundred, the first ones are merged into one entry.',
    ),
  vouchedBy: z
    .array(z.string())
    .describe(
      'The test runs whose passes vouch for it, if another candidate was landed than the one tested.',
    ),
  at: instant.describe('When the queue learnt of the landing.'),
  hash: hash.describe('SHA-256 of the canonical JSON (RFC 8785) of everything else.'),
});

type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** The record of the landing of one pull request. Written once, chained per queue, never changed or pruned. */
export type Receipt = Frozen<z.output<typeof receiptSchema>>;
export type ReceiptBody = Omit<Receipt, 'hash'>;

/** The head of a chain of receipts. `hash` is that of the last receipt; null before the first. */
export interface ChainHead {
  readonly count: number;
  readonly hash: string | null;
}

export const emptyChain: ChainHead = { count: 0, hash: null };

/** Computes the hash from the content; ignores the `hash` of the receipt itself. */
export const receiptHash = (receipt: ReceiptBody): string => {
  if (!('hash' in receipt)) return sha256(canonicalJson(receipt));
  const { hash: _, ...body } = receipt;
  return sha256(canonicalJson(body));
};

export const sealed = (body: ReceiptBody): Receipt => ({ ...body, hash: receiptHash(body) });
