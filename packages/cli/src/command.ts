import type { Client, components } from '@mq/client';
import type { Checkout } from './checkout/git.js';
import type { Repo } from './checkout/remote.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';
import type { Style } from './text/style.js';

export type Schemas = components['schemas'];

/** What a command is about; it is shown above its answer. */
export interface Place {
  readonly server: string | null;
  readonly repo: Repo | null;
  readonly targetBranch: string | null;
  readonly pr: number | null;
}

export interface Asked<Options> {
  readonly io: Io;
  /** The arguments of the command; '' for one that was left out. */
  readonly args: readonly string[];
  readonly options: Options;
  readonly isJson: boolean;
  readonly checkout: () => Promise<Checkout | null>;
  /** The server of this call and the token for it. */
  readonly server: () => Promise<{
    readonly address: string;
    readonly token: string;
    readonly client: Client;
  }>;
  readonly repo: () => Promise<Repo>;
  readonly queue: () => Promise<QueueName>;
  /** The queue of the branch that is named, or of the default branch; it need not exist. */
  readonly newQueue: () => Promise<QueueName>;
  /** The pull request that the argument names, or that of the branch that is checked out. */
  readonly pullRequest: (
    given: string | undefined,
  ) => Promise<QueueName & { readonly pr: { readonly number: number } }>;
  /** Shows a note to the user on standard error while the command runs. */
  readonly note: (text: string) => void;
  readonly style: () => Style;
}

export interface QueueName {
  readonly repo: Repo;
  readonly targetBranch: string;
}

export interface Parameter {
  /** As a user writes it: `[pr]`, `<name>`, `[targets...]`. */
  readonly name: string;
  readonly description: string;
}

export interface Flag {
  /** As a user writes it: `--priority <priority>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** May be given several times; the values come as a list. */
  readonly isList?: boolean;
}

/** A JSON Schema; `#/components/schemas/…` of the OpenAPI document is written as `openapi.json#/components/schemas/…`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Command<Options = unknown, Result extends object = object> {
  /** The words that call it, such as `queue pause`. */
  readonly words: string;
  /** One sentence, imperative. */
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly flags?: readonly Flag[];
  readonly examples?: readonly string[];
  /** The schema of `result` in what `--json` prints. */
  readonly schema: JsonSchema;
  run(asked: Asked<Options>): Promise<Result>;
  /** Formats the result for people. No string in `result` contains control characters. Pure. */
  text(result: Result, style: Style): string;
  exitCode?(result: Result): ExitCode;
  /** True if programs read the text: the header is then shown on standard error, and not above the text. */
  readonly isBare?: boolean;
  /** True if the command prints its own output. Its result is then printed only at the end of `--json`. */
  readonly isLive?: boolean;
}

/** A command of any options and result, as in the list of all commands. Only the command itself reads its options. */
export type AnyCommand = Command;

export const command = <Options, Result extends object>(given: Command<Options, Result>): AnyCommand => given;

/** A schema of the OpenAPI document. */
export const schemaNamed = (name: keyof Schemas): JsonSchema => ({
  $ref: `openapi.json#/components/schemas/${name}`,
});

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** An object that has all of these fields. */
export const objectOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

export const prParameter: Parameter = {
  name: '[pr]',
  description: 'its number; default: that of the checked-out branch',
};
