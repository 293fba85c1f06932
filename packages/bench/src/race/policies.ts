import { type QueueSettings, queueSettings } from '@mq/core';
import { z } from 'zod';
import { replay } from './engine/replay.js';
import type { Ledger } from './ledger.js';
import { bors } from './peers/bors.js';
import { lanes } from './peers/lanes.js';
import { line } from './peers/line.js';
import { oracle } from './peers/oracle.js';
import type { Verdicts } from './verdicts.js';
import type { Workload } from './workload.js';

/** Decides the pull requests of a load. */
export interface Policy {
  readonly label: string;
  readonly race: (field: Field) => void;
}

export interface Field {
  readonly load: Workload;
  readonly ledger: Ledger;
  readonly verdicts: Verdicts;
  /** Called from time to time with the virtual time in minutes. */
  readonly onProgress: (minute: number) => void;
}

/** A bound without decisions: the minimal test runs per change, by information theory. */
export const BOUND = 'bound';

export const defaultPolicies = [
  ...['engine', 'lanes', 'github(W)', 'zuul', 'github(5)', 'bors(8)', 'serial', 'oracle', BOUND],
] as const;

const SIZE_LIMIT = 1_000;

/**
 * Finds a policy by name: `serial`, `bors(8)`, `github(5)`, `github(W)`, `zuul`, `lanes`, `lanes(2)` with two
 * paths, `oracle`, `engine`, or `engine(batch=true,batchingMinSize=16)`. `set` are settings `key=value` of every engine. Throws if there is none.
 */
export const policyOf = (text: string, set: readonly string[] = []): Policy => {
  const [, name = '', argument] = /^([a-z]+)(?:\((.*)\))?$/.exec(text.trim()) ?? [];
  if (name === 'engine') return engineOf([...set, ...splitOutside(argument ?? '')]);
  const fixed = argument === undefined ? fixedPolicies[name] : undefined;
  if (fixed !== undefined) return { label: name, race: fixed };
  const sized = argument === undefined ? undefined : sizedPolicies[name];
  if (sized === undefined)
    throw new Error(`There is no policy ${text}. There are: ${defaultPolicies.join(', ')}.`);
  const size = argument === 'W' ? null : Number(argument);
  if (size !== null && !(Number.isInteger(size) && size >= 1 && size <= SIZE_LIMIT))
    throw new Error(`${text}: ${argument} has to be W or a number from 1 to ${SIZE_LIMIT}.`);
  return { label: `${name}(${argument})`, race: (field) => sized(field, size ?? field.load.W) };
};

/** Splits a list at commas outside of brackets. */
export const splitOutside = (list: string): readonly string[] =>
  list
    .split(/,(?![^([]*[)\]])/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

const fixedPolicies: Readonly<Record<string, (field: Field) => void>> = {
  serial: ({ load, ledger }) => line(load, ledger, { window: 1, isAdaptive: false }),
  zuul: ({ load, ledger }) => line(load, ledger, { window: 20, isAdaptive: true }),
  lanes: ({ load, ledger }) => lanes(load, ledger),
  oracle: ({ load, ledger }) => oracle(load, ledger),
};

const sizedPolicies: Readonly<Record<string, (field: Field, size: number) => void>> = {
  bors: ({ load, ledger }, size) => bors(load, ledger, size),
  lanes: ({ load, ledger }, paths) => lanes(load, ledger, paths),
  github: ({ load, ledger }, window) => line(load, ledger, { window, isAdaptive: false }),
};

const engineOf = (set: readonly string[]): Policy => ({
  label: set.length === 0 ? 'engine' : `engine(${set.join(',')})`,
  race: engineWith(settingsFrom(set)),
});

const engineWith =
  (settings: Partial<QueueSettings>) =>
  ({ load, ledger, verdicts, onProgress }: Field): void =>
    replay(load, ledger, verdicts, { settings, onDecision: onProgress });

/**
 * Parses queue settings from `key=value`; a value is JSON or a plain word. Throws if one is unknown or out of bounds.
 */
const settingsFrom = (set: readonly string[]): Partial<QueueSettings> => {
  const given = set.map((text) => {
    const [key = '', ...rest] = text.split('=');
    if (rest.length === 0) throw new Error(`${text} is not key=value.`);
    return [key, settingFrom(rest.join('='))] as const;
  });
  const parsed = z.strictObject(queueSettings.partial().shape).safeParse(Object.fromEntries(given));
  if (!parsed.success) throw new Error(`Settings of the engine: ${z.prettifyError(parsed.error)}`);
  return parsed.data as Partial<QueueSettings>;
};

const settingFrom = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
