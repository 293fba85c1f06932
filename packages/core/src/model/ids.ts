/** Branded strings: one kind cannot be used as another. Values are opaque; ids on the wire are UUIDs. */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type QueueId = Branded<'QueueId'>;
export type SubmissionId = Branded<'SubmissionId'>;
export type TestRunId = Branded<'RunId'>;
/** Identifies one command or one observation, not the thing that it is about. */
export type InputId = Branded<'InputId'>;
export type EffectId = Branded<'EffectId'>;
export type CommitId = Branded<'CommitId'>;
export type TokenId = Branded<'TokenId'>;
export type WebhookId = Branded<'WebhookId'>;
export type DeliveryId = Branded<'DeliveryId'>;
/** A full git object name: 40 or 64 lower-case hexadecimal digits. */
export type Sha = Branded<'Sha'>;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

const shaShape = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

export const isSha = (text: string): text is Sha => shaShape.test(text);

/**
 * The n-th id of a decision, in the form of a UUID. `seed` is a UUID that the engine draws per decision; the ordinal
 * replaces its last four digits, so a decision has at most 65,536 ids.
 */
export const idOf = <Id extends Branded<string>>(seed: string, ordinal: number): Id => {
  if (ordinal > 0xffff) throw new RangeError('A decision can create at most 65,536 ids.');
  return (seed.slice(0, -4) + ordinal.toString(16).padStart(4, '0')) as Id;
};
