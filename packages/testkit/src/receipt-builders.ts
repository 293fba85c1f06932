import { type Receipt, type ReceiptBody, sealed } from '@mq/core';
import {
  aCandidate,
  aCheck,
  anActor,
  aRepo,
  BUILT_AT,
  effectIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
} from './builders.js';

/** The first receipt of `aQueue()`: #1 landed as tested. Its hash is computed after `override`, so it is always valid. */
export const aReceipt = (override: Partial<ReceiptBody> = {}): Receipt => {
  const pr = override.pr ?? 1;
  const { commit, tree } = aCandidate([pr]);
  const built = { commit, tree };
  const { name, source, id, runId, digest, conclusion, startedAt, completedAt, url } = aCheck();
  return sealed({
    version: 1,
    queueId: queueIdOf(1),
    repo: aRepo,
    branch: 'main',
    number: 1,
    previous: null,
    pr,
    attempt: 1,
    head: shaOf(0xa000 + pr),
    submitted: { by: { kind: anActor.kind, name: anActor.name }, at: BUILT_AT, forced: false },
    settingsVersion: 1,
    mergeMethod: 'squash',
    required: { names: ['build'], source: 'repo_provider_branch_protection' },
    tested: {
      runId: runIdOf(pr),
      base: shaOf(1),
      stack: [],
      batch: [{ pr, attempt: 1, head: shaOf(0xa000 + pr) }],
      trial: built,
      step: built,
      checks: [{ name, source, id, runId, digest, conclusion, startedAt, completedAt, url }],
    },
    landed: {
      ...{ landingId: effectIdOf(pr), runId: runIdOf(pr), onto: shaOf(1), trial: built, step: built },
      ...{ ...built, head: commit },
    },
    between: [],
    vouchedBy: [],
    at: BUILT_AT + 3_000,
    ...override,
  });
};

/** A chain of receipts, one per landing: #1 on the tip of `aQueue()`, each other on the previous landing. */
export const aChain = (count: number, override: Partial<ReceiptBody> = {}): readonly Receipt[] => {
  const chain: Receipt[] = [];
  for (let number = 1; number <= count; number += 1) {
    const before = chain.at(-1);
    const next = aReceipt({ pr: number, ...override });
    const onto = before?.landed.head ?? next.landed.onto;
    const landed = { ...next.landed, onto };
    const tested = next.tested === null ? null : { ...next.tested, base: onto };
    chain.push(aReceipt({ ...next, number, previous: before?.hash ?? null, landed, tested }));
  }
  return chain;
};

/** Renumbers and rehashes receipts: the chain is valid, and only their contents can be wrong. */
export const rechained = (receipts: readonly ReceiptBody[]): readonly Receipt[] => {
  const chain: Receipt[] = [];
  for (const receipt of receipts)
    chain.push(sealed({ ...receipt, number: chain.length + 1, previous: chain.at(-1)?.hash ?? null }));
  return chain;
};
