import type { Schemas } from '../command.js';
import { counted, type Style } from './style.js';
import { relative, since } from './time.js';
import { wrapped } from './width.js';

type Queue = Schemas['Queue'];

const stateSentence = (queue: Queue, style: Style): string => {
  const { stateReason: reason, state } = queue;
  if (reason === null) return state.replaceAll('_', ' ');
  const who = reason.actor.person ?? reason.actor.name;
  return `${state.replaceAll('_', ' ')} since ${since(reason.at, style.now)}, by ${who}: ${reason.sentence.replace(/\.$/, '')}`;
};

const isFrozen = ({ freezeUntil }: Queue, now: number): boolean =>
  freezeUntil !== null && Date.parse(freezeUntil) > now;

/** State and size of a queue, in a line or two. */
export const queueLines = (queue: Queue, style: Style): readonly string[] => {
  const batch = queue.batch ? `, batches of up to ${queue.activeBatchSize}` : '';
  const lines = [
    `${stateSentence(queue, style)}. ${queue.activeMode}, ${counted(queue.activeConcurrency, 'test slot')}${batch}, ${queue.mergeMethod.replaceAll('_', ' ')}.`,
  ];
  if (isFrozen(queue, style.now) && queue.freezeUntil !== null)
    lines.push(
      `Frozen until ${relative(queue.freezeUntil, style.now)}${queue.freezeReason === null ? '' : `: ${queue.freezeReason}`}.`,
    );
  return lines.map((line) => wrapped(capital(line), style.width, '  '));
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const warningLines = (
  warnings: readonly Schemas['Warning'][] | undefined,
  style: Style,
): readonly string[] =>
  (warnings ?? []).map(({ sentence }) => wrapped(`Warning: ${sentence}`, style.width, '  '));

/** A value of a setting as `queue set` takes it. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
