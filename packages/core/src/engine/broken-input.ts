import { type Decision, decide } from '../decide/decide.js';
import type { Context } from '../decide/draft/context.js';
import { Draft } from '../decide/draft/draft.js';
import { isCommand } from '../decide/inputs/apply.js';
import { pauseFor } from '../decide/moves/pause.js';
import { disregard, topics } from '../decide/moves/polls.js';
import { viewOf } from '../explain/explain.js';
import { theQueue } from '../model/actor.js';
import type { Answer, Input } from '../model/input.js';
import { halted, type Queue } from '../model/queue.js';
import type { QueueState } from '../model/state.js';

/**
 * Some input makes `decide` throw: none of the others may suffer for it. They are taken one by one, as far as they go
 * together; what breaks a rule is left out and an alarm says so. Where a rule breaks without any input, the state itself
 * is at fault, and the queue is paused with the reason.
 */
export const isolateBrokenInput = (
  state: QueueState,
  inputs: readonly Input[],
  context: Context,
  error: unknown,
): Decision => {
  const sound: Input[] = [];
  const poisoned: Input[] = [];
  for (const input of inputs) {
    if (attempt(state, [...sound, input], context) === null) poisoned.push(input);
    else sound.push(input);
  }
  const decision = attempt(state, sound, context);
  return decision === null ? pauseOnly(state, inputs, context, error) : withAlarm(decision, poisoned, error);
};

const attempt = (state: QueueState, inputs: readonly Input[], context: Context): Decision | null => {
  try {
    return decide(state, inputs, context, viewOf);
  } catch {
    return null;
  }
};

const sentenceOf = (inputs: readonly Input[], error: unknown): string => {
  const names = inputs.map((input) => `${input.type} ${input.id}`).join(', ');
  return `Set aside: ${names || 'nothing'}. ${error instanceof Error ? error.message : String(error)}`;
};

const withAlarm = (decision: Decision, poisoned: readonly Input[], error: unknown): Decision => {
  const { queue, history } = decision.writes;
  if (queue === null) return decision;
  const sentence = sentenceOf(poisoned, error);
  const row = {
    type: 'alarm',
    code: 'POISONED_INPUT',
    sentence,
    sequence: queue.sequence + 1,
    at: queue.decidedAt,
    settingsVersion: queue.settingsVersion,
  } as const;
  // An answer of the host that cannot be taken in leaves its question open: somebody has to look.
  const isQuestionLost = poisoned.some((input) => 'effectId' in input);
  const told = { ...queue, sequence: row.sequence, ...(isQuestionLost ? paused(queue, sentence) : {}) };
  return {
    ...decision,
    writes: { ...decision.writes, queue: told, history: [...history, row] },
    answers: [...decision.answers, ...poisoned.flatMap((input) => brokenAnswer(input, error))],
  };
};

/** Paused, and everything about the host due to be asked again. */
const paused = (
  queue: Queue,
  sentence: string,
): Pick<Queue, 'wanted' | 'statusReason' | 'askedFor' | 'polls'> => {
  const again = { asked: null, upTo: null, askedAt: queue.decidedAt, dueAt: queue.decidedAt, again: false };
  return {
    ...halted(queue, { code: 'POISONED_INPUT', sentence, actor: theQueue, at: queue.decidedAt }),
    polls: { branch: again, pullRequests: again, checks: again },
  };
};

const brokenAnswer = (input: Input, error: unknown): Answer[] =>
  isCommand(input)
    ? [
        {
          inputId: input.id,
          digest: input.digest,
          result: { ok: false, refusal: { code: 'COMMAND_BROKEN', detail: sentenceOf([input], error) } },
        },
      ]
    : [];

const pauseOnly = (
  state: QueueState,
  inputs: readonly Input[],
  context: Context,
  error: unknown,
): Decision => {
  const draft = new Draft(state, context);
  const sentence = sentenceOf(inputs, error);
  pauseFor(draft, 'POISONED_INPUT', sentence);
  for (const topic of topics) disregard(draft, topic);
  const answers = inputs.flatMap((input) => brokenAnswer(input, error));
  return { ...draft.finish(), answers };
};
