import { z } from 'zod';
import { type Check, conclusions } from '../model/checks.js';
import { isSha, type Sha, type TestRunId } from '../model/ids.js';
import type { CandidateOutcome, LandOutcome } from '../model/outcomes.js';
import type { Candidate } from '../model/run.js';
import type {
  BranchState,
  CodeHost,
  HostPullRequest,
  PullRequestAnswer,
  UnreadablePullRequest,
} from '../ports/code-host.js';
import { validatedCommands } from './command-answers.js';
import { noAnswer, parseAnswer, prose, SHOWN_LABELS_LIMIT, SHOWN_WORDS_LIMIT_CHARS } from './parse-answer.js';
import { validatedPresence } from './presence-answers.js';

// Longer texts are truncated with a mark.
export const SHOWN_TITLE_LIMIT_CHARS = 1_000;
export const SHOWN_BODY_LIMIT_CHARS = 100_000;
/** The rest of a longer list is dropped. */
export const SHOWN_PATHS_LIMIT = 100;
const ID_LIMIT_CHARS = 250;

const text = z.string();
const words = prose(SHOWN_WORDS_LIMIT_CHARS);
const listOfWords = (limit: number) =>
  z
    .array(text)
    .transform((all) => all.slice(0, limit))
    .pipe(z.array(words));
const sha = z.custom<Sha>((value) => typeof value === 'string' && isSha(value), 'is not a commit id');
const runId = z.custom<TestRunId>(
  (value) => typeof value === 'string' && value !== '',
  'is not the id of a test run',
);
const instant = z.number();
const yesOrNo = z.boolean();
const identity = z
  .object({
    ...{ id: z.string().min(1).max(ID_LIMIT_CHARS).nullable(), owner: text, name: text },
    isPublic: z.boolean().exactOptional(),
  })
  .nullable();

const pull: z.ZodType<HostPullRequest> = z.object({
  number: z.int().min(1),
  title: prose(SHOWN_TITLE_LIMIT_CHARS),
  body: prose(SHOWN_BODY_LIMIT_CHARS),
  author: words,
  authorIdentity: words.exactOptional(),
  url: text,
  head: sha,
  headBranch: text.nullable(),
  base: text,
  state: z.enum(['open', 'closed', 'merged']),
  merged: z.object({ branch: text, commit: sha.nullable() }).nullable(),
  draft: z.boolean(),
  fork: z.boolean(),
  labels: listOfWords(SHOWN_LABELS_LIMIT),
  mergeability: z.enum(['unspecified', 'in_progress', 'mergeable', 'not_mergeable']),
  mergeabilityReason: words.nullable(),
  conflicts: z.boolean(),
  mergeFault: words.nullable().optional(),
}) as z.ZodType<HostPullRequest>;
const fault = z.object({
  code: z.enum(['PULL_REQUEST_UNREADABLE', 'MERGE_NOT_COMPUTABLE']),
  message: words,
});

const check: z.ZodType<Check> = z.object({
  id: text,
  runId: runId.nullable(),
  name: text,
  source: text,
  digest: text.nullable(),
  status: z.enum(['queued', 'running', 'completed']),
  conclusion: z.enum(conclusions).nullable(),
  startedAt: instant,
  completedAt: instant.nullable(),
  url: text.nullable(),
  summary: words.nullable(),
  isOnMerge: z.literal(true).optional(),
  failing: z.literal(true).optional(),
  startDue: z.object({ since: instant, by: instant, lateSummary: words }).optional(),
}) as z.ZodType<Check>;
const checks = z.map(sha, z.array(check));

const branch: z.ZodType<BranchState> = z.object({
  head: sha,
  requiredChecks: z.array(text).nullable(),
  digests: z.record(text, text).optional(),
  symbolicRef: text.optional(),
}) as z.ZodType<BranchState>;

const branchOrNone = branch.nullable();
const unreadable: z.ZodType<UnreadablePullRequest> = z.object({ number: z.int().min(1), fault });
const pulls: z.ZodType<readonly PullRequestAnswer[]> = z.array(z.union([pull, unreadable]));
const found = z.int().nullable();
const runIds = z.array(runId);
const hookNames = listOfWords(SHOWN_PATHS_LIMIT);

