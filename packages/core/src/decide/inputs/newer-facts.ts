import type { Command, Fact, Input } from '../../model/input.js';
import type { Queue } from '../../model/queue.js';
import type { Draft } from '../draft/draft.js';
import { hintedTopic, isCommand } from './apply.js';

/** Max facts of a newer release that are kept in a queue's row. */
export const NOT_UNDERSTOOD_LIMIT = 100;
/** How soon a replica checks again whether it understands them. */
export const REREAD_MS = 10_000;

const factTypes = {
  pull_requests_seen: true,
  branch_seen: true,
  candidate_built: true,
  checks_started: true,
  checks_seen: true,
  land_finished: true,
  effect_failed: true,
  effect_delayed: true,
  noticed: true,
} as const satisfies Record<Fact['type'], true>;

/** False for inputs that only a newer release knows. They come from a replica of that release. */
export const isUnderstood = (input: Input): boolean =>
  isCommand(input) ||
  (Object.hasOwn(factTypes, input.type) &&
    (input.type !== 'noticed' || Object.hasOwn(hintedTopic, input.what)));

/** All inputs of a decision: facts that were kept for this release, new facts, and commands. */
export const inputsOf = (
  { notUnderstood }: Pick<Queue, 'notUnderstood'>,
  facts: readonly Fact[],
  commands: readonly Command[],
): readonly Input[] => [...notUnderstood.filter(isUnderstood), ...facts, ...commands];

/** Keeps a fact for a replica that understands it. Idempotent by its id. Throws at the limit. */
export const keepForNewerReplica = (draft: Draft, fact: Fact): void => {
  const { notUnderstood } = draft.queue;
  if (notUnderstood.some(({ id }) => id === fact.id)) return;
  if (notUnderstood.length >= NOT_UNDERSTOOD_LIMIT)
    throw new Error(
      `The queue already keeps ${NOT_UNDERSTOOD_LIMIT} facts of a newer release. Start a replica of that release.`,
    );
  draft.changeQueue({ notUnderstood: [...notUnderstood, fact] });
};

/** Drops kept facts that this release understands. They have to be among the inputs of `decide`. */
export const dropUnderstood = (draft: Draft): void => {
  const { notUnderstood } = draft.queue;
  if (!notUnderstood.some(isUnderstood)) return;
  draft.changeQueue({ notUnderstood: notUnderstood.filter((fact) => !isUnderstood(fact)) });
};

export const scheduleReread = (draft: Draft): void => {
  if (draft.queue.notUnderstood.length > 0) draft.wakeAt(draft.now + REREAD_MS);
};
