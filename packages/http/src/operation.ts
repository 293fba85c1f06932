import type { MergeQueue, RequestOrigin, Scope, TokenKeeper, WebhookKeeper } from '@mq/core';
import type { z } from 'zod';
import type { Principal } from './auth.js';
import type { ServiceDiagnosis } from './diagnose.js';
import type { PullRequestChanges } from './pull-request-changes.js';
import { type WithWarnings, warnings } from './schemas/warnings.js';
import type { WaitKind } from './waits.js';

/** Interval at which a long-running request validates its token again. */
export const TOKEN_CHECK_MS = 1_000;

/** The input of an operation: the engine, the validated body, and the caller. */
export interface Ask<Body> {
  readonly mq: MergeQueue;
  readonly body: Body;
  readonly principal: Principal;
  /** Null if the service manages no tokens. */
  readonly tokens: TokenKeeper | null;
  /** Null if the service manages no webhooks. */
  readonly webhooks: WebhookKeeper | null;
  /** Null if the serving program offers no diagnosis. */
  readonly service: ServiceDiagnosis | null;
  /** Passed to every call of the engine that writes. */
  readonly origin: RequestOrigin;
  readonly logLink: LogLink;
  /** Logs an action that no queue's history records, with the caller, its address and the request id. */
  readonly audit: (facts: Readonly<Record<string, unknown>>, message: string) => void;
  /** The entity tags of `If-Match`; null without it, and for `*`. */
  readonly ifMatch: readonly string[] | null;
  /** Rejects with 401 if the token is revoked or expired. A long-running operation must call it every second. */
  readonly requireStillValid: () => Promise<void>;
  /** Shared by all requests that wait for pull requests. */
  readonly changes: PullRequestChanges;
  /** Aborts when the client disconnects or the service stops. A long-running operation must end then. */
  readonly untilOver: (kind: WaitKind) => AbortSignal;
}

/** Maps the address of a check's log to one that this caller can open; null if the check has no log. */
export type LogLink = (url: string | null) => string | null;

export interface Operation {
  /** The path below the prefix, without a slash; also the id of the operation. */
  readonly name: string;
  /** Null if any valid token is enough. */
  readonly scope: Scope | null;
  readonly summary: string;
  /** True if the operation changes something. It then honours `Idempotency-Key`. */
  readonly writes: boolean;
  /** True if the operation does not write but may still be refused with 409 or 422. */
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
  /** The entity tag of an answer. If given, the operation accepts `If-Match`. */
  readonly tagOf?: (answer: object) => string;
  /** True if a token limited to repositories may leave out the repository: the answer then covers the allowed ones. */
  readonly namesNoRepository?: boolean;
  /** True if a queue with `publicRead` needs no token. Such an operation names one queue and writes nothing. */
  readonly opensPublicly?: true;
  /** True for `reportCheck`, the one operation that a report token may call. */
  readonly takesReportTokens?: true;
  /** True if a build of a fork may be named in place of a token. Such an operation names a repository and a head. */
  readonly takesForkBuilds?: true;
  /** Fields that only answers have, with the field to set instead, if there is one. */
  readonly readOnly?: ReadonlyMap<string, string | null>;
  /** The token must be allowed for the `repo` in the body. */
  readonly body: z.ZodType<object>;
  readonly answer: z.ZodObject;
  run(ask: Ask<unknown>): Promise<object>;
}

/** Checks the types of the body and the answer against the handler, then erases them. */
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
