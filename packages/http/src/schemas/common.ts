import {
  CURSOR_CHARS_LIMIT,
  compiled,
  type Fault,
  faultWords,
  hasNameCharacters,
  isRepoName,
  isRepoOwner,
  isSha,
  NAME_CHARACTERS_FAULT,
  narrowestOnly,
  PRIORITY_MAX,
  priorityClasses,
  REPO_NAME_FAULT,
  REPO_OWNER_FAULT,
  shownValue,
  submissionStates,
} from '@mq/core';
import { z } from 'zod';

/** Faults that one answer lists; the number of the others is given. */
const FAULTS_LIMIT = 100;
export const PR_NUMBER_MAX = 4_294_967_295;
export const NAME_CHARS_LIMIT = 255;
const PAGE_TAKE_MAX = 100;
export const PAGE_TAKE_DEFAULT = 50;

/** Text of one line as it stands: not trimmed, not empty. */
export const line = (maximumChars: number) =>
  z.string().min(1).max(maximumChars).refine(hasNameCharacters, NAME_CHARACTERS_FAULT);

/** Letters count in any case; answers are in lower case. */
export const anyCase = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' ? value.toLowerCase() : value), schema);

/** Looks at the length of a list before its elements, so that a long one costs nothing. */
export const atMost = <Schema extends z.ZodType>(maximum: number, schema: Schema) =>
  z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= maximum) return value;
    context.addIssue({ code: 'custom', message: `must not have more than ${maximum} elements` });
    return z.NEVER;
  }, schema);

export const boundedList = <Item extends z.ZodType>(item: Item, maximum: number) =>
  atMost(maximum, z.array(item).max(maximum));

export const repoOwner = line(NAME_CHARS_LIMIT).refine(isRepoOwner, REPO_OWNER_FAULT);
export const repoName = line(NAME_CHARS_LIMIT).refine(isRepoName, REPO_NAME_FAULT);

export const repo = z
  .object({
    host: line(NAME_CHARS_LIMIT).describe('Name of the code host, as this service is configured for it.'),
    owner: repoOwner.describe('Owner or organisation; may contain slashes.'),
    name: repoName.describe('Name of the repository.'),
  })
  .describe('Repository.');

export const targetBranch = line(NAME_CHARS_LIMIT).describe('The branch that the merge queue targets.');

export const queueRef = { repo, targetBranch };

export const prNumber = z
  .preprocess(
    (value) => (typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value),
    z.int().min(1).max(PR_NUMBER_MAX),
  )
  .describe('Pull request number; a string of digits is accepted too.');

export const sha = z
  .string()
  .toLowerCase()
  .refine(isSha, 'must be a full commit id: 40 or 64 hexadecimal digits');

export const pr = z.object({ number: prNumber }).describe('Pull request.');

export const prWithHead = z
  .object({
    number: prNumber,
    sha: sha.optional().describe('The head commit that is meant; left out, the present one.'),
  })
  .describe('Pull request.');

export const priorityNames = Object.keys(priorityClasses) as [
  keyof typeof priorityClasses,
  ...(keyof typeof priorityClasses)[],
];

export const priorityName = z.enum(priorityNames);

export const priority = z
  .union([z.int().min(0).max(PRIORITY_MAX), anyCase(priorityName), z.null()], {
    error: ({ input }) =>
      `must be an integer from 0 to ${PRIORITY_MAX}, one of ${priorityNames.join(', ')}, or null, not ${shownValue(input)}`,
  })
  .describe('0 is first; urgent, high, medium, low are 0, 10, 100, 200; null is the default, 100.');

/** An instant as the engine counts: milliseconds. */
export const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const submissionState = z.enum(submissionStates);

export const take = z.int().min(1).max(PAGE_TAKE_MAX).exactOptional().describe('Items a page; default 50.');
export const cursor = line(CURSOR_CHARS_LIMIT)
  .exactOptional()
  .describe('The nextCursor of the previous page; left out, the first page.');

export const timestamp = z.iso.datetime().describe('ISO 8601, UTC, milliseconds.');

const inOurWords = { error: faultWords };

/** What is wrong with a value, each fault by its path; null when nothing is, and then `value` is the parsed one. */
export const parse = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly value: z.output<Schema> } | { readonly faults: readonly Fault[] } => {
  const result = compiled(schema).safeParse(value, inOurWords);
  if (result.success) return { value: result.data };
  const faults = narrowestOnly(result.error.issues).flatMap((issue) => faultsOf(issue, []));
  if (faults.length <= FAULTS_LIMIT) return { faults };
  const others = { path: [], message: `and ${faults.length - FAULTS_LIMIT} more faults` };
  return { faults: [...faults.slice(0, FAULTS_LIMIT), others] };
};

type Path = readonly (string | number)[];

const faultsOf = (issue: z.core.$ZodIssue, parent: Path): readonly Fault[] => {
  const path = [...parent, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'invalid_union') {
    const inside = issue.errors.find((branch) => branch.length > 0 && branch.every(isInside));
    if (inside !== undefined) return narrowestOnly(inside).flatMap((inner) => faultsOf(inner, path));
  }
  return [{ path, message: issue.message.replace(/^Invalid input: /, '') }];
};

/** The value was of the right kind, and something in it is wrong: this branch of the union was meant. */
const isInside = (issue: z.core.$ZodIssue): boolean => issue.path.length > 0 || issue.code === 'custom';