const step = z.object({
  pr: z.int(),
  head: sha,
  headTree: text,
  reviewedTree: text.nullable().optional(),
  commit: sha,
  tree: text,
});
const candidate = z.object({
  ref: text,
  commit: sha,
  tree: text,
  steps: z.array(step),
}) as z.ZodType<Candidate>;
const below = z.union([z.literal('target'), z.int()]);
const refused = z.object({
  kind: z.literal('refused'),
  class: z.enum(['wait', 'policy', 'setting', 'pull_request']),
  pr: z.int().nullable(),
  message: words,
});
const candidateOutcome: z.ZodType<CandidateOutcome> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('built'), candidate }),
  z.object({
    kind: z.literal('conflicted'),
    pr: z.int(),
    with: below,
    paths: listOfWords(SHOWN_PATHS_LIMIT),
  }),
  z.object({ kind: z.literal('nothing_to_land'), pr: z.int(), with: below }),
  z.object({ kind: z.literal('merge_content_lost'), pr: z.int(), with: below, commit: sha }),
  z.object({ kind: z.literal('faulty'), pr: z.int(), with: below, fault }),
  z.object({ kind: z.literal('head_gone'), pr: z.int() }),
  refused,
]);
const landOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('landed'), head: sha, tree: text }),
  z.object({
    kind: z.literal('partly_landed'),
    count: z.int().min(0),
    head: sha,
    tree: text,
    cause: words,
  }),
  z.object({ kind: z.literal('base_moved'), head: sha.nullable() }),
  z.object({ kind: z.literal('members_changed'), pulls: z.array(pull), missing: z.array(z.int()) }),
  z.object({ kind: z.literal('candidate_gone') }),
  refused,
]);

/**
 * Wraps a code host so that every answer is validated and bounded. An answer that the port does not allow becomes an
 * error: the outcome is unknown then.
 */
export const validatedHost = (host: CodeHost): CodeHost => {
  const { identify, startChecks, cancelChecks, hooksNotRun, openDraft } = host;
  const { ignoresCase, canForce, presence, commands, onEvent } = host;
  return {
    hasRepository: async (repo) => parseAnswer('hasRepository', yesOrNo, await host.hasRepository(repo)),
    getBranch: async (...asked) => parseAnswer('getBranch', branchOrNone, await host.getBranch(...asked)),
    contains: async (...asked) => parseAnswer('contains', yesOrNo, await host.contains(...asked)),
    getPullRequests: async (repo, numbers, options) => {
      const shown = parseAnswer('getPullRequests', pulls, await host.getPullRequests(repo, numbers, options));
      const extra = shown.findIndex(({ number }) => !numbers.includes(number));
      if (extra >= 0) throw noAnswer(['getPullRequests', extra], 'was not requested');
      return shown;
    },
    findPullRequest: async (...asked) =>
      parseAnswer('findPullRequest', found, await host.findPullRequest(...asked)),
    buildCandidate: async (request) => {
      const numbers = request.parts.map(({ pr }) => pr);
      const outcome = parseAnswer('buildCandidate', candidateOutcome, await host.buildCandidate(request));
      const misfit = misfitOf(outcome, numbers);
      if (misfit !== null) throw noAnswer(['buildCandidate'], `does not fit the request: ${misfit}`);
      return outcome;
    },
    getChecks: async (...asked) => parseAnswer('getChecks', checks, await host.getChecks(...asked)),
    land: async (request) =>
      parseAnswer('land', landOutcome as z.ZodType<LandOutcome>, await host.land(request)),
    dropCandidate: async (request) => host.dropCandidate(request),
    listCandidates: async (repo) => parseAnswer('listCandidates', runIds, await host.listCandidates(repo)),
    ...(identify === undefined
      ? {}
      : { identify: async (repo) => parseAnswer('identify', identity, await identify.call(host, repo)) }),
    ...(ignoresCase === undefined ? {} : { ignoresCase }),
    ...(startChecks === undefined ? {} : { startChecks: async (request) => startChecks.call(host, request) }),
    ...(cancelChecks === undefined
      ? {}
      : { cancelChecks: async (request) => cancelChecks.call(host, request) }),
    ...(hooksNotRun === undefined
      ? {}
      : {
          hooksNotRun: async (repo) =>
            parseAnswer('hooksNotRun', hookNames, await hooksNotRun.call(host, repo)),
        }),
    ...(openDraft === undefined ? {} : { openDraft: async (request) => openDraft.call(host, request) }),
    ...(canForce === undefined ? {} : { canForce }),
    ...(presence === undefined ? {} : { presence: validatedPresence(presence) }),
    ...(commands === undefined ? {} : { commands: validatedCommands(commands) }),
    ...(onEvent === undefined ? {} : { onEvent: (listener) => onEvent.call(host, listener) }),
  };
};

/** What of an outcome is not about the requested pull requests in their order, in words; null if all of it is. */
const misfitOf = (outcome: CandidateOutcome, numbers: readonly number[]): string | null => {
  if (outcome.kind === 'built') {
    const { steps } = outcome.candidate;
    const isAsRequested =
      steps.length === numbers.length && steps.every(({ pr }, index) => pr === numbers[index]);
    return isAsRequested ? null : 'its steps are not the requested pull requests in their order';
  }
  const { pr } = outcome;
  if (pr === null) return null;
  if (!numbers.includes(pr)) return `#${pr} was not requested`;
  if (!('with' in outcome) || outcome.with === 'target') return null;
  return numbers.slice(0, numbers.indexOf(pr)).includes(outcome.with)
    ? null
    : `#${outcome.with} is not below #${pr}`;
};
