import type { Fact, Input } from '../../model/input.js';
import type { Draft } from '../draft/draft.js';
import { isCommand, noticedTopic } from './apply.js';

/** Facts of a newer release that wait in the row of a queue at most. */
export const NOT_UNDERSTOOD_LIMIT = 100;
/** How soon a replica looks again whether it understands them. */
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

/** False for what only a newer release knows, of which a replica runs side by side with this one. */
export const isUnderstood = (input: Input): boolean =>
  isCommand(input) ||
  (Object.hasOwn(factTypes, input.type) &&
    (input.type !== 'noticed' || Object.hasOwn(noticedTopic, input.what)));

/** Nothing that was observed is lost: it waits for a replica that understands it. Throws where too many wait already. */
export const keepForNewerReplica = (draft: Draft, fact: Fact): void => {
  const { notUnderstood } = draft.queue;
  if (notUnderstood.some(({ id }) => id === fact.id)) return;
  if (notUnderstood.length >= NOT_UNDERSTOOD_LIMIT)
    throw new Error(`${NOT_UNDERSTOOD_LIMIT} facts of a newer release wait already for a replica of it.`);
  draft.changeQueue({ notUnderstood: [...notUnderstood, fact] });
};

/** Those that this release understands are among the inputs of `decide`: they wait no longer. */
export const dropUnderstood = (draft: Draft): void => {
  const { notUnderstood } = draft.queue;
  if (!notUnderstood.some(isUnderstood)) return;
  draft.changeQueue({ notUnderstood: notUnderstood.filter((fact) => !isUnderstood(fact)) });
};

export const scheduleReread = (draft: Draft): void => {
  if (draft.queue.notUnderstood.length > 0) draft.wakeAt(draft.now + REREAD_MS);
};
