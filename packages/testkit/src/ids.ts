import type {
  CommitId,
  DeliveryId,
  EffectId,
  InputId,
  Instant,
  QueueId,
  Sha,
  SubmissionId,
  TestRunId,
  TokenId,
  WebhookId,
} from '@mq/core';

/** The instant at which all rows of the builders were written. */
export const BUILT_AT: Instant = Date.UTC(2026, 0, 1);

const uuid = (kind: number, ordinal: number): string =>
  `${kind.toString(16).padStart(8, '0')}-0000-4000-8000-${ordinal.toString(16).padStart(12, '0')}`;

export const queueIdOf = (ordinal: number): QueueId => uuid(1, ordinal) as QueueId;
export const submissionIdOf = (ordinal: number): SubmissionId => uuid(2, ordinal) as SubmissionId;
export const runIdOf = (ordinal: number): TestRunId => uuid(3, ordinal) as TestRunId;
export const inputIdOf = (ordinal: number): InputId => uuid(4, ordinal) as InputId;
export const effectIdOf = (ordinal: number): EffectId => uuid(5, ordinal) as EffectId;
export const commitIdOf = (ordinal: number): CommitId => uuid(6, ordinal) as CommitId;
export const tokenIdOf = (ordinal: number): TokenId => uuid(7, ordinal) as TokenId;

export const webhookIdOf = (ordinal: number): WebhookId => uuid(8, ordinal) as WebhookId;
export const deliveryIdOf = (ordinal: number): DeliveryId => uuid(9, ordinal) as DeliveryId;

/** A git object name. `kind` is its first digit: `c` for commits, `d` for trees. */
export const shaOf = (ordinal: number, kind = 'c'): Sha =>
  `${kind}${ordinal.toString(16).padStart(39, '0')}` as Sha;
