import {
  CURSOR_CHARS_LIMIT,
  compiled,
  type Fault,
  isRepoName,
  isRepoOwner,
  isSha,
  issueMessage,
  nameOf as line,
  narrowestOnly,
  PRIORITY_MAX,
  priorityClasses,
  REPO_NAME_FAULT,
  REPO_NAME_PATTERN,
  REPO_OWNER_FAULT,
  REPO_OWNER_PATTERN,
  shownValue,
  submissionStates,
} from '@mq/core';
import { z } from 'zod';

export { line };

/** Max faults listed in an answer; the number of the others is added. */
const FAULTS_LIMIT = 100;
export const PR_NUMBER_MAX = 4_294_967_295;
export const NAME_CHARS_LIMIT = 255;
const PAGE_TAKE_MAX = 100;
export const PAGE_TAKE_DEFAULT = 50;

const documented = new WeakMap<z.ZodType, z.ZodType>();

/** Documents a schema by another one that accepts the same values. */
export const documentAs = (schema: z.ZodType, other: z.ZodType): void => {
  documented.set(schema, other);
};

export const documentedAs = (schema: z.ZodType): z.ZodType | undefined => documented.get(schema);

/** Documents what a field accepts besides its canonical form, as JSON Schemas with a description. */
export const alsoAccepts = <Schema extends z.ZodType>(
  schema: Schema,
  ...forms: readonly Readonly<Record<string, unknown>>[]
): Schema => schema.meta({ 'x-mq-also-accepts': forms });

/** A pattern that matches the word in any letter case: `[pP][aA]...`. */
const inAnyCase = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Accepts these words in any letter case and converts them to lower case. */
export const anyCase = <Word extends string, Schema extends z.ZodType>(
  words: readonly Word[],
  schema: Schema,
) =>
  alsoAccepts(
    z.preprocess((value) => (typeof value === 'string' ? lowerCase(value) : value), schema),
    {
      type: 'string',
      pattern: `^(?:${words.map(inAnyCase).join('|')})$`,
      description: 'The same words in any letter case.',
    },
  );

/** Checks the length of a list before its elements, so that a too long list is cheap to refuse. */
export const atMost = <Schema extends z.ZodType>(maximum: number, schema: Schema) =>
  z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= maximum) return value;
    context.addIssue({ code: 'custom', message: `must not have more than ${maximum} elements` });
    return z.NEVER;
  }, schema);

export const boundedList = <Item extends z.ZodType>(item: Item, maximum: number) =>
  atMost(maximum, z.array(item).max(maximum));

export const repoOwner = line(NAME_CHARS_LIMIT)
  .refine(isRepoOwner, REPO_OWNER_FAULT)
  .meta({ pattern: REPO_OWNER_PATTERN });
export const repoName = line(NAME_CHARS_LIMIT)
  .refine(isRepoName, REPO_NAME_FAULT)
  .meta({ pattern: REPO_NAME_PATTERN });

export const repo = z
  .object({
    host: line(NAME_CHARS_LIMIT).describe('Name of the code host in the configuration of this service.'),
    owner: repoOwner.describe('Owner or organisation; may contain slashes.'),
    name: repoName.describe('Name of the repository.'),
  })
  .describe('Repository.');

export const targetBranch = line(NAME_CHARS_LIMIT).describe('The branch that the merge queue targets.');

export const queueRef = { repo, targetBranch };

/** A pattern for 1 to 4294967295, with up to ten digits. */
const PR_NUMBER_DIGITS =
  '^(?!0+$)(?:[0-9]{1,9}|[0-3][0-9]{9}|4[01][0-9]{8}|42[0-8][0-9]{7}|429[0-3][0-9]{6}|4294[0-8][0-9]{5}|42949[0-5][0-9]{4}|429496[0-6][0-9]{3}|4294967[01][0-9]{2}|42949672[0-8][0-9]|429496729[0-5])$';

/** Accepts the number also as a text with this maximum number of digits. */
export const orDigits = <Schema extends z.ZodType>(digitsLimit: number, schema: Schema) => {
  const shape = new RegExp(`^\\d{1,${digitsLimit}}$`);
  return z.preprocess(
    (value) => (typeof value === 'string' && shape.test(value) ? Number(value) : value),
    schema,
  );
};

export const prNumber = alsoAccepts(orDigits(10, z.int().min(1).max(PR_NUMBER_MAX)), {
  type: 'string',
  pattern: PR_NUMBER_DIGITS,
  description: 'The number as a text of at most ten digits.',
}).describe('Pull request number.');

export const sha = alsoAccepts(
  z
    .string()
    .overwrite(lowerCase)
    .refine(isSha, 'must be a full commit id: 40 or 64 hexadecimal digits')
    .meta({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' }),
  {
    type: 'string',
    pattern: '^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
    description: 'Digits in any letter case.',
  },
);

export const pr = z.object({ number: prNumber }).describe('Pull request.');

export const prWithHead = z
  .object({
    number: prNumber,
    sha: sha.optional().describe('The expected head commit. Default: the present one.'),
  })
  .describe('Pull request.');

export const priorityNames = Object.keys(priorityClasses) as [
  keyof typeof priorityClasses,
  ...(keyof typeof priorityClasses)[],
];

export const priorityName = z.enum(priorityNames);

export const priority = z
  .union([z.int().min(0).max(PRIORITY_MAX), anyCase(priorityNames, priorityName), z.null()], {
    error: ({ input }) =>
      `must be an integer from 0 to ${PRIORITY_MAX}, one of ${priorityNames.join(', ')}, or null, not ${shownValue(input)}`,
  })
  .describe('0 is first; urgent, high, medium, low are 0, 10, 100, 200; null is the default, 100.');

/** Parses a date and time into the engine's milliseconds since 1970. */
export const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const submissionState = z.enum(submissionStates);

export const take = z.int().min(1).max(PAGE_TAKE_MAX).exactOptional().describe('Items per page; default 50.');
export const cursor = line(CURSOR_CHARS_LIMIT)
  .exactOptional()
  .describe('The nextCursor of the previous page. Default: the first page.');

export const timestamp = z.iso.datetime().describe('ISO 8601, UTC, milliseconds.');

const inOurWords = { error: issueMessage };

/** Validates a value. Returns the parsed `value`, or its faults with their paths. */
export const parse = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly value: z.output<Schema> } | { readonly faults: readonly Fault[] } => {
  const result = compiled(schema).safeParse(value, inOurWords);
  if (result.success) return { value: result.data };
  const faults = narrowestOnly(result.error.issues).flatMap((issue) => faultsOf(issue, []));
  if (faults.length <= FAULTS_LIMIT) return { faults };
  const rest = { path: [], message: `and ${faults.length - FAULTS_LIMIT} more faults` };
  return { faults: [...faults.slice(0, FAULTS_LIMIT), rest] };
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

/** True if the value has the type of this branch of a union and the fault is inside, so this branch was meant. */
const isInside = (issue: z.core.$ZodIssue): boolean => issue.path.length > 0 || issue.code === 'custom';
