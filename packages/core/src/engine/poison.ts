import type { Context } from '../decide/context.js';
import { type Decision, decide } from '../decide/decide.js';
import { Draft } from '../decide/draft.js';
import { isCommand } from '../decide/observe.js';
import { theQueue } from '../model/actor.js';
import type { Answer, Input } from '../model/input.js';
import type { QueueState } from '../model/state.js';

/**
 * Some input makes `decide` throw: none of the others may suffer for it. They are taken one by one, as far as they go
 * together; what breaks a rule is left out and an alarm says so. Where even no input at all breaks a rule, the state
 * itself is at fault, and the queue is paused with the reason.
 */
export const setAside = (
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
    return decide(state, inputs, context);
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
  const row = {
    type: 'alarm',
    code: 'POISONED_INPUT',
    sentence: sentenceOf(poisoned, error),
    sequence: queue.sequence + 1,
    at: queue.decidedAt,
    settingsVersion: queue.settingsVersion,
  } as const;
  return {
    ...decision,
    writes: { ...decision.writes, queue: { ...queue, sequence: row.sequence }, history: [...history, row] },
    answers: [...decision.answers, ...poisoned.flatMap((input) => brokenAnswer(input, error))],
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
  draft.record({ type: 'alarm', code: 'POISONED_INPUT', sentence });
  draft.changeQueue({
    wanted: 'paused',
    statusReason: { code: 'POISONED_INPUT', sentence, actor: theQueue, at: draft.now },
  });
  return { ...draft.finish(), answers: inputs.flatMap((input) => brokenAnswer(input, error)) };
};
