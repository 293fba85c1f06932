import { z } from 'zod';
import { defaultPace, type Pace } from '../decide/draft/context.js';
import { type Fault, MergeQueueError } from '../errors.js';
import type { Actor } from '../model/actor.js';
import { type InputId, isSha } from '../model/ids.js';
import { TARGET_CHARS_LIMIT, TARGETS_LIMIT } from '../model/impacted-targets.js';
import { STATUS_SENTENCE_LIMIT, wantedStatuses } from '../model/queue.js';
import { isRepoName, isRepoOwner, REPO_NAME_FAULT, REPO_OWNER_FAULT } from '../model/repo.js';
import { requiredStatusesSources } from '../model/required-checks.js';
import { queueSettings } from '../model/settings.js';
import { charactersIn, nameOf as line } from '../model/text.js';
import { REPOSITORIES_PER_QUERY } from '../ports/store.js';
import { compiled } from './compiled.js';
import { issueMessage, narrowestOnly } from './issue-message.js';
import { CURSOR_CHARS_LIMIT } from './paging.js';
import type { RequestOrigin } from './requests.js';

const PR_NUMBER_MAX = 4_294_967_295;
const NAME_CHARS_LIMIT = 255;
/** Max faults listed by one error. */
const FAULTS_LIMIT = 100;
const theEmbedder: Actor = { kind: 'embedder', id: null, name: 'the embedding program' };

/** The common fields of a command: its id, the actor, and the digest that identifies a repeated request. */
export const envelopeOf = (request: RequestOrigin, uuid: () => string) => ({
  id: (request.idempotency?.id ?? uuid()) as InputId,
  digest: request.idempotency?.digest ?? null,
  actor: request.actor ?? theEmbedder,
});

const controlOrLoneSurrogate = /[\p{Cc}\p{Cs}]/u;

const repo = z.object({
  host: line(NAME_CHARS_LIMIT),
  owner: line(NAME_CHARS_LIMIT).refine(isRepoOwner, REPO_OWNER_FAULT),
  name: line(NAME_CHARS_LIMIT).refine(isRepoName, REPO_NAME_FAULT),
  /** Set by the names of the code hosts, whatever the caller asked for. */
  ignoresCase: z.literal(true).exactOptional(),
});
const queueRef = { repo, targetBranch: line(NAME_CHARS_LIMIT) };
const pr = z.int().min(1).max(PR_NUMBER_MAX);
const sha = z
  .string()
  .refine(isSha, 'must be a full commit id: 40 or 64 hexadecimal digits, lower case')
  .optional();
const instant = z.number();

const origin = {
  actor: z
    .object({
      kind: z.enum(['api', 'embedder', 'host', 'queue']),
      id: z.string().max(NAME_CHARS_LIMIT).nullable(),
      name: z.string().max(NAME_CHARS_LIMIT),
      person: z.string().max(NAME_CHARS_LIMIT).exactOptional(),
    })
    .optional(),
  idempotency: z.object({ id: line(NAME_CHARS_LIMIT), digest: line(NAME_CHARS_LIMIT) }).optional(),
};
const command = { ...queueRef, ...origin };
const paging = {
  take: z.int().min(1).optional(),
  cursor: z.string().max(CURSOR_CHARS_LIMIT).optional(),
};
const span = { since: instant.optional(), until: instant.optional() };
const change = {
  ...command,
  ...queueSettings.partial().shape,
  state: z.enum(wantedStatuses).optional(),
  stateReason: line(STATUS_SENTENCE_LIMIT).nullable().optional(),
  deleteRequiredStatuses: z.boolean().optional(),
  allowNoRequiredStatuses: z.boolean().optional(),
  allowPublicForkTargets: z.boolean().optional(),
  requiredStatusesSource: z.enum(requiredStatusesSources).nullable().optional(),
  cancelPending: z.boolean().optional(),
};
const IF_SETTINGS_LIMIT = 20;
const update = {
  ...change,
  ifSettings: z.array(line(NAME_CHARS_LIMIT)).max(IF_SETTINGS_LIMIT).optional(),
};

