import type { Asking, MergeQueue, Scope, TokenKeeper, WebhookKeeper } from '@mq/core';
import type { z } from 'zod';
import type { Principal } from './auth.js';
import type { ServiceDiagnosis } from './diagnose.js';
import { type WithWarnings, warnings } from './schemas/warnings.js';

/** How often a request that waits for long checks that its token is still valid. */
export const TOKEN_CHECK_MS = 1_000;

/** What an operation is given: the engine, a valid body, and on whose behalf. */
export interface Ask<Body> {
  readonly mq: MergeQueue;
  readonly body: Body;
  readonly principal: Principal;
  /** Null where the service keeps none. */
  readonly tokens: TokenKeeper | null;
  /** Null where the service keeps none. */
  readonly webhooks: WebhookKeeper | null;
  /** Null where the program around the interface says nothing of itself. */
  readonly service: ServiceDiagnosis | null;
  /** To be passed on by whatever writes. */
  readonly asking: Asking;
  readonly logLink: LogLink;
  /** Writes a line with who asked, from where and under which request id, for what no queue keeps a history of. */
  readonly audit: (facts: Readonly<Record<string, unknown>>, message: string) => void;
  /** The entity tags of `If-Match`; null without it, and for `*`. */
  readonly ifMatch: readonly string[] | null;
  /** Rejects with 401 once the token is revoked or expired. What waits for long has to ask it every second. */
  readonly requireStillValid: () => Promise<void>;
  /** Aborts when the client is gone or the service stops: what waits for long ends with it. */
  readonly untilOver: () => AbortSignal;
}

/** The address of a check's log as this caller can open it; null where the check has none. */
export type LogLink = (url: string | null) => string | null;

export interface Operation {
  /** The path below the prefix, without a slash; also the id of the operation. */
  readonly name: string;
  /** Null: any valid token will do. */
  readonly scope: Scope | null;
  readonly summary: string;
  /** One that writes honours `Idempotency-Key`. */
  readonly writes: boolean;
  /** True for one that does not, and still may be refused as those that write are (409, 422). */
  readonly mayConflict?: true;
  readonly tag:
    | 'Pull requests'
    | 'Queues'
    | 'Testing'
    | 'Checks'
    | 'Receipts'
    | 'Tokens'
    | 'Webhooks'
    | 'Service';
  /** The entity tag of an answer; the operation then takes `If-Match`. */
  readonly tagOf?: (answer: object) => string;
  /** True where a token of some repositories may name none: the operation then answers for those alone. */
  readonly namesNoRepository?: boolean;
  /** True: it may be asked without a token about a queue with `publicRead`. It names one queue, and writes nothing. */
  readonly opensPublicly?: true;
  /** What it names as `repo` is the repository that the token needs. */
  readonly body: z.ZodType<object>;
  readonly answer: z.ZodObject;
  run(ask: Ask<unknown>): Promise<object>;
}

/** Ties the types of body and answer to the handler; outside they are no longer needed. */
export const operation = <Body extends z.ZodType<object>, Answer extends z.ZodObject>(
  of: Omit<Operation, 'body' | 'answer' | 'run'> & {
    readonly body: Body;
    readonly answer: Answer;
    run(ask: Ask<z.output<Body>>): Promise<z.output<Answer> & WithWarnings>;
  },
): Operation => {
  const answer = 'warnings' in of.answer.shape ? of.answer : of.answer.extend({ warnings });
  return { ...of, answer } as unknown as Operation;
};
