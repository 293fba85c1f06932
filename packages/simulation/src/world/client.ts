import { type Asking, type MergeQueue, MergeQueueError } from '@mq/core';
import type { Random } from '@mq/random';
import type { Told } from '../oracle/answers.js';
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
  /** What is asked, as one line; it is the digest of the request too. */
  readonly what: string;
  readonly send: (mq: MergeQueue, asking: Asking) => Promise<number | null>;
  /** False where an answer may be given without anything being stored. */
  readonly isStored?: boolean;
  /** True where the history tells whether it was done, and of which attempt the answer speaks. */
  readonly isOnRecord?: boolean;
}

const ANSWER_WITHIN_MS = 30_000;
const TRIES_LIMIT = 8;
/** Refusals that say nothing about what became of the request. */
const unclear: ReadonlySet<string> = new Set(['STORE_UNREACHABLE', 'CLOSED']);
/** For whoever has a key also this: nothing of that try is stored, but an earlier one may be, which the next one tells. */
const unclearWithKey: ReadonlySet<string> = new Set([...unclear, 'HOST_UNREACHABLE']);

/** Asks any of the processes, and asks again, by the same key, where no answer comes. Some have no key, and ask once. */
export class Client {
  readonly #open = new Map<string, string>();
  readonly #keyless: Random;
  #requests = 0;
  #isPatient = false;

  constructor(private readonly parts: ClientParts) {
    this.#keyless = parts.random.fork('keyless');
  }

  /** What has no answer yet. */
  get open(): readonly string[] {
    return [...this.#open].map(([id, what]) => `${id} (${what}) has no answer.`);
  }

  /** From now on nobody gives up. */
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

  /** Whoever has no key does not ask again: what was done is on record under the name of who asked. */
  #askOnce(id: string, request: Request): void {
    const { timeline, trace, processes, oracle } = this.parts;
    const up = processes();
    if (up.length === 0) return;
    const process = this.#keyless.pick(up);
    trace.tally('commands without a key');
    const back = (told: Told | null) => {
      if (told === null) return;
      trace.say('person', `${id} (${request.what}), once: ${told.ok ? 'done' : told.code}`);
      oracle.toldOnce(id, told);
    };
    timeline.after(this.#keyless.int(1, 40), () =>
      process.resume(() => {
        request.send(process.mq, { actor: { kind: 'api', id, name: 'Bea' } }).then(
          (attempt) => back({ ok: true, code: null, attempt }),
          (error: unknown) => back(toldOf(error, unclear)),
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
        const back = (told: Told | null) => {
          const isOpen = !oracle.answered(id);
          if (random.chance(lostRequest)) return trace.tally('fault: answer to a person lost');
          timeline.after(random.int(1, 40), () => this.#hear(id, request, told, { tries, isOpen }));
        };
        request.send(process.mq, { idempotency: { id, digest } }).then(
          (attempt) => back({ ok: true, code: null, attempt }),
          (error: unknown) => back(toldOf(error, unclearWithKey)),
        );
      }),
    );
  }

  #hear(
    id: string,
    request: Request,
    told: Told | null,
    { tries, isOpen }: { readonly tries: number; readonly isOpen: boolean },
  ): void {
    const { trace, oracle } = this.parts;
    if (told === null) return this.#again(id, request, tries);
    const what = told.ok ? 'done' : (told.code ?? 'refused');
    trace.say('person', `${id} (${request.what}): ${what}`);
    trace.tally(`answer: ${told.ok ? 'done' : told.code}`);
    this.#open.delete(id);
    // Of several tries under way at once, one may be refused before anything of another is stored.
    const isEarly = !told.ok && isOpen;
    if ((request.isStored ?? true) && !isEarly) oracle.told(id, told);
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

/** Null where nobody knows what became of it. */
const toldOf = (error: unknown, unsaid: ReadonlySet<string>): Told | null =>
  error instanceof MergeQueueError && !unsaid.has(error.code)
    ? { ok: false, code: error.code, attempt: null }
    : null;
