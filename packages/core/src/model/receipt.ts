import { z } from 'zod';
import { canonicalJson } from './canonical-json.js';
import { conclusions } from './checks.js';
import { mergeMethods } from './settings.js';
import { sha256 } from './sha256.js';

const objectName = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full object name of git');
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
const instant = z.int().min(0).describe('Milliseconds since 1970, UTC.');
const ordinal = z.int().min(1);
const built = z.object({ commit: objectName, tree: objectName });
const member = z.object({ pr: ordinal, attempt: ordinal, head: objectName });

const check = z.object({
  name: z.string(),
  source: z.string().describe('Who reported it.'),
  id: z.string().describe("The code host's own id of this check."),
  runId: z.string().nullable().describe('The run that it was started for, where the code host knows.'),
  digest: z.string().nullable().describe('A digest of what the check did, where the code host knows it.'),
  conclusion: z.enum(conclusions).nullable(),
  startedAt: instant,
  completedAt: instant.nullable(),
  url: z.string().nullable().describe('Where it can be read about; without query, fragment and user.'),
});

const tested = z.object({
  runId: z.string(),
  base: objectName.describe('The tip of the branch that the run was built on.'),
  stack: z.array(member).describe('What the run had under its batch, in order.'),
  batch: z.array(member).describe('What the run tested together, in order.'),
  trial: built.describe('What was tested: the whole of stack and batch on the base.'),
  step: built.describe('What this pull request had become in it.'),
  checks: z.array(check).describe('The passes that the required names rest on.'),
  checksReadAt: instant
    .optional()
    .describe(
      'When the checks of the run were read right before the branch was moved. Absent where nothing was read: no check is required, an earlier try had moved the branch, or an earlier release landed it.',
    ),
});

const landed = z.object({
  landingId: z.string().describe('One move of the branch; pull requests that landed together share it.'),
  runId: z.string().describe('The run whose trial was landed.'),
  onto: objectName.describe('The tip of the branch before the move.'),
  trial: built.describe('What was to be landed as a whole.'),
  step: built.describe('What this pull request was to become.'),
  commit: objectName.describe('What it became on the branch.'),
  tree: objectName,
  head: objectName.describe('The tip of the branch after the move.'),
});

/** What a receipt is made of. Receipts of later releases may have more; it is kept, and hashed with the rest. */
export const receiptSchema = z.object({
  version: z.literal(1),
  queueId: z.string(),
  repo: z.object({ host: z.string(), owner: z.string(), name: z.string() }),
  branch: z.string(),
  number: ordinal.describe('Its place in the chain of the queue, from 1.'),
  previous: hash.nullable().describe('The hash of the receipt before it; null for the first.'),
  pr: ordinal,
  attempt: ordinal,
  head: objectName.describe('The head of the pull request that landed.'),
  reviewedTree: objectName
    .nullable()
    .optional()
    .describe(
      'The tree of the merge of that head and the step below it, which a reviewer saw: null where the two conflict, absent in receipts of earlier releases.',
    ),
  submitted: z
    .object({
      by: z.object({ kind: z.string(), name: z.string() }),
      at: instant,
      forced: z.boolean().describe("Whether the code host's mergeability was skipped by right."),
    })
    .nullable()
    .describe(
      'Who asked. Null where it had left the queue before its landing was settled (an alarm says so).',
    ),
  settingsVersion: ordinal.describe('Of the settings in force when the landing was decided.'),
  mergeMethod: z.enum(mergeMethods),
  required: z
    .object({
      names: z.array(z.string()),
      source: z.enum(['merge_instance', 'repo_provider_branch_protection']).nullable(),
    })
    .describe('What had to pass when the landing was decided, and who said so. No names: none was needed.'),
  tested: tested.nullable().describe('Null where the run had been let go of before the landing was settled.'),
  landed,
  between: z
    .array(z.object({ commit: objectName, prs: z.array(ordinal).min(1) }))
    .describe(
      'What had landed in other lanes since the run was built: the last commit of each, and its pull requests. Of more than a hundred landings the first are told as one.',
    ),
  vouchedBy: z
    .array(z.string())
    .describe('The runs whose passes vouch for it where another trial was landed than the one tested.'),
  at: instant.describe('When the queue had word of the landing.'),
  hash: hash.describe('SHA-256 of the canonical JSON (RFC 8785) of everything else.'),
});

type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** What is on record for the landing of one pull request. Written once, chained per queue, never changed or pruned. */
export type Receipt = Frozen<z.output<typeof receiptSchema>>;
export type ReceiptBody = Omit<Receipt, 'hash'>;

/** How far the chain of a queue has come. `hash` is that of the last receipt; null before the first. */
export interface ChainHead {
  readonly count: number;
  readonly hash: string | null;
}

export const emptyChain: ChainHead = { count: 0, hash: null };

/** The hash that a receipt should have, whatever it says itself. */
export const receiptHash = (receipt: ReceiptBody): string => {
  if (!('hash' in receipt)) return sha256(canonicalJson(receipt));
  const { hash: _, ...body } = receipt;
  return sha256(canonicalJson(body));
};

export const sealed = (body: ReceiptBody): Receipt => ({ ...body, hash: receiptHash(body) });