// Checked in a plain loop because lists may be long and are mostly valid.
const faultOfTargets = (value: unknown): string | null => {
  if (value === 'ALL') return null;
  if (!Array.isArray(value)) return 'must be a list of strings, or "ALL"';
  if (value.length > TARGETS_LIMIT) return `must not have more than ${TARGETS_LIMIT} elements`;
  const at = value.findIndex(
    (target: unknown) =>
      typeof target !== 'string' ||
      (target.length > TARGET_CHARS_LIMIT && charactersIn(target) > TARGET_CHARS_LIMIT) ||
      controlOrLoneSurrogate.test(target),
  );
  if (at === -1) return null;
  return `its element ${at} must be text of at most ${TARGET_CHARS_LIMIT} characters without control characters and lone surrogates`;
};

const targets = z.unknown().superRefine((value, context) => {
  const message = faultOfTargets(value);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

/** The schemas of request fields. */
export const fields = {
  repositories: z.array(repo).max(REPOSITORIES_PER_QUERY).optional(),
  ...{ queueRef, command, change, update, paging, span, repo, pr, sha, targets, instant },
  name: line(NAME_CHARS_LIMIT),
} as const;

const inOurWords = { error: issueMessage };

/** Validates a request. Throws INVALID_REQUEST with all faults, unknown options included. */
export const checked = <Request extends object>(schema: z.ZodType, request: Request): Request => {
  const parsed = compiled(schema).safeParse(request, inOurWords);
  if (!parsed.success) throw faulty('INVALID_REQUEST', 'The request is not valid', 'a request', parsed.error);
  return named(parsed.data as Request);
};

/** Wraps an operation so that it gets validated requests only. */
export const takes =
  <Request extends object, Answer>(schema: z.ZodType, answer: (request: Request) => Promise<Answer>) =>
  async (request: Request): Promise<Answer> =>
    answer(checked(schema, request));

/** The same for commands. Idempotency keys are bound to the operation: using one for another operation is an error. */
export const takesCommand = <Request extends RequestOrigin, Answer>(
  operation: string,
  schema: z.ZodType,
  carryOut: (request: Request) => Promise<Answer>,
) =>
  takes(schema, (request: Request) => {
    const { idempotency } = request;
    if (idempotency === undefined) return carryOut(request);
    const digest = `${operation} ${idempotency.digest}`;
    return carryOut({ ...request, idempotency: { ...idempotency, digest } });
  });

const duration = z.number().min(0);
const interval = z.number().min(1);
const pace = z.strictObject({
  pollBranchMs: interval,
  pollPullRequestsMs: interval,
  pollChecksMs: interval,
  retryDelayMs: interval,
  retryLimit: z.int().min(0),
  bisectionRunLimit: z.int().min(0),
  infrastructureWindowMs: duration,
  ciStartMs: duration,
  missingGraceMs: duration,
  ageingMsPerPoint: duration,
} satisfies Record<keyof Pace, z.ZodType<number>>);

/**
 * Completes a partial pace with the defaults. Throws INVALID_SETTINGS: an invalid interval would stop the queue or make
 * it spin.
 */
export const checkedPace = (asked: Partial<Pace> = {}): Pace => {
  const parsed = pace.partial().safeParse(asked, inOurWords);
  if (!parsed.success) throw faulty('INVALID_SETTINGS', 'The pace is not valid', 'the pace', parsed.error);
  return { ...defaultPace, ...(named(parsed.data) as Partial<Pace>) };
};

/** Removes undefined fields, which count as absent. */
const named = <Value extends object>(value: Value): Value => {
  if (!hasUndefined(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Value;
};

const hasUndefined = (value: object): boolean => {
  for (const name in value) if (value[name as keyof typeof value] === undefined) return true;
  return false;
};

/** The message includes the first fault, for logs that record only the message. */
const faulty = (
  code: 'INVALID_REQUEST' | 'INVALID_SETTINGS',
  sentence: string,
  subject: string,
  error: z.ZodError,
): MergeQueueError => {
  const issues = narrowestOnly(error.issues);
  const faults: readonly Fault[] = issues.slice(0, FAULTS_LIMIT).map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
    message,
  }));
  const first = issues.slice(0, 1).map(({ path, code, message }) => {
    if (path.length > 0) return `: ${path.map(String).join('.')}: ${message}`;
    return code === 'invalid_type' ? `: ${subject} ${message}` : `: ${message}`;
  });
  return new MergeQueueError(code, `${sentence}${first.join('')}.`, faults);
};
