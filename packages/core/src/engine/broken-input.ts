import { type Decision, decide } from '../decide/decide.js';
import type { Context } from '../decide/draft/context.js';
import { Draft } from '../decide/draft/draft.js';
import { isCommand } from '../decide/inputs/apply.js';
import { pauseFor } from '../decide/moves/pause.js';
import { ignorePendingAnswer, topics } from '../decide/moves/polls.js';
import { viewOf } from '../explain/explain.js';
import { theQueue } from '../model/actor.js';
import type { Answer, Input } from '../model/input.js';
import { halted, type Queue } from '../model/queue.js';
import type { QueueState } from '../model/state.js';

/**
 * Decides after some input made `decide` throw, so that the other inputs are not affected. Inputs are added one by one;
 * an input that makes `decide` throw is left out and recorded by an alarm. If `decide` throws without any input, the
 * state itself is faulty: the queue is paused with the reason.
 */
export const isolateBrokenInput = (
  state: QueueState,
  inputs: readonly Input[],
  context: Context,
  error: unknown,
): Decision => {
  const valid: Input[] = [];
  const broken: Input[] = [];
  for (const input of inputs) {
    if (attempt(state, [...valid, input], context) === null) broken.push(input);
    else valid.push(input);
  }
  const decision = attempt(state, valid, context);
  return decision === null ? pauseOnly(state, inputs, context, error) : withAlarm(decision, broken, error);
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
  return `Ignored: ${names || 'nothing'}. ${error instanceof Error ? error.message : String(error)}`;
};

const withAlarm = (decision: Decision, broken: readonly Input[], error: unknown): Decision => {
  const { queue, history } = decision.writes;
  if (queue === null) return decision;
  const sentence = sentenceOf(broken, error);
  const row = {
    type: 'alarm',
    code: 'POISONED_INPUT',
    sentence,
    sequence: queue.sequence + 1,
    at: queue.decidedAt,
    settingsVersion: queue.settingsVersion,
  } as const;
  // Ignoring a host's answer leaves its effect without a result, so the queue pauses for a person to check it.
  const isAnswerLost = broken.some((input) => 'effectId' in input);
  const changed = { ...queue, sequence: row.sequence, ...(isAnswerLost ? paused(queue, sentence) : {}) };
  return {
    ...decision,
    writes: { ...decision.writes, queue: changed, history: [...history, row] },
    answers: [...decision.answers, ...broken.flatMap((input) => brokenAnswer(input, error))],
  };
};

/** Pauses the queue and makes all polls of the host due. */
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
  for (const topic of topics) ignorePendingAnswer(draft, topic);
  const answers = inputs.flatMap((input) => brokenAnswer(input, error));
  return { ...draft.finish(), answers };
};
