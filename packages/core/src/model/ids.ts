/** Branded strings: one cannot be passed for another. Values are opaque; ids that go over the wire are UUIDs. */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type QueueId = Branded<'QueueId'>;
export type SubmissionId = Branded<'SubmissionId'>;
export type TestRunId = Branded<'RunId'>;
/** Names one command or one observation, never the thing that it is about. */
export type InputId = Branded<'InputId'>;
export type EffectId = Branded<'EffectId'>;
export type CommitId = Branded<'CommitId'>;
export type TokenId = Branded<'TokenId'>;
/** A full object name of git: 40 or 64 hexadecimal digits, lower case. */
export type Sha = Branded<'Sha'>;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

const shaShape = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

export const isSha = (text: string): text is Sha => shaShape.test(text);

/**
 * The n-th id of a decision, shaped as a UUID. `seed` is a UUID that the engine draws once per decision; its last four
 * digits are replaced by the ordinal, so a decision has room for 65,536 ids.
 */
export const idOf = <Id extends Branded<string>>(seed: string, ordinal: number): Id => {
  if (ordinal > 0xffff) throw new RangeError('a decision may not make more than 65,536 ids');
  return (seed.slice(0, -4) + ordinal.toString(16).padStart(4, '0')) as Id;
};
