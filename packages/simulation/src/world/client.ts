import { type MergeQueue, MergeQueueError, type RequestOrigin } from '@mq/core';
import type { Random } from '@mq/random';
import type { ClientAnswer } from '../oracle/answers.js';
import type { Oracle } from '../oracle/oracle.js';
import type { Weather } from '../weather.js';
import type { Process } from './process.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

export interface ClientParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly random: Random;
  readonly weather: () => Weather;
  readonly oracle: Oracle;
  readonly processes: () => readonly Process[];
}

export interface Request {
  /** The request as one line; also its digest. */
  readonly what: string;
  readonly send: (mq: MergeQueue, origin: RequestOrigin) => Promise<number | null>;
  /** False if the request can be answered without storing anything. */
  readonly isStored?: boolean;
  /** True if the history shows whether the command was applied, and to which attempt. */
  readonly isOnRecord?: boolean;
}

const ANSWER_WITHIN_MS = 30_000;
const TRIES_LIMIT = 8;
/** Refusals after which the request may have been applied. */
const unclear: ReadonlySet<string> = new Set(['STORE_UNREACHABLE', 'CLOSED']);
/** With a key also this one: the try is not stored, but an earlier try with the same key may be. */
const unclearWithKey: ReadonlySet<string> = new Set([...unclear, 'HOST_UNREACHABLE']);

/** Sends commands to any process, and repeats them with the same key until an answer arrives. Without a key it sends once. */
export class Client {
  readonly #open = new Map<string, string>();
  readonly #keyless: Random;
  #requests = 0;
  #isPatient = false;

  constructor(private readonly parts: ClientParts) {
    this.#keyless = parts.random.fork('keyless');
  }

  /** The commands without an answer. */
  get open(): readonly string[] {
    return [...this.#open].map(([id, what]) => `${id} (${what}) has no answer.`);
  }

  /** From now on no command is given up. */
  bePatient(): void {
    this.#isPatient = true;
  }

  ask(request: Request): void {
    this.#requests += 1;
    const id = `asked-${this.#requests}`;
    this.parts.trace.tally('commands');
    const { keylessRate } = this.parts.weather();
    if (request.isOnRecord === true && this.#keyless.chance(keylessRate)) return this.#askOnce(id, request);
    this.#open.set(id, request.what);
    this.#try(id, request, 1);
  }

  /** Sends a command without a key. Its id is the actor's, so that the history shows whether it was applied. */
  #askOnce(id: string, request: Request): void {
    const { timeline, trace, processes, oracle } = this.parts;
    const up = processes();
    if (up.length === 0) return;
    const process = this.#keyless.pick(up);
    trace.tally('commands without a key');
    const back = (answer: ClientAnswer | null) => {
      if (answer === null) return;
      trace.say('person', `${id} (${request.what}), once: ${answer.ok ? 'done' : answer.code}`);
      oracle.keylessAnswer(id, answer);
    };
    timeline.after(this.#keyless.int(1, 40), () =>
      process.resume(() => {
        request.send(process.mq, { actor: { kind: 'api', id, name: 'Bea' } }).then(
          (attempt) => back({ ok: true, code: null, attempt }),
          (error: unknown) => back(answerOf(error, unclear)),
        );
      }),
    );
  }

  #try(id: string, request: Request, tries: number): void {
    const { timeline, random, trace, processes, weather, oracle } = this.parts;
    if (!this.#open.has(id)) return;
    if (tries > 1) trace.tally('commands asked again');
    const { lostRequest } = weather().rates;
    const up = processes();
    timeline.after(ANSWER_WITHIN_MS, () => this.#again(id, request, tries));
    if (up.length === 0 || random.chance(lostRequest)) return;
    const process = random.pick(up);
    const digest = request.what;
    timeline.after(random.int(1, 40), () =>
      process.resume(() => {
        const back = (answer: ClientAnswer | null) => {
          const isOpen = !oracle.answered(id);
          if (random.chance(lostRequest)) return trace.tally('fault: answer to a person lost');
          timeline.after(random.int(1, 40), () => this.#hear(id, request, answer, { tries, isOpen }));
        };
        request.send(process.mq, { idempotency: { id, digest } }).then(
          (attempt) => back({ ok: true, code: null, attempt }),
          (error: unknown) => back(answerOf(error, unclearWithKey)),
        );
      }),
    );
  }

  #hear(
    id: string,
    request: Request,
    answer: ClientAnswer | null,
    { tries, isOpen }: { readonly tries: number; readonly isOpen: boolean },
  ): void {
    const { trace, oracle } = this.parts;
    if (answer === null) return this.#again(id, request, tries);
    const what = answer.ok ? 'done' : (answer.code ?? 'refused');
    trace.say('person', `${id} (${request.what}): ${what}`);
    trace.tally(`answer: ${answer.ok ? 'done' : answer.code}`);
    this.#open.delete(id);
    // One of several concurrent tries may be refused before another is stored.
    const isEarly = !answer.ok && isOpen;
    if ((request.isStored ?? true) && !isEarly) oracle.keyedAnswer(id, answer);
  }

  #again(id: string, request: Request, tries: number): void {
    const { random, trace } = this.parts;
    if (!this.#open.has(id)) return;
    if (this.#isPatient || (tries < TRIES_LIMIT && random.chance(0.85)))
      return this.#try(id, request, tries + 1);
    trace.tally('commands given up');
    trace.say('person', `${id} (${request.what}): gives up`);
    this.#open.delete(id);
  }
}

/** Null if the command may or may not have been applied. */
const answerOf = (error: unknown, unclearCodes: ReadonlySet<string>): ClientAnswer | null =>
  error instanceof MergeQueueError && !unclearCodes.has(error.code)
    ? { ok: false, code: error.code, attempt: null }
    : null;
